package storetest

import (
	"errors"
	"testing"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

var people = []test{
	{"Operators", operatorLookups},
	{"Credentials", credentialSteps},
	{"Invitations", invitationReplaced},
	{"Tokens", tokenLookups},
	{"Sessions", sessionsDeleted},
	{"SignIns", signIns},
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

// operatorLookups finds an operator by ID, name and OpenID Connect identity. A sign-in does not
// change the revision.
func operatorLookups(t *testing.T, s store.Store) {
	ada, bob := keptHuman(t, s, "ada"), human("bob ö")
	bob.OpenID = ""
	ada.LastSignIn = created.Add(time.Hour)
	update(t, s,
		func(tx store.Tx) error { return tx.Operators().Put(&bob) },
		func(tx store.Tx) error { return tx.Operators().PutSignIn(ada.ID, ada.LastSignIn) },
		func(tx store.Tx) error { return tx.Operators().Put(&ada) },
	)
	everyWay(t, s, func(r store.Tx) error {
		byProvider, err := r.Operators().FindOpenID(ada.OpenID)
		other, err2 := r.Operators().Find(bob.ID)
		byName, err3 := r.Operators().FindNamed("bob ö")
		wantSame(t, []operator.Person{byProvider, other, byName}, []operator.Person{ada, bob, bob})
		_, err4 := r.Operators().FindNamed("Ada")
		wantError(t, "another spelling", err4, store.ErrNotFound)
		_, err4 = r.Operators().FindOpenID("")
		wantError(t, "no provider", err4, store.ErrNotFound)
		return errors.Join(err, err2, err3)
	})
}

// credentialSteps accepts each one-time code of a credential once, and none after the password has
// changed.
func credentialSteps(t *testing.T, s store.Store) {
	ada := keptHuman(t, s, "ada")
	put := operator.Credential{
		PersonID: ada.ID, Password: "$argon2id$x", TOTP: []byte{0, 255}, LastStep: 1 << 40,
	}
	step := func(before operator.Credential, to int64) func(store.Tx) error {
		return func(tx store.Tx) error { return tx.Operators().ChangeCredential(before, to) }
	}
	update(t, s, func(tx store.Tx) error { return tx.Operators().PutCredential(put) })
	wantUpdate(t, s, "a code", nil, step(put, 1<<40+1))
	wantUpdate(t, s, "the code again", store.ErrLostUpdate, step(put, 1<<40+1))
	put.LastStep++
	changed := put
	changed.Password = "another"
	wantUpdate(t, s, "another password", store.ErrLostUpdate, step(changed, 1<<40+2))
	find := func(r store.Tx) (operator.Credential,
		error) {
		return r.Operators().FindCredential(ada.ID)
	}
	wantFind(t, s, put, find)
	for range 2 {
		update(t, s, func(tx store.Tx) error { return tx.Operators().DeleteCredential(ada.ID) })
	}
	wantNone(t, s, "deleted", find)
}

// invitationReplaced checks that a person has at most one invitation.
func invitationReplaced(t *testing.T, s store.Store) {
	ada := keptHuman(t, s, "ada")
	for _, digest := range []string{"first", "second"} {
		update(t, s, func(tx store.Tx) error {
			return tx.Operators().PutInvitation(operator.Invitation{
				Digest: []byte(digest), PersonID: ada.ID, TOTP: []byte{1}, Expires: created,
			})
		})
	}
	find := func(digest string) func(store.Tx) (operator.Invitation, error) {
		return func(r store.Tx) (operator.Invitation, error) {
			return r.Operators().FindInvitation([]byte(digest))
		}
	}
	wantNone(t, s, "replaced", find("first"))
	update(t, s, func(tx store.Tx) error {
		_, err := find("second")(tx)
		return err
	})
	for range 2 {
		update(t, s, func(tx store.Tx) error { return tx.Operators().DeleteInvitation(ada.ID) })
	}
	wantNone(t, s, "deleted", find("second"))
}

// tokenLookups finds a token by its digest. A use does not change the token.
func tokenLookups(t *testing.T, s store.Store) {
	token := operatorToken("ci")
	update(t, s, func(tx store.Tx) error { return tx.Tokens().Put(&token) })
	token.LastUsed = created.Add(time.Hour)
	update(t, s,
		func(tx store.Tx) error { return tx.Tokens().PutUse(token.ID, token.LastUsed) },
		func(tx store.Tx) error { return tx.Tokens().Put(&token) },
	)
	everyWay(t, s, func(r store.Tx) error {
		match, err := r.Tokens().FindDigest(token.Digest)
		wantSame(t, match, token)
		_, none := r.Tokens().FindDigest([]byte("none"))
		wantError(t, "another digest", none, store.ErrNotFound)
		return err
	})
}

func sessionsDeleted(t *testing.T, s store.Store) {
	session := func(name string, after time.Duration) operator.Session {
		return operator.Session{Digest: []byte(name), Data: []byte{1}, Expires: created.Add(after)}
	}
	update(t, s, each([]operator.Session{
		session("old", 0), session("older", -time.Second), session("new", time.Hour),
		session("gone", time.Hour),
	}, func(tx store.Tx, put operator.Session) error { return tx.Sessions().Put(put) }))
	for range 2 {
		update(t, s, func(tx store.Tx) error { return tx.Sessions().Delete([]byte("gone")) },
			func(tx store.Tx) error { return tx.Sessions().Put(session("gone", time.Hour)) })
	}
	wantCounts(t, s, []int{1, 1, 0}, func(tx store.Tx) (int, error) {
		return tx.Sessions().DeleteBefore(created.Add(time.Millisecond), 1)
	})
	view(t, s, func(r store.Tx) error {
		for _, name := range []string{"old", "older", "gone"} {
			_, err := r.Sessions().Find([]byte(name))
			wantError(t, name, err, store.ErrNotFound)
		}
		_, err := r.Sessions().Find([]byte("new"))
		return err
	})
}

func signIns(t *testing.T, s store.Store) {
	attempt := func(account, address string, after time.Duration) operator.Attempt {
		return operator.Attempt{Account: account, Address: address, At: created.Add(after)}
	}
	kept := []operator.Attempt{
		attempt("ada", "192.0.2.1", time.Second), attempt("ada", "", 0),
		attempt("bob", "192.0.2.1", 2*time.Second),
	}
	update(t, s, func(tx store.Tx) error {
		for i := range kept {
			kept[i].ID = 0
			if err := tx.Sessions().PutSignIn(&kept[i]); err != nil {
				return err
			}
		}
		return nil
	})
	want := func(account, address []operator.Attempt, since time.Duration) {
		t.Helper()
		view(t, s, func(r store.Tx) error {
			ofAccount, ofAddress, err := r.Sessions().ListSignIns("ada", "192.0.2.1",
				created.Add(since), 2)
			wantSame(t, ofAccount, account)
			wantSame(t, ofAddress, address)
			pair, errPair := r.Sessions().ListSignInsOfPair("ada", "192.0.2.1", created.Add(since))
			wantSame(t, pair, kept[:1])
			few, _, errFew := r.Sessions().ListSignIns("ada", "192.0.2.1", created.Add(since), 1)
			wantSame(t, few, account[:1])
			return errors.Join(err, errPair, errFew)
		})
	}
	ofAddress := []operator.Attempt{kept[0], kept[2]}
	want([]operator.Attempt{kept[1], kept[0]}, ofAddress, 0)
	want([]operator.Attempt{kept[0]}, ofAddress, time.Millisecond)
	wantCounts(t, s, []int{1}, func(tx store.Tx) (int, error) {
		return tx.Sessions().DeleteSignInsBefore(created.Add(time.Second), 9)
	})
	update(t, s,
		func(tx store.Tx) error { return tx.Sessions().DeleteSignIn(kept[2].ID) },
		func(tx store.Tx) error { return tx.Sessions().DeleteSignIn(99) },
	)
	want([]operator.Attempt{kept[0]}, []operator.Attempt{kept[0]}, 0)
}
