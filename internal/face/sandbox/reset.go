package sandbox

import (
	"context"
	"errors"

	"mintmark/internal/store"
)

func (s *Controls) worldRoutes() []route {
	return []route{
		get("world", s.world),
		act("reset", func(ctx context.Context, _ *call) error {
			return toProblem(s.Reset(ctx))
		}),
	}
}

// Reset restores the state in which the sandbox was started: the demo data, the random streams, the
// clock setting. Snapshots stay.
func (s *Controls) Reset(ctx context.Context) error {
	return s.Replace(ctx, func(ctx context.Context) error {
		clock := s.Clock.Setting()
		parts, err := s.makeNote()
		if err != nil {
			return err
		}
		if err := s.begin(ctx); err != nil {
			s.Clock.Set(clock)
			return errors.Join(err, s.RestoreParts(parts))
		}
		return errors.Join(s.Reload(ctx), s.keepClock(ctx))
	})
}

// begin resets the parts and the store. The streams come first, because the demo data draws from
// them.
func (s *Controls) begin(ctx context.Context) error {
	s.Clock.Set(s.Started)
	if err := s.RestoreParts(nil); err != nil {
		return err
	}
	fill, err := s.Fill(ctx)
	if err != nil {
		return err
	}
	begun := s.Chance.State()
	return s.Kept.Reset(ctx, func(tx store.Tx) error {
		// The closure may run more than once.
		if err := s.Chance.Restore(begun); err != nil {
			return err
		}
		return fill(tx)
	})
}

func (s *Controls) keepClock(ctx context.Context) error {
	if s.KeepClock == nil {
		return nil
	}
	return s.KeepClock(ctx, s.Clock.Setting())
}
