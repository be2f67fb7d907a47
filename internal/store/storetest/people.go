package storetest

import (
	"context"
	"testing"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

var people = []test{
	{"Operators", operatorsRoundTrip},
	{"Names", peopleNames},
	{"Revisions", peopleRevisions},
	{"Credentials", credentialsRoundTrip},
	{"Invitations", invitationsRoundTrip},
	{"Tokens", tokensRoundTrip},
	{"Sessions", sessionsRoundTrip},
	{"SignIns", signInsRoundTrip},
}

func keptHuman(t *testing.T, s store.Store, name string) operator.Person {
	t.Helper()
	var stored operator.Person
	update(t, s, func(tx store.Tx) error {
		stored = human(name)
		return tx.Operators().Put(&stored)
	})
	return stored
}

func operatorsRoundTrip(t *testing.T, s store.Store) {
	ada := keptHuman(t, s, "ada")
	plain := operator.Person{
		Name: "bob ö", Roles: operator.Roles{operator.Administrator},
		Scope: operator.Scope{All: true}, State: operator.Invited, Created: made,
	}
	update(t, s, func(tx store.Tx) error { return tx.Operators().Put(&plain) })
	if ada.ID == 0 || plain.ID <= ada.ID || ada.Revision != 1 {
		t.Errorf("got numbers %d and %d, revision %d", ada.ID, plain.ID, ada.Revision)
	}
	want := func(stored ...operator.Person) {
		t.Helper()
		everyWay(t, s, func(r store.Tx) error {
			all, err := r.Operators().List()
			wantSame(t, all, stored)
			for _, one := range stored {
				byID, errID := r.Operators().Find(one.ID)
				byName, errName := r.Operators().FindNamed(one.Name)
				wantSame(t, []operator.Person{byID, byName}, []operator.Person{one, one})
				err = firstOf([]error{err, errID, errName})
			}
			return err
		})
	}
	want(ada, plain)
	wantSame(t, find(t, s, func(r store.Tx) (operator.Person, error) {
		return r.Operators().FindOpenID(ada.OpenID)
	}), ada)
	ada.State, ada.OpenID, ada.Scope = operator.Ended, "", operator.Scope{All: true}
	ada.LastSignIn = made.Add(time.Hour)
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{
			tx.Operators().PutSignIn(ada.ID, ada.LastSignIn), tx.Operators().Put(&ada),
		})
	})
	want(ada, plain)
	view(t, s, func(r store.Tx) error {
		_, err := r.Operators().Find(plain.ID + 1)
		wantError(t, "no number", err, store.ErrNotFound)
		_, err = r.Operators().FindNamed("Ada")
		wantError(t, "no name", err, store.ErrNotFound)
		_, err = r.Operators().FindOpenID("")
		wantError(t, "no provider", err, store.ErrNotFound)
		return nil
	})
}

// peopleNames holds that a name, and a person at a provider, stands once.
func peopleNames(t *testing.T, s store.Store) {
	keptHuman(t, s, "ada")
	for what, change := range map[string]func(*operator.Person){
		"the name":     func(p *operator.Person) { p.OpenID = "another" },
		"the provider": func(p *operator.Person) { p.Name = "another" },
	} {
		err := s.Update(context.Background(), func(tx store.Tx) error {
			again := human("ada")
			change(&again)
			return tx.Operators().Put(&again)
		})
		wantError(t, what, err, store.ErrExists)
	}
	for what, change := range map[string]func(*operator.Token){
		"the name of a token": func(one *operator.Token) { one.Digest = []byte("x") },
		"the digest":          func(one *operator.Token) { one.Name = "another" },
	} {
		err := s.Update(context.Background(), func(tx store.Tx) error {
			first, again := operatorToken("ci"), operatorToken("ci")
			change(&again)
			return firstOf([]error{tx.Tokens().Put(&first), tx.Tokens().Put(&again)})
		})
		wantError(t, what, err, store.ErrExists)
	}
}

// peopleRevisions changes a person and a token at revisions that they do not have.
func peopleRevisions(t *testing.T, s store.Store) {
	ada, token := keptHuman(t, s, "ada"), operatorToken("ci")
	update(t, s, func(tx store.Tx) error { return tx.Tokens().Put(&token) })
	for _, revision := range []int{2, 7} {
		err := s.Update(context.Background(), func(tx store.Tx) error {
			stale := ada
			stale.Revision = revision
			return tx.Operators().Put(&stale)
		})
		wantError(t, "a person", err, store.ErrLostUpdate)
		err = s.Update(context.Background(), func(tx store.Tx) error {
			stale := token
			stale.Revision = revision
			return tx.Tokens().Put(&stale)
		})
		wantError(t, "a token", err, store.ErrLostUpdate)
	}
}

func credentialsRoundTrip(t *testing.T, s store.Store) {
	ada, bob := keptHuman(t, s, "ada"), keptHuman(t, s, "bob")
	find := func(id int) (found operator.Credential, err error) {
		view(t, s, func(r store.Tx) error {
			found, err = r.Credentials().Find(id)
			return nil
		})
		return found, err
	}
	put := operator.Credential{
		PersonID: ada.ID, Password: "$argon2id$x", TOTP: []byte{0, 255}, LastStep: 1 << 40,
	}
	plain := operator.Credential{PersonID: bob.ID, Password: "$argon2id$y"}
	for _, one := range []operator.Credential{put, plain} {
		update(t, s, func(tx store.Tx) error { return tx.Credentials().Put(one) })
		found, err := find(one.PersonID)
		wantError(t, "a credential", err, nil)
		wantSame(t, found, one)
	}
	change := func(before operator.Credential, step int64) error {
		return s.Update(context.Background(), func(tx store.Tx) error {
			return tx.Credentials().Change(before, step)
		})
	}
	wantError(t, "a code", change(put, 1<<40+1), nil)
	wantError(t, "the code again", change(put, 1<<40+1), store.ErrLostUpdate)
	changed := put
	changed.LastStep, changed.Password = 1<<40+1, "another"
	wantError(t, "another password", change(changed, 1<<40+2), store.ErrLostUpdate)
	put.TOTP, put.Password = nil, "$argon2id$z"
	update(t, s, func(tx store.Tx) error { return tx.Credentials().Put(put) })
	found, err := find(ada.ID)
	wantError(t, "replaced", err, nil)
	wantSame(t, found, put)
	for range 2 {
		update(t, s, func(tx store.Tx) error { return tx.Credentials().Delete(ada.ID) })
	}
	_, err = find(ada.ID)
	wantError(t, "deleted", err, store.ErrNotFound)
}

func invitationsRoundTrip(t *testing.T, s store.Store) {
	ada := keptHuman(t, s, "ada")
	first := operator.Invitation{
		Digest: []byte("first"), PersonID: ada.ID, TOTP: []byte{1, 0}, Expires: made,
	}
	second := first
	second.Digest, second.Expires = []byte("second"), made.Add(time.Hour)
	for _, one := range []operator.Invitation{first, second} {
		update(t, s, func(tx store.Tx) error { return tx.Invitations().Put(one) })
		wantSame(t, find(t, s, func(r store.Tx) (operator.Invitation, error) {
			return r.Invitations().Find(one.Digest)
		}), one)
	}
	gone := func(digest []byte) {
		t.Helper()
		view(t, s, func(r store.Tx) error {
			_, err := r.Invitations().Find(digest)
			wantError(t, string(digest), err, store.ErrNotFound)
			return nil
		})
	}
	gone(first.Digest)
	for range 2 {
		update(t, s, func(tx store.Tx) error { return tx.Invitations().Delete(ada.ID) })
	}
	gone(second.Digest)
}

func tokensRoundTrip(t *testing.T, s store.Store) {
	full := operatorToken("ci")
	plain := operator.Token{
		Name: "plain", Digest: []byte{0}, Roles: operator.Roles{operator.Auditor},
		Scope: operator.Scope{Banks: []int{2}}, Created: made,
	}
	update(t, s, func(tx store.Tx) error {
		full.ID, plain.ID, full.Revision, plain.Revision = 0, 0, 0, 0
		return firstOf([]error{tx.Tokens().Put(&full), tx.Tokens().Put(&plain)})
	})
	want := func(stored ...operator.Token) {
		t.Helper()
		everyWay(t, s, func(r store.Tx) error {
			all, err := r.Tokens().List()
			wantSame(t, all, stored)
			for _, one := range stored {
				byID, errID := r.Tokens().Find(one.ID)
				byDigest, errDigest := r.Tokens().FindDigest(one.Digest)
				wantSame(t, []operator.Token{byID, byDigest}, []operator.Token{one, one})
				err = firstOf([]error{err, errID, errDigest})
			}
			return err
		})
	}
	want(full, plain)
	full.LastUsed, full.Revoked = made.Add(time.Hour), time.Time{}
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{
			tx.Tokens().PutUse(full.ID, full.LastUsed), tx.Tokens().Put(&full),
		})
	})
	want(full, plain)
	view(t, s, func(r store.Tx) error {
		_, err := r.Tokens().Find(plain.ID + 1)
		wantError(t, "no token", err, store.ErrNotFound)
		_, err = r.Tokens().FindDigest([]byte("none"))
		wantError(t, "no digest", err, store.ErrNotFound)
		return nil
	})
}

func sessionsRoundTrip(t *testing.T, s store.Store) {
	session := func(name string, after time.Duration) operator.Session {
		return operator.Session{
			Digest: []byte(name), Data: []byte{0, 1, 255}, Expires: made.Add(after),
		}
	}
	there := func(name string) bool {
		found := true
		view(t, s, func(r store.Tx) error {
			_, err := r.Sessions().Find([]byte(name))
			found = err == nil
			if !found {
				wantError(t, name, err, store.ErrNotFound)
			}
			return nil
		})
		return found
	}
	one := session("one", 0)
	for _, put := range []operator.Session{one, session("one", time.Hour)} {
		update(t, s, func(tx store.Tx) error { return tx.Sessions().Put(put) })
		wantSame(t, find(t, s, func(r store.Tx) (operator.Session, error) {
			return r.Sessions().Find(put.Digest)
		}), put)
	}
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{
			tx.Sessions().Put(session("old", 0)), tx.Sessions().Put(session("older", -1e9)),
			tx.Sessions().Put(session("gone", time.Hour)), tx.Sessions().Delete([]byte("gone")),
			tx.Sessions().Delete([]byte("gone")),
		})
	})
	for _, want := range []int{1, 1, 0} {
		update(t, s, func(tx store.Tx) error {
			deleted, err := tx.Sessions().DeleteBefore(made.Add(time.Millisecond), 1)
			if deleted != want {
				t.Errorf("%d sessions are deleted, want %d", deleted, want)
			}
			return err
		})
	}
	if !there("one") || there("old") || there("older") || there("gone") {
		t.Error("another session was deleted")
	}
}

func signInsRoundTrip(t *testing.T, s store.Store) {
	attempt := func(account, address string, after time.Duration) operator.Attempt {
		return operator.Attempt{Account: account, Address: address, At: made.Add(after)}
	}
	kept := []operator.Attempt{
		attempt("ada", "192.0.2.1", time.Second), attempt("ada", "", 0),
		attempt("bob", "192.0.2.1", 2*time.Second),
	}
	update(t, s, func(tx store.Tx) error {
		var errs []error
		for i := range kept {
			kept[i].ID = 0
			errs = append(errs, tx.SignIns().Put(&kept[i]))
		}
		return firstOf(errs)
	})
	want := func(account, address []operator.Attempt, since time.Duration) {
		t.Helper()
		view(t, s, func(r store.Tx) error {
			ofAccount, ofAddress, err := r.SignIns().ListEither("ada", "192.0.2.1",
				made.Add(since), 2)
			wantSame(t, ofAccount, account)
			wantSame(t, ofAddress, address)
			pair, errPair := r.SignIns().ListPair("ada", "192.0.2.1", made.Add(since))
			wantSame(t, pair, kept[:1])
			few, _, errFew := r.SignIns().ListEither("ada", "192.0.2.1", made.Add(since), 1)
			wantSame(t, few, account[:1])
			return firstOf([]error{err, errPair, errFew})
		})
	}
	ofAddress := []operator.Attempt{kept[0], kept[2]}
	want([]operator.Attempt{kept[1], kept[0]}, ofAddress, 0)
	want([]operator.Attempt{kept[0]}, ofAddress, time.Millisecond)
	update(t, s, func(tx store.Tx) error {
		deleted, err := tx.SignIns().DeleteBefore(made.Add(time.Second), 9)
		if deleted != 1 {
			t.Errorf("%d attempts are deleted", deleted)
		}
		return firstOf([]error{err, tx.SignIns().Delete(kept[2].ID), tx.SignIns().Delete(99)})
	})
	want([]operator.Attempt{kept[0]}, []operator.Attempt{kept[0]}, 0)
}
