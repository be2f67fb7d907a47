// Package snapshot saves all tables of a database under a name, and restores them: it implements
// store.Snapshots in SQL. A snapshot, which the tables call a world, consists of copies of the
// tables in the same database, so saving or restoring one is a transaction like any other. The
// tables and columns are read from the database, so a new table is part of every snapshot without a
// change here. The differences between the two databases are in sqlite.go and postgres.go.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/generation"
	"mintmark/internal/store/sqlstore/db"
)

// Snapshots implements store.Snapshots on the database of an engine.
type Snapshots struct {
	engine  db.Engine
	dialect dialect
	// in runs a closure on a store.Tx in a session.
	in func(db.Session, func(store.Tx) error) error
}

var _ store.Snapshots = (*Snapshots)(nil)

// New returns the snapshots on an engine. The function in runs a closure on a store.Tx in a
// session.
func New(engine db.Engine, in func(db.Session, func(store.Tx) error) error) *Snapshots {
	if guard, ok := engine.(guarded); ok {
		engine = guard.Engine // snapshots are saved and restored in any generation
	}
	w := &Snapshots{engine: engine, in: in, dialect: sqlite{engine}}
	if several, ok := engine.(concurrentEngine); ok {
		w.dialect = postgres{several}
	}
	return w
}

const (
	findWorld = `SELECT world_id, schema_version, note FROM sandbox_worlds WHERE name = $1`
	nextWorld = `SELECT COALESCE(MAX(world_id), 0) + 1 FROM sandbox_worlds`
	putWorld  = `INSERT INTO sandbox_worlds (world_id, name, made_at, schema_version, note)
		VALUES ($1, $2, $3, $4, $5)`
	dropWorld   = `DELETE FROM sandbox_worlds WHERE world_id = $1`
	dropNumbers = `DELETE FROM sandbox_numbers WHERE world_id = $1`
	listWorlds  = `SELECT name, made_at, note FROM sandbox_worlds ORDER BY name`
)

// maxBytes is the size of all snapshots from which on no further one is saved; tests set it.
var maxBytes int64 = 1 << 30

// world is a row of sandbox_worlds.
type world struct {
	id, schema int64
	note       []byte
}

func find(s db.Session, name string) (world, error) {
	var w world
	ok, err := db.Find(s, []any{&w.id, &w.schema, &w.note}, findWorld, name)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return w, err
}

// Save saves all data under a name, replacing what was saved under it.
func (w *Snapshots) Save(ctx context.Context, name string, note []byte) error {
	return w.engine.Update(ctx, func(s db.Session) error {
		earlier, err := find(s, name)
		if err == nil {
			err = w.drop(s, earlier)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		all, err := w.dialect.schema(s)
		if err != nil {
			return err
		}
		bytes, err := w.dialect.bytes(s, all.version)
		if err == nil && bytes >= maxBytes {
			err = store.ErrSnapshotsFull
		}
		if err != nil {
			return err
		}
		now, err := s.Now()
		if err != nil {
			return err
		}
		var id int64
		if _, err := db.Find(s, []any{&id}, nextWorld); err != nil {
			return err
		}
		err = s.Write(putWorld, id, name, db.Millis(now), all.version, db.OrEmpty(note))
		if err != nil {
			return err
		}
		if err := all.makeCopies(s); err != nil {
			return err
		}
		for _, t := range all.tables {
			if err := s.Write(all.keep(t), id); err != nil {
				return err
			}
		}
		return w.dialect.keepNumbers(s, all, id)
	})
}

// Restore restores the snapshot with the given name, and returns its note.
func (w *Snapshots) Restore(ctx context.Context, name string) (note []byte, err error) {
	err = w.replace(ctx, func(s db.Session, all schema) error {
		kept, err := find(s, name)
		if err != nil {
			return err
		}
		if kept.schema != all.version {
			return fmt.Errorf("%w: %q has schema version %d, the current one is %d",
				store.ErrOtherSchema, name, kept.schema, all.version)
		}
		for _, t := range all.tables {
			if err := s.Write(all.restoreStatement(t), kept.id); err != nil {
				return err
			}
		}
		if err := w.dialect.restoreSequences(s, all, kept.id); err != nil {
			return err
		}
		note = db.OrEmpty(kept.note)
		return begin(s, note)
	})
	if err != nil {
		return nil, err
	}
	return note, nil
}

// Reset empties the database, except for the rows that its migrations write, and calls a closure
// that fills it.
func (w *Snapshots) Reset(ctx context.Context, fill func(store.Tx) error) error {
	return w.replace(ctx, func(s db.Session, all schema) error {
		for _, text := range firstRows {
			if err := s.Write(text); err != nil {
				return err
			}
		}
		if err := w.dialect.resetNumbers(s, all); err != nil {
			return err
		}
		if err := begin(s, nil); err != nil {
			return err
		}
		return w.in(s, fill)
	})
}

// firstRows inserts the rows that the migrations write into a new database.
var firstRows = []string{
	`INSERT INTO access_revision (one_row, revision) VALUES (1, 0)`,
	`INSERT INTO card_packing (one_row, settled_card, newest_card, looked_at) VALUES (1, 0, 0, 0)`,
}

// freeEndpoints releases webhooks from the nodes that had claimed them when the snapshot was saved.
// While the clock is frozen, the claim of a node that is gone would not end.
const freeEndpoints = `UPDATE webhook_endpoints SET node = '', claimed_until = NULL
	WHERE node <> ''`

// replace empties every table and calls a closure that fills them, while nothing else writes. The
// triggers are disabled meanwhile, because the copies include what they would write.
func (w *Snapshots) replace(ctx context.Context, fill func(db.Session, schema) error) error {
	return w.dialect.alone(ctx, func(s db.Session, all schema) error {
		again, err := w.dialect.withoutTriggers(s, all)
		if err != nil {
			return err
		}
		if err := all.empty(s); err != nil {
			return err
		}
		if err := fill(s, all); err != nil {
			return err
		}
		if err := s.Write(freeEndpoints); err != nil {
			return err
		}
		return again()
	})
}

// List returns the snapshots, by name.
func (w *Snapshots) List(ctx context.Context) ([]store.Snapshot, error) {
	var all []store.Snapshot
	err := w.engine.View(ctx, func(s db.Session) error {
		var err error
		all, err = db.List(s, func(row db.Scan) (store.Snapshot, error) {
			var snapshot store.Snapshot
			err := row(&snapshot.Name, db.Time{To: &snapshot.Made}, &snapshot.Note)
			return snapshot, err
		}, listWorlds)
		return err
	})
	return all, err
}

// Drop deletes the snapshot with the given name.
func (w *Snapshots) Drop(ctx context.Context, name string) error {
	return w.engine.Update(ctx, func(s db.Session) error {
		match, err := find(s, name)
		if err != nil {
			return err
		}
		return w.drop(s, match)
	})
}

// drop deletes a snapshot. Its copies may be those of an earlier schema, which has its own tables
// for copies.
func (w *Snapshots) drop(s db.Session, of world) error {
	copies, err := w.dialect.copies(s, of.schema)
	if err != nil {
		return err
	}
	for _, name := range copies {
		if err := s.Write(`DELETE FROM `+name+` WHERE world_id = $1`, of.id); err != nil {
			return err
		}
	}
	if err := s.Write(dropNumbers, of.id); err != nil {
		return err
	}
	return s.Write(dropWorld, of.id)
}

const (
	beginWorld = `INSERT INTO sandbox (one_row, generation, note) VALUES (1, 1, $1)
		ON CONFLICT (one_row) DO UPDATE SET generation = sandbox.generation + 1,
			note = excluded.note`
	keepSetting = `INSERT INTO sandbox (one_row, settings, ahead, frozen_at) VALUES (1, 1, $1, $2)
		ON CONFLICT (one_row) DO UPDATE SET settings = sandbox.settings + 1,
			ahead = excluded.ahead, frozen_at = excluded.frozen_at`
	findStatus = `SELECT generation, note, settings, ahead, frozen_at FROM sandbox
		WHERE one_row = 1`
	findGeneration = `SELECT generation FROM sandbox WHERE one_row = 1`
)

// begin starts another generation, and stores the note of the restored snapshot.
func begin(s db.Session, note []byte) error {
	if note == nil {
		return s.Write(beginWorld, nil)
	}
	return s.Write(beginWorld, note)
}

// Status returns the state of the sandbox on this database.
func (w *Snapshots) Status(ctx context.Context) (store.SandboxStatus, error) {
	var worldStatus store.SandboxStatus
	var ahead int64
	var frozen string
	err := w.engine.View(ctx, func(s db.Session) error {
		_, err := db.Find(s, []any{
			&worldStatus.Generation, &worldStatus.Note, &worldStatus.Settings, &ahead, &frozen,
		}, findStatus)
		return err
	})
	if err != nil {
		return store.SandboxStatus{}, err
	}
	worldStatus.Setting.Offset = time.Duration(ahead)
	if frozen != "" {
		worldStatus.Setting.Frozen, err = time.Parse(time.RFC3339Nano, frozen)
	}
	return worldStatus, err
}

// KeepSetting stores the business time.
func (w *Snapshots) KeepSetting(ctx context.Context, setting store.SandboxClock) error {
	frozen := ""
	if !setting.Frozen.IsZero() {
		frozen = setting.Frozen.UTC().Format(time.RFC3339Nano)
	}
	return w.engine.Update(ctx, func(s db.Session) error {
		return s.Write(keepSetting, int64(setting.Offset), frozen)
	})
}

// Generation returns the number of the current generation.
func (w *Snapshots) Generation(ctx context.Context) (int64, error) {
	var generation int64
	err := w.engine.View(ctx, func(s db.Session) error {
		_, err := db.Find(s, []any{&generation}, findGeneration)
		return err
	})
	return generation, err
}

// guarded is an engine whose transactions fail with store.ErrRestored if another snapshot was
// restored since their context got its generation.
type guarded struct{ db.Engine }

// Guard returns the engine of a sandbox, which lets no transaction of an earlier generation run in
// a later one. A context without a generation costs nothing.
func Guard(engine db.Engine) db.Engine { return guarded{engine} }

func (g guarded) Read(ctx context.Context, fn func(db.Session) error) error {
	return g.Engine.Read(ctx, within(ctx, false, fn))
}

func (g guarded) View(ctx context.Context, fn func(db.Session) error) error {
	return g.Engine.View(ctx, within(ctx, false, fn))
}

func (g guarded) Update(ctx context.Context, fn func(db.Session) error) error {
	return g.Engine.Update(ctx, within(ctx, true, fn))
}

func (g guarded) Dispatch(ctx context.Context, fn func(db.Session) error) error {
	return g.Engine.Dispatch(ctx, within(ctx, true, fn))
}

// within returns a closure that first compares the generation of its context with that of the
// database.
func within(
	ctx context.Context, writes bool, fn func(db.Session) error,
) func(db.Session) error {
	known, there := generation.Of(ctx)
	if !there {
		return fn
	}
	return func(s db.Session) error {
		text := findGeneration
		if writes && s.Locking() != "" {
			// No other snapshot can be restored until this transaction has ended.
			text += ` FOR SHARE`
		}
		var generation int64
		if _, err := db.Find(s, []any{&generation}, text); err != nil {
			return err
		}
		if generation != known {
			return store.ErrRestored
		}
		return fn(s)
	}
}
