package auth

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// SignInRequest holds name, password and one-time code.
type SignInRequest struct {
	Name     string
	Password secret.Text
	Code     string      // of the authenticator app
	Device   secret.Text // of a known browser (NewDevice), empty for any other
	From
}

// ErrSignIn is returned for a sign-in that failed. It does not reveal the cause.
var ErrSignIn = errors.New("name, password or code is wrong")

// TooManyError is returned for a sign-in that was not attempted, because too many of the account
// have failed from the address.
type TooManyError struct{ RetryAfter time.Duration }

// Error returns a message with the time to wait.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("too many sign-ins have failed; try again in %v",
		e.RetryAfter.Round(time.Second))
}

// Outcomes of a sign-in in the audit.
const (
	signedIn      = "signed in"
	signInRefused = "refused"
	signInUnread  = "refused without looking"
)

// SignIn authenticates an operator by name, password and one-time code. Each failure, and a refusal
// after too many of them, is recorded in the audit. The error is ErrSignIn or a TooManyError.
func (o *Operators) SignIn(ctx context.Context, req SignInRequest) (operator.Identity, error) {
	t, err := o.begin(ctx, req)
	if err != nil {
		return operator.Identity{}, err
	}
	step, matches, err := o.check(ctx, t, req)
	if err != nil {
		return operator.Identity{}, err
	}
	if !matches {
		return operator.Identity{}, o.refuse(ctx, t)
	}
	err = o.people.Update(ctx, func(tx store.Tx) error {
		now := tx.Now()
		if err := tx.Operators().ChangeCredential(t.credential, step); err != nil {
			return err
		}
		if err := tx.Sessions().DeleteSignIn(t.attempt.ID); err != nil {
			return err
		}
		if err := tx.Operators().PutSignIn(t.person.ID, now); err != nil {
			return err
		}
		return tx.Audit().Put(t.entry(now, signedIn))
	})
	if errors.Is(err, store.ErrLostUpdate) {
		// The code was used, or the password changed, in the meantime.
		return operator.Identity{}, o.refuse(ctx, t)
	}
	return t.person.Identity(), err
}

// signInAttempt is a sign-in in progress. It counts as failed until it succeeds, so that concurrent
// attempts cannot exceed the limit.
type signInAttempt struct {
	From
	attempt    operator.Attempt
	slowed     bool          // because of failures of the account or from the address
	places     chan struct{} // slots for checking the password
	known      bool
	person     operator.Person
	credential operator.Credential
}

func (t *signInAttempt) entry(at time.Time, outcome string) audit.Entry {
	// An unknown name is not stored: it may be a password in the wrong field.
	e := audit.Entry{At: at, Actor: t.actor(0, "unknown"), Act: "sign in", Outcome: outcome}
	if t.known {
		e.Actor = t.actor(t.person.ID, t.person.Name)
		e.Subject = audit.Of(audit.Person, t.person.ID)
	}
	return e
}

// begin looks up the account and stores the attempt, unless there were too many. It delays an
// attempt that must be slowed.
func (o *Operators) begin(ctx context.Context, req SignInRequest) (*signInAttempt, error) {
	var begun signInAttempt
	var wait time.Duration
	name, err := o.spelled(ctx, req.Name)
	if err != nil {
		return nil, err
	}
	account := o.account(name)
	err = o.people.Update(ctx, func(tx store.Tx) error {
		t := signInAttempt{From: req.From, places: o.hashing}
		if err := t.find(tx, name); err != nil {
			return err
		}
		place := placeOf(req.Address)
		device, known := o.device(req.Device, t.person.ID)
		if known {
			place, t.places = device, o.ofKnown
		}
		left, slowed, err := waits(tx, account, place)
		if err != nil {
			return err
		}
		t.slowed = slowed && !known
		t.attempt = operator.Attempt{Account: account, Address: place, At: tx.Now()}
		if left == 0 {
			err = tx.Sessions().PutSignIn(&t.attempt)
		}
		begun, wait = t, left
		return err
	})
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		if err := o.countRefusal(ctx, &begun, signInUnread); err != nil {
			return nil, err
		}
		return nil, &TooManyError{wait}
	}
	if begun.slowed {
		select {
		case <-time.After(operator.SlowedBy):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &begun, nil
}

// placeOf returns the key under which the attempts from an address are counted: for IPv6 the /64,
// which belongs to one subscriber.
func placeOf(address string) string {
	ip, err := netip.ParseAddr(address)
	ip = ip.Unmap()
	switch {
	case err != nil:
		return address
	case ip.Is4():
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// account returns the key under which the attempts of an account are stored, whether it exists or
// not.
func (o *Operators) account(name string) string {
	return hex.EncodeToString(o.vault.DigestSecret(accountUse + strings.ToLower(name)))
}

// spelled returns the name of the operator that a typed name means, or the typed name if there is
// none. It reads all operators only if no operator has exactly that name, and never in a
// transaction that writes: concurrent sign-ins would collide there.
func (o *Operators) spelled(ctx context.Context, typed string) (name string, err error) {
	err = o.people.View(ctx, func(r store.Tx) error {
		name = typed
		_, err := r.Operators().FindNamed(typed)
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		people, err := r.Operators().List()
		if person, ok := operator.Named(people, typed); ok {
			name = person.Name
		}
		return err
	})
	return name, err
}

// find loads the person with a name, and the person's credential. An unknown name is no error.
func (t *signInAttempt) find(tx store.Tx, name string) error {
	person, err := tx.Operators().FindNamed(name)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	t.known, t.person = true, person
	t.credential, err = tx.Operators().FindCredential(person.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// waits returns how long an account must wait at an address, and whether attempts are slowed. It
// deletes old attempts.
func waits(tx store.Tx, account, address string) (wait time.Duration, slowed bool, err error) {
	const most = 100
	now := tx.Now()
	since := now.Add(-operator.FailuresWithin)
	if _, err := tx.Sessions().DeleteSignInsBefore(since, most); err != nil {
		return 0, false, err
	}
	ofPair, err := tx.Sessions().ListSignInsOfPair(account, address, since)
	if err != nil {
		return 0, false, err
	}
	ofAccount, ofAddress, err := tx.Sessions().ListSignIns(account, address, since,
		operator.MaxFailures)
	slowed = len(ofAccount) == operator.MaxFailures || len(ofAddress) == operator.MaxFailures
	return operator.RetryAfter(ofPair, now), slowed, err
}

// check compares password and code. An unknown name takes as long as a wrong password.
func (o *Operators) check(
	ctx context.Context, t *signInAttempt, req SignInRequest,
) (step int64, matches bool, err error) {
	matches, err = checkPassword(ctx, t.places, t.credential.Password, req.Password)
	if err != nil || !matches || !t.known || t.person.Standing() != operator.Active {
		return 0, false, err
	}
	if len(t.credential.TOTP) == 0 {
		return t.credential.LastStep, true, nil
	}
	secret, err := o.vault.OpenOperatorSecret(t.credential.TOTP, t.person.ID)
	if err != nil {
		return 0, false, err
	}
	step, matches = checkCode(secret, req.Code, t.credential.LastStep, t.attempt.At)
	return step, matches, nil
}

// refuse records a sign-in that failed. The attempt stays stored, and counts.
func (o *Operators) refuse(ctx context.Context, t *signInAttempt) error {
	if t.slowed {
		if err := o.countRefusal(ctx, t, signInRefused); err != nil {
			return err
		}
		return ErrSignIn
	}
	err := o.people.Update(ctx, func(tx store.Tx) error {
		return tx.Audit().Put(t.entry(tx.Now(), signInRefused))
	})
	if err != nil {
		return err
	}
	return ErrSignIn
}
