package clock

import (
	"context"
	"time"
)

// momentKey is the key of a moment in a context.
type momentKey struct{}

// WithMoment returns a context whose transactions happen at a moment, whatever the clock says. A
// sandbox has what fell due happen at the moment at which it did.
func WithMoment(ctx context.Context, moment time.Time) context.Context {
	return context.WithValue(ctx, momentKey{}, moment)
}

// Or returns the moment that WithMoment has put into a context, or else another one: UTC, in whole
// milliseconds, as times are stored.
func Or(ctx context.Context, other time.Time) time.Time {
	if moment, there := ctx.Value(momentKey{}).(time.Time); there {
		other = moment
	}
	return other.UTC().Truncate(time.Millisecond)
}
