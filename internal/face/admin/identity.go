package admin

import (
	"context"
	"strings"

	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
)

// identify returns the operator who sends the request. It ignores console sessions: programs send a
// token.
func (f *Face) identify(ctx context.Context, x *web.Exchange) (operator.Identity, error) {
	scheme, token, _ := strings.Cut(x.Request.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return operator.Identity{}, notSignedIn(x, "Send Authorization: Bearer and a token.")
	}
	who, known, err := f.desk.tokens.AuthenticateToken(ctx, token)
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
