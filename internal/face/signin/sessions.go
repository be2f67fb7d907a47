// Package signin is how a browser stays signed in to the console: the session cookie, and the way
// to an OpenID Connect provider and back. Who may sign in, and how long a session lasts, is decided
// in packages auth and operator; the pages belong to the console.
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

// CookieName is that of the session cookie. Browsers take a cookie of this name only when it is
// Secure, has no Domain and the path /.
const CookieName = "__Host-mintmark"

// Sessions are those of the console.
type Sessions struct {
	operators *auth.Operators
	manager   *scs.SessionManager
}

// NewSessions says how long a session lasts and how its cookie is sent.
func NewSessions(operators *auth.Operators) *Sessions {
	// scs.New would start a goroutine for a store in memory, and never end it.
	manager := &scs.SessionManager{
		Store: operators.Sessions(), Codec: scs.GobCodec{}, Lifetime: operator.SessionLasts,
	}
	manager.Cookie.Name = CookieName
	manager.Cookie.Path = "/"
	manager.Cookie.Secure = true
	manager.Cookie.HttpOnly = true
	manager.Cookie.SameSite = http.SameSiteStrictMode
	manager.Cookie.Persist = false
	return &Sessions{operators, manager}
}

// Handler loads the session of each request before a handler, and keeps it behind. What cannot be
// loaded or kept is answered by failed.
func (s *Sessions) Handler(
	next http.Handler, failed func(http.ResponseWriter, *http.Request, error),
) http.Handler {
	own := *s.manager
	own.ErrorFunc = failed
	return own.LoadAndSave(next)
}

// The members of a session. Moments are milliseconds since 1970.
const (
	whoseMember = "operator"
	beganMember = "began"
	openMember  = "opened"
	usedMember  = "used"
)

// usedEvery is how often the last use of a session is stored.
const usedEvery = time.Minute

// Begin begins a session of an operator who has just signed in. The text in the cookie changes, so
// that one that somebody else has planted is worth nothing.
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

// Who returns whose session a request has, and false when it has none or it has ended.
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
	if now.Sub(session.Used) >= usedEvery {
		s.manager.Put(ctx, usedMember, now.UnixMilli())
	}
	return who, true, nil
}

// End ends the session of a request, and notes it in the audit.
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
