package store

import (
	"time"

	"mintmark/internal/domain/operator"
)

// Operators are the people who may sign in to the console.
type Operators interface {
	Find(id int) (operator.Person, error)
	// FindNamed returns the person with exactly this name.
	FindNamed(name string) (operator.Person, error)
	// FindOpenID returns the person whom a provider of OpenID Connect knows by an issuer and a
	// subject.
	FindOpenID(subject string) (operator.Person, error)
	// List returns all, by their numbers.
	List() ([]operator.Person, error)
	// Put inserts a person, whose ID must be 0, under the next number, or replaces the revision
	// that was read. It leaves the last sign-in alone.
	Put(p *operator.Person) error
	// PutSignIn stores when a person has signed in. The revision stays.
	PutSignIn(id int, at time.Time) error

	// A credential is the password of a person and the secret of the one-time codes.

	FindCredential(personID int) (operator.Credential, error)
	// PutCredential inserts or replaces a credential.
	PutCredential(c operator.Credential) error
	// ChangeCredential stores the last step of a credential if it is still as it was read.
	// Otherwise it fails with ErrLostUpdate.
	ChangeCredential(before operator.Credential, step int64) error
	// DeleteCredential removes a credential; one that is gone already is no error.
	DeleteCredential(personID int) error

	// An invitation is a link that can be used once. A person has one at most.

	FindInvitation(digest []byte) (operator.Invitation, error)
	// PutInvitation inserts an invitation, or replaces that of the person.
	PutInvitation(i operator.Invitation) error
	// DeleteInvitation removes that of a person; one that is gone already is no error.
	DeleteInvitation(personID int) error
}

// Tokens are what programs sign in with at the operators' interface.
type Tokens interface {
	Find(id int) (operator.Token, error)
	FindDigest(digest []byte) (operator.Token, error)
	// List returns all, by their numbers.
	List() ([]operator.Token, error)
	// Put inserts a token, whose ID must be 0, under the next number, or replaces the revision that
	// was read. It leaves the last use alone.
	Put(t *operator.Token) error
	// PutUse stores when a token was used. The revision stays.
	PutUse(id int, at time.Time) error
}

// Sessions keep browsers signed in to the console.
type Sessions interface {
	Find(digest []byte) (operator.Session, error)
	// Put inserts or replaces a session, unless it was deleted.
	Put(s operator.Session) error
	// Delete removes a session for good. Deleting it again is not an error.
	Delete(digest []byte) error
	// DeleteBefore removes at most limit sessions that expire before a moment, and returns how
	// many.
	DeleteBefore(moment time.Time, limit int) (int, error)

	// A sign-in is an attempt of some time that has failed, or has not ended yet.

	// ListSignInsOfPair returns those of an account from an address since a moment, oldest first.
	ListSignInsOfPair(account, address string, since time.Time) ([]operator.Attempt, error)
	// ListSignIns returns those of an account from any address, and those from an address, since a
	// moment: at most limit of each, oldest first.
	ListSignIns(account, address string, since time.Time, limit int) (
		ofAccount, ofAddress []operator.Attempt, err error)
	// PutSignIn inserts an attempt, whose ID must be 0, under the next number.
	PutSignIn(a *operator.Attempt) error
	// DeleteSignIn removes an attempt; one that is gone already is no error.
	DeleteSignIn(id int) error
	// DeleteSignInsBefore removes at most limit attempts that were made before a moment, and
	// returns how many.
	DeleteSignInsBefore(moment time.Time, limit int) (int, error)
}
