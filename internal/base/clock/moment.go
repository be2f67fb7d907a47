package clock

import (
	"context"
	"time"
)

// momentKey is the context key of a moment.
type momentKey struct{}

// WithTime returns a context whose transactions take place at a given time, whatever the clock
// shows. A sandbox uses it to carry out everything that fell due at the time when it fell due.
func WithTime(ctx context.Context, moment time.Time) context.Context {
	return context.WithValue(ctx, momentKey{}, moment)
}

// TimeOr returns the time that WithTime added to the context, or else other: UTC, in whole
// milliseconds, as times are stored.
func TimeOr(ctx context.Context, other time.Time) time.Time {
	if moment, there := ctx.Value(momentKey{}).(time.Time); there {
		other = moment
	}
	return other.UTC().Truncate(time.Millisecond)
}
