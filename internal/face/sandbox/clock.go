package sandbox

import (
	"context"
	"errors"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

func (s *Controls) clockRoutes() []route {
	return []route{
		get("clock", func(context.Context, *call) (wire.Clock, error) {
			return s.clock(), nil
		}),
		put("clock", s.putClock),
	}
}

// clock returns the state of the clock, in the precision of stored times.
func (s *Controls) clock() wire.Clock {
	return wire.Clock{
		Now: s.Clock.Now().UTC().Truncate(time.Millisecond), Frozen: s.Clock.Frozen(),
	}
}

// putClock moves, freezes or unfreezes the clock, and answers after everything that fell due has
// happened.
func (s *Controls) putClock(ctx context.Context, c *call) (wire.Clock, error) {
	change, err := readClockChange(c)
	if err != nil {
		return wire.Clock{}, err
	}
	if err := s.MoveClock(ctx, change); err != nil {
		return wire.Clock{}, err
	}
	return s.clock(), nil
}

func readClockChange(c *call) (wire.ClockChange, error) {
	var change wire.ClockChange
	err := c.read(func(o *strictjson.Object) {
		if at := o.Time("now"); !at.IsZero() {
			change.Now = &at
		}
		change.Advance = o.String("advance")
		switch text := string(o.Raw("frozen")); text {
		case "true", "false":
			frozen := text == "true"
			change.Frozen = &frozen
		case "", "null":
		default:
			o.Reject("frozen", "must be true or false")
		}
		if change.Now != nil && change.Advance != "" {
			o.Reject("advance", "cannot be given beside now")
		}
	})
	return change, err
}

// MoveClock changes the clock as the body of PUT /clock does. An error in the request is a
// web.Problem: 409 to move the clock backwards, 422 for an invalid change.
func (s *Controls) MoveClock(ctx context.Context, change wire.ClockChange) error {
	if change == (wire.ClockChange{}) {
		return invalid("", "must have one of now, advance and frozen")
	}
	to, err := s.target(ctx, change)
	if err != nil {
		return err
	}
	moved := s.Time.Move(ctx, change.Frozen, to)
	if errors.Is(moved, ErrBackwards) {
		return web.Conflict("The clock is later already: it never goes back, except by a reset " +
			"or the restore of a snapshot.")
	}
	// The clock has moved even if the request has ended.
	if err := s.keepClock(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(moved, err)
	}
	if moved != nil && ctx.Err() != nil {
		return web.Unavailable("The time of the request was over before everything that falls "+
			"due had happened. The clock stands where it got: "+
			s.clock().Now.Format(time.RFC3339Nano), time.Second)
	}
	return moved
}

// target returns a function from the current time to the time that the change sets.
func (s *Controls) target(
	ctx context.Context, change wire.ClockChange,
) (func(now time.Time) (time.Time, error), error) {
	switch {
	case change.Now != nil:
		return func(time.Time) (time.Time, error) {
			if change.Now.Year() > LastYear {
				return time.Time{}, invalid("now", beyond)
			}
			return *change.Now, nil
		}, nil
	case change.Advance != "":
		by, err := parseAdvance(change.Advance)
		if err != nil {
			return nil, invalid("advance", err.Error())
		}
		zone, err := s.zone(ctx)
		if err != nil {
			return nil, err
		}
		return func(now time.Time) (time.Time, error) {
			target := by.from(now, zone)
			if by.back && target.After(now) {
				return time.Time{}, ErrBackwards
			}
			if target.Year() > LastYear {
				return time.Time{}, invalid("advance", beyond)
			}
			return target, nil
		}, nil
	}
	return func(now time.Time) (time.Time, error) { return now, nil }, nil
}

// zone returns the zone for calendar days: that of the first program.
func (s *Controls) zone(ctx context.Context) (*time.Location, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (*time.Location, error) {
		programIDs, err := r.Programs().List()
		if err != nil || len(programIDs) == 0 {
			return time.UTC, err
		}
		first, err := r.Programs().Find(programIDs[0])
		if err != nil {
			return time.UTC, err
		}
		return first.Location(), nil
	})
}
