package auth

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// People is the part of a store that holds operators.
type People interface {
	View(ctx context.Context, fn func(store.Tx) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// Sealer digests the credentials that operators present, and encrypts the secrets of their one-time
// codes.
type Sealer interface {
	Digester
	SealOperatorSecret(text secret.Text, operatorID int) ([]byte, error)
	OpenOperatorSecret(sealed []byte, operatorID int) (secret.Text, error)
}

// Operators authenticates operators: by a token, by password and one-time code, by a session
// of the console, or through an OpenID Connect provider. It is safe for concurrent use.
type Operators struct {
	people People
	vault  Sealer
	issuer string // the name of this installation in authenticator apps

	hashing  chan struct{} // slots for computing hashes, which take much memory
	ofKnown  chan struct{} // slots for known browsers, which do not wait behind strangers
	refusals refusals

	sessionClock func() time.Time // by which sessions age; nil for business time
}

// AgeSessions makes sessions age by the given clock instead of business time, which a sandbox can
// move. It must be called before the first session.
func (o *Operators) AgeSessions(by func() time.Time) { o.sessionClock = by }

// sessionTime returns the time by which sessions age.
func (o *Operators) sessionTime(business time.Time) time.Time {
	if o.sessionClock == nil {
		return business
	}
	return o.sessionClock()
}

// NewOperators returns the operators of a store. issuer is the name of this installation in
// authenticator apps.
func NewOperators(people People, vault Sealer, issuer string) *Operators {
	const atOnce = 2
	return &Operators{
		people: people, vault: vault, issuer: issuer, hashing: make(chan struct{}, atOnce),
		ofKnown: make(chan struct{}, 1),
	}
}

// Prefixes of digested texts, one per use, so that the text of one use is never the text of
// another.
const (
	tokenUse      = "operator token "
	invitationUse = "operator invitation "
	sessionUse    = "console session "
	accountUse    = "operator account "
	deviceUse     = "console device "
)

// DigestToken returns the keyed digest under which the text of a token is stored.
func DigestToken(d Digester, text string) []byte { return d.DigestSecret(tokenUse + text) }

// DigestInvitation returns the keyed digest under which the text of a link is stored.
func DigestInvitation(d Digester, text string) []byte {
	return d.DigestSecret(invitationUse + text)
}

// From is the origin of a request.
type From struct {
	Address   string
	RequestID string
}

func (f From) actor(id int, name string) audit.Actor {
	return audit.Actor{
		Kind: audit.Operator, ID: id, Name: name, Address: f.Address, RequestID: f.RequestID,
	}
}

// usedEvery is the interval at which the last use of a token is stored.
const usedEvery = time.Minute

// AuthenticateToken returns the identity of the token with the given text. It returns false for a
// token that is unknown, expired or revoked, or whose owner may not sign in. A token never has more
// rights than its owner has now.
func (o *Operators) AuthenticateToken(
	ctx context.Context, text string,
) (operator.Identity, bool, error) {
	digest := DigestToken(o.vault, text)
	var token operator.Token
	var who operator.Identity
	var now time.Time
	active := false
	err := o.people.View(ctx, func(r store.Tx) error {
		t, err := r.Tokens().FindDigest(digest)
		token, now = t, r.Now()
		if err == nil {
			who, active, err = underOwner(r, t)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return operator.Identity{}, false, nil
	}
	if err != nil || !active {
		return operator.Identity{}, false, err
	}
	if now.Sub(token.LastUsed) >= usedEvery || now.Before(token.LastUsed) {
		// A token is accepted even if its use cannot be stored.
		_ = o.people.Update(ctx, func(tx store.Tx) error {
			return tx.Tokens().PutUse(token.ID, tx.Now())
		})
	}
	return who, true, nil
}

// Session is a session as the console stores it: whose it is, when it began and when it was used.
type Session struct {
	OperatorID   int
	Began        time.Time // business time
	Opened, Used time.Time // the time by which sessions age
}

// Now returns business time, and the time by which sessions age.
func (o *Operators) Now(ctx context.Context) (business, session time.Time, err error) {
	business, err = store.ViewOf(ctx, o.people, func(r store.Tx) (time.Time, error) {
		return r.Now(), nil
	})
	return business, o.sessionTime(business), err
}

// AuthenticateSession returns the owner of a session, with the current roles, and the time by which
// sessions age. open is false if the session has ended: by time, by a new password, or with the
// operator.
func (o *Operators) AuthenticateSession(
	ctx context.Context, s Session,
) (who operator.Identity, now time.Time, open bool, err error) {
	var person operator.Person
	err = o.people.View(ctx, func(r store.Tx) error {
		p, err := r.Operators().Find(s.OperatorID)
		person, now = p, o.sessionTime(r.Now())
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return operator.Identity{}, now, false, nil
	}
	if err != nil || person.SessionEnds(s.Began, now.Sub(s.Opened), now.Sub(s.Used)) {
		return operator.Identity{}, now, false, err
	}
	return person.Identity(), now, true, nil
}

// SignOut records in the audit that an operator has ended a session.
func (o *Operators) SignOut(ctx context.Context, who operator.Identity, from From) error {
	return o.people.Update(ctx, func(tx store.Tx) error {
		return tx.Audit().Put(audit.Entry{
			At: tx.Now(), Actor: from.actor(who.ID, who.Name), Act: "sign out",
			Subject: audit.Of(audit.Person, who.ID), Outcome: "signed out",
		})
	})
}
