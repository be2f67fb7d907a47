package admin

import (
	"context"
	"net/http"
	"strings"

	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
)

type identityKey struct{}

// WithIdentity marks a context as that of a request of an operator who has signed in. Only a caller
// in the same process can do so: the console.
func WithIdentity(ctx context.Context, who operator.Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, who)
}

// identify returns who asks. A session of the console is nothing here: programs send a token.
func (f *Face) identify(ctx context.Context, x *web.Exchange) (operator.Identity, error) {
	inProcess, known := x.Request.Context().Value(identityKey{}).(operator.Identity)
	if known {
		// The line of the page tells of its readings, too.
		x.Quiet = x.Request.Method == http.MethodGet
		return inProcess, nil
	}
	scheme, token, _ := strings.Cut(x.Request.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return operator.Identity{}, notSignedIn(x, "Send Authorization: Bearer and a token.")
	}
	who, known, err := f.tokens.ByToken(ctx, token)
	if err != nil {
		return operator.Identity{}, err
	}
	if !known {
		return operator.Identity{}, notSignedIn(x, "The token is unknown, expired or revoked.")
	}
	return who, nil
}

func notSignedIn(x *web.Exchange, detail string) error {
	x.Header.Set("WWW-Authenticate", "Bearer")
	return web.NotSignedIn(detail)
}
