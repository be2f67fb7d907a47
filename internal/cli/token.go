package cli

import (
	"context"
	"time"
)

// TokenCreate creates a token in a service.
type TokenCreate struct {
	CreateFlags
	rights
	Lasts time.Duration `placeholder:"DURATION" help:"How long it may be used, like 720h; without it, until it is revoked."`
}

// Run sends the request and prints the response with the token.
func (k TokenCreate) Run(ctx context.Context, t Terminal) error {
	b := k.rights.body()
	if k.Lasts != 0 {
		b["expires"] = time.Now().Add(k.Lasts).UTC().Format(time.RFC3339)
	}
	return k.post(ctx, t, "tokens", b)
}
