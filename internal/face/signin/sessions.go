// Package signin keeps a browser signed in to the console: the session cookie, and the sign-in
// through an OpenID Connect provider. Packages auth and operator decide who may sign in and how
// long a session lasts; the pages belong to the console.
package signin

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/auth"
)

// CookieName is the name of the session cookie. Browsers accept a cookie with this prefix only if
// it is Secure, has no Domain and has the path /.
const CookieName = "__Host-mintmark"

// Sessions manages the sessions of the console.
type Sessions struct {
	operators *auth.Operators
	manager   *scs.SessionManager
}

// NewSessions returns the sessions of operators, and sets their lifetime and cookie.
func NewSessions(operators *auth.Operators) *Sessions {
	// scs.New would start a goroutine for an in-memory store and never stop it.
	manager := &scs.SessionManager{
		Store: operators.Sessions(), Codec: scs.GobCodec{}, Lifetime: operator.SessionLifetime,
	}
	manager.Cookie.Name = CookieName
	manager.Cookie.Path = "/"
	manager.Cookie.Secure = true
	manager.Cookie.HttpOnly = true
	manager.Cookie.SameSite = http.SameSiteStrictMode
	manager.Cookie.Persist = false
	return &Sessions{operators, manager}
}

// Handler loads the session of each request before next runs and saves it afterwards. If loading or
// saving fails, failed answers the request.
func (s *Sessions) Handler(
	next http.Handler, failed func(http.ResponseWriter, *http.Request, error),
) http.Handler {
	own := *s.manager
	own.ErrorFunc = failed
	return own.LoadAndSave(next)
}

// The members of a session. Times are in milliseconds since 1970.
const (
	whoseMember = "operator"
	beganMember = "began"
	openMember  = "opened"
	usedMember  = "used"
)

// lastUsedInterval is the interval at which a session's last use is stored.
const lastUsedInterval = time.Minute

// Begin starts the session of an operator who has just signed in. It renews the session token, so
// that a token planted by an attacker is worthless.
func (s *Sessions) Begin(ctx context.Context, who operator.Identity) error {
	business, now, err := s.operators.Now(ctx)
	if err != nil {
		return err
	}
	if err := s.manager.RenewToken(ctx); err != nil {
		return err
	}
	s.manager.Put(ctx, whoseMember, who.ID)
	s.manager.Put(ctx, beganMember, business.UnixMilli())
	s.manager.Put(ctx, openMember, now.UnixMilli())
	s.manager.Put(ctx, usedMember, now.UnixMilli())
	return nil
}

// Who returns the operator whose session the request has, and false if it has none or it has ended.
func (s *Sessions) Who(ctx context.Context) (operator.Identity, bool, error) {
	if !s.manager.Exists(ctx, whoseMember) {
		return operator.Identity{}, false, nil
	}
	began := s.manager.GetInt64(ctx, beganMember)
	session := auth.Session{
		OperatorID: s.manager.GetInt(ctx, whoseMember),
		Began:      time.UnixMilli(began),
		Opened:     time.UnixMilli(cmp.Or(s.manager.GetInt64(ctx, openMember), began)),
		Used:       time.UnixMilli(s.manager.GetInt64(ctx, usedMember)),
	}
	who, now, open, err := s.operators.AuthenticateSession(ctx, session)
	if err != nil {
		return operator.Identity{}, false, err
	}
	if !open {
		return operator.Identity{}, false, s.manager.Destroy(ctx)
	}
	if now.Sub(session.Used) >= lastUsedInterval {
		s.manager.Put(ctx, usedMember, now.UnixMilli())
	}
	return who, true, nil
}

// End ends the session of a request, and records that in the audit.
func (s *Sessions) End(ctx context.Context, from auth.From) error {
	who, open, err := s.Who(ctx)
	if err != nil || !open {
		return err
	}
	if err := s.operators.SignOut(ctx, who, from); err != nil {
		return err
	}
	return s.manager.Destroy(ctx)
}
