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
	// FindOpenID returns the person with an OpenID Connect identity: issuer and subject.
	FindOpenID(subject string) (operator.Person, error)
	// List returns all operators by ID.
	List() ([]operator.Person, error)
	// Put inserts a person, whose ID must be 0, under the next number, or replaces the revision
	// that was read. It does not change the last sign-in.
	Put(p *operator.Person) error
	// PutSignIn stores the time of a person's last sign-in. It does not change the revision.
	PutSignIn(id int, at time.Time) error

	// A credential is a person's password and one-time-code secret.

	FindCredential(personID int) (operator.Credential, error)
	// PutCredential inserts or replaces a credential.
	PutCredential(c operator.Credential) error
	// ChangeCredential stores the last one-time-code step if the credential is unchanged since it
	// was read. Otherwise it fails with ErrLostUpdate.
	ChangeCredential(before operator.Credential, step int64) error
	// DeleteCredential removes a credential. It is no error if there is none.
	DeleteCredential(personID int) error

	// An invitation is a link that works once. A person has at most one.

	FindInvitation(digest []byte) (operator.Invitation, error)
	// PutInvitation inserts the person's invitation, or replaces it.
	PutInvitation(i operator.Invitation) error
	// DeleteInvitation removes the person's invitation. It is no error if there is none.
	DeleteInvitation(personID int) error
}

// Tokens authenticate programs at the operators' interface.
type Tokens interface {
	Find(id int) (operator.Token, error)
	FindDigest(digest []byte) (operator.Token, error)
	// List returns all tokens by ID.
	List() ([]operator.Token, error)
	// Put inserts a token, whose ID must be 0, under the next number, or replaces the revision that
	// was read. It does not change the last use.
	Put(t *operator.Token) error
	// PutUse stores the time of a token's last use. It does not change the revision.
	PutUse(id int, at time.Time) error
}

// Sessions keep browsers signed in to the console.
type Sessions interface {
	Find(digest []byte) (operator.Session, error)
	// Put inserts or replaces a session, unless it was deleted.
	Put(s operator.Session) error
	// Delete removes a session permanently. It is no error to delete it again.
	Delete(digest []byte) error
	// DeleteBefore removes at most limit sessions that expire before a time, and returns how many.
	DeleteBefore(moment time.Time, limit int) (int, error)

	// A sign-in is a recent sign-in attempt that has failed or not ended yet.

	// ListSignInsOfPair returns the attempts on an account from an address since a time, oldest
	// first.
	ListSignInsOfPair(account, address string, since time.Time) ([]operator.Attempt, error)
	// ListSignIns returns the attempts on an account from any address, and the attempts from an
	// address on any account, since a time: at most limit of each, oldest first.
	ListSignIns(account, address string, since time.Time, limit int) (
		ofAccount, ofAddress []operator.Attempt, err error)
	// PutSignIn inserts an attempt, whose ID must be 0, under the next number.
	PutSignIn(a *operator.Attempt) error
	// DeleteSignIn removes an attempt. It is no error if it is gone.
	DeleteSignIn(id int) error
	// DeleteSignInsBefore removes at most limit attempts made before a time, and returns how many.
	DeleteSignInsBefore(moment time.Time, limit int) (int, error)
}
