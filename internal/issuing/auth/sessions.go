package auth

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// SessionStore stores the sessions of the console for package scs, under a keyed digest of the text
// in the cookie, until they expire. The console defines the content of a session.
type SessionStore struct{ operators *Operators }

// Sessions returns the store of the console's sessions for package scs.
func (o *Operators) Sessions() SessionStore { return SessionStore{o} }

func (s SessionStore) digest(token string) []byte {
	return s.operators.vault.DigestSecret(sessionUse + token)
}

// FindCtx returns the data of a session. It returns false if there is none.
func (s SessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	digest := s.digest(token)
	var session operator.Session
	open := false
	err := s.operators.people.View(ctx, func(r store.Tx) error {
		row, err := r.Sessions().Find(digest)
		session, open = row, err == nil && s.operators.sessionTime(r.Now()).Before(row.Expires)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return session.Data, open && err == nil, err
}

// CommitCtx stores a session, and deletes some that have expired. It ignores the expiry that scs
// passes: a session ends by the time that operators see.
func (s SessionStore) CommitCtx(
	ctx context.Context, token string, data []byte, _ time.Time,
) error {
	const most = 100
	digest := s.digest(token)
	return s.operators.people.Update(ctx, func(tx store.Tx) error {
		now := s.operators.sessionTime(tx.Now())
		if _, err := tx.Sessions().DeleteBefore(now, most); err != nil {
			return err
		}
		return tx.Sessions().Put(operator.Session{
			Digest: digest, Data: data, Expires: now.Add(operator.SessionLifetime),
		})
	})
}

// DeleteCtx deletes a session.
func (s SessionStore) DeleteCtx(ctx context.Context, token string) error {
	digest := s.digest(token)
	return s.operators.people.Update(ctx, func(tx store.Tx) error {
		return tx.Sessions().Delete(digest)
	})
}

// Find is FindCtx without a context. Package scs prefers FindCtx.
func (s SessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s SessionStore) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}

// Delete is DeleteCtx without a context.
func (s SessionStore) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}
