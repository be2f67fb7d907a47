package clock

import (
	"context"
	"time"
)

// momentKey is the context key of a moment.
type momentKey struct{}

// WithMoment returns a context whose transactions take place at a given time, whatever the clock
// shows. A sandbox uses it to carry out everything that fell due at the time when it fell due.
func WithMoment(ctx context.Context, moment time.Time) context.Context {
	return context.WithValue(ctx, momentKey{}, moment)
}

// Or returns the time that WithMoment added to the context, or else other: UTC, in whole
// milliseconds, as times are stored.
func Or(ctx context.Context, other time.Time) time.Time {
	if moment, there := ctx.Value(momentKey{}).(time.Time); there {
		other = moment
	}
	return other.UTC().Truncate(time.Millisecond)
}
