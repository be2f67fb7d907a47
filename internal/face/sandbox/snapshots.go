package sandbox

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

func (s *Controls) snapshotRoutes() []route {
	return []route{
		get("snapshots", func(ctx context.Context, _ *call) (wire.List[wire.Snapshot], error) {
			all, err := s.Snapshots(ctx)
			return wire.List[wire.Snapshot]{Items: all}, toProblem(err)
		}),
		put("snapshots/{name}", func(ctx context.Context, c *call) (wire.Snapshot, error) {
			snapshot, err := s.SaveSnapshot(ctx, c.params["name"])
			return snapshot, toProblem(err)
		}),
		act("snapshots/{name}/restore", func(ctx context.Context, c *call) error {
			return s.RestoreSnapshot(ctx, c.params["name"])
		}),
		remove("snapshots/{name}", func(ctx context.Context, c *call) error {
			return toProblem(s.Kept.Drop(ctx, c.params["name"]))
		}),
	}
}

// snapshotName matches a valid snapshot name, which needs no escaping in a path.
var snapshotName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// maxSnapshots is the maximum number of snapshots.
const maxSnapshots = 100

// Snapshots returns the snapshots by name.
func (s *Controls) Snapshots(ctx context.Context) ([]wire.Snapshot, error) {
	kept, err := s.Kept.List(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]wire.Snapshot, 0, len(kept))
	for _, snapshot := range kept {
		shown, err := show(snapshot.Name, snapshot.Note)
		if err != nil {
			return nil, err
		}
		all = append(all, shown)
	}
	return all, nil
}

func show(name string, text []byte) (wire.Snapshot, error) {
	n, err := readNote(text)
	return wire.Snapshot{Name: name, Made: n.Made, Now: n.Clock.Now}, err
}

// SaveSnapshot saves the data and the state of all parts as a snapshot, replacing one with the same
// name.
func (s *Controls) SaveSnapshot(ctx context.Context, name string) (wire.Snapshot, error) {
	if !snapshotName.MatchString(name) {
		return wire.Snapshot{}, invalid("name", "must be at most 64 letters, digits, and . _ - "+
			"behind the first")
	}
	var snapshot wire.Snapshot
	err := s.Hold(ctx, func(ctx context.Context) error {
		kept, err := s.Kept.List(ctx)
		if err != nil {
			return err
		}
		replaced := slices.ContainsFunc(kept, func(w store.Snapshot) bool { return w.Name == name })
		if len(kept) >= maxSnapshots && !replaced {
			return web.Conflict(fmt.Sprintf("There are %d snapshots, the most that there may be. "+
				"Remove one.", maxSnapshots))
		}
		text, err := s.makeNote()
		if err != nil {
			return err
		}
		snapshot, err = show(name, text)
		if err != nil {
			return err
		}
		return s.Kept.Save(ctx, name, text)
	})
	return snapshot, err
}

// RestoreSnapshot restores the data and the state of all parts from a snapshot. The snapshots
// themselves stay.
func (s *Controls) RestoreSnapshot(ctx context.Context, name string) error {
	return toProblem(s.Replace(ctx, func(ctx context.Context) error {
		text, err := s.Kept.Restore(ctx, name)
		if err != nil {
			return err
		}
		if err := s.Reload(ctx); err != nil {
			return err
		}
		n, err := readNote(text)
		if err != nil {
			return err
		}
		s.Clock.Set(n.setting())
		return errors.Join(s.RestoreParts(text), s.keepClock(ctx))
	}))
}

// toProblem converts an error of the store to a problem.
func toProblem(err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return web.NotFound()
	case errors.Is(err, store.ErrOtherSchema):
		return web.Conflict("The snapshot was made by another version of Mintmark, whose tables " +
			"differ. Make it again.")
	case errors.Is(err, store.ErrSnapshotsFull):
		return web.Conflict("The snapshots have 1 GB, the most that they may have. Remove one.")
	case errors.Is(err, store.ErrUnavailable):
		return web.Unavailable("The database cannot be reached.", time.Second)
	}
	return err
}
