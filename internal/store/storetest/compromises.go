package storetest

import (
	"testing"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/store"
)

var compromises = []test{
	{"Lists", compromiseLists},
	{"Cards", compromisedCards},
}

// aCompromise returns a running list.
func aCompromise(digest string) compromise.List {
	return compromise.List{
		ProgramID: programID, Name: "Žižek", Act: compromise.Replace, PerDay: 7, Digest: digest,
		Made:    created,
		Actor:   audit.Actor{Kind: audit.ByToken, ID: 3, Name: "nightly", Reason: "a call"},
		Numbers: 9, Cards: 5, Statuses: map[string]int{"Verified": 5}, State: compromise.Running,
		Changed: created,
	}
}

func putCompromise(t *testing.T, s store.Store, l compromise.List) compromise.List {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		put := l
		if err := tx.Compromises().Put(&put); err != nil {
			return err
		}
		l.ID, l.Revision = put.ID, put.Revision
		return nil
	})
	return l
}

func compromiseLists(t *testing.T, s store.Store) {
	background(t, s)
	first := putCompromise(t, s, aCompromise("a"))
	other := aCompromise("a")
	other.ProgramID = otherProgram
	other = putCompromise(t, s, other)
	locked := aCompromise("a")
	locked.Act, locked.PerDay = compromise.Lock, 0
	locked = putCompromise(t, s, locked)
	err := s.Update(t.Context(), func(tx store.Tx) error {
		again := aCompromise("a")
		return tx.Compromises().Put(&again)
	})
	wantError(t, "the same list", err, store.ErrExists)

	stale := first
	first.State, first.Outcomes, first.Day, first.OfDay = compromise.Paused,
		map[compromise.Outcome]int{compromise.Handled: 2}, "2026-03-14", 2
	first.Actor.Name, first.Changed = "ada", created.Add(1e9)
	first = putCompromise(t, s, first)
	err = s.Update(t.Context(), func(tx store.Tx) error { return tx.Compromises().Put(&stale) })
	wantError(t, "another revision", err, store.ErrLostUpdate)

	wantFind(t, s, first, func(r store.Tx) (compromise.List, error) {
		return r.Compromises().Find(first.ID)
	})
	wantFind(t, s, locked, func(r store.Tx) (compromise.List, error) {
		return r.Compromises().FindSame(programID, compromise.Lock, "a")
	})
	ended := aCompromise("b")
	ended.State = compromise.Done
	ended = putCompromise(t, s, ended)
	wantFind(t, s, []compromise.List{first, other, locked},
		func(r store.Tx) ([]compromise.List, error) { return r.Compromises().ListOpen() })
	wantFind(t, s, []int{other.ID, locked.ID}, func(r store.Tx) ([]int, error) {
		return r.Compromises().ListRunning()
	})
	for _, row := range []struct {
		of   store.CompromiseQuery
		want []compromise.List
	}{
		{store.CompromiseQuery{Limit: 2}, []compromise.List{ended, locked}},
		{store.CompromiseQuery{Limit: 2, Before: other.ID}, []compromise.List{first}},
		{store.CompromiseQuery{Limit: 9, Programs: []int{programID}},
			[]compromise.List{ended, locked, first}},
		{store.CompromiseQuery{Limit: 9, Programs: []int{}}, nil},
	} {
		wantFind(t, s, row.want, func(r store.Tx) ([]compromise.List, error) {
			return r.Compromises().List(row.of)
		})
	}
}

func compromisedCards(t *testing.T, s store.Store) {
	background(t, s)
	l := putCompromise(t, s, aCompromise("a"))
	for _, want := range [][]compromise.Card{
		{{ID: 7}, {ID: 5}},
		{{ID: 7, Outcome: compromise.Handled, Replacement: 8},
			{ID: 5, Outcome: compromise.Refused, Why: "Žižek"}},
	} {
		update(t, s, func(tx store.Tx) error { return tx.Compromises().PutCards(l.ID, 50, want) })
		wantFind(t, s, want, func(r store.Tx) ([]compromise.Card, error) {
			return r.Compromises().ListCards(l.ID, 50)
		})
	}
	view(t, s, func(r store.Tx) error {
		_, err := r.Compromises().ListCards(l.ID, 0)
		wantError(t, "a batch that is not there", err, store.ErrNotFound)
		return nil
	})
	stale := l
	stale.Revision++
	err := s.Update(t.Context(), func(tx store.Tx) error { return tx.Compromises().Delete(stale) })
	wantError(t, "another revision", err, store.ErrLostUpdate)
	update(t, s, func(tx store.Tx) error { return tx.Compromises().Delete(l) })
	view(t, s, func(r store.Tx) error {
		_, err := r.Compromises().Find(l.ID)
		wantError(t, "a deleted list", err, store.ErrNotFound)
		_, err = r.Compromises().ListCards(l.ID, 50)
		wantError(t, "a batch of a deleted list", err, store.ErrNotFound)
		return nil
	})
	if again := putCompromise(t, s, aCompromise("a")); again.ID <= l.ID {
		t.Errorf("number %d was reused: got %d", l.ID, again.ID)
	}
}
