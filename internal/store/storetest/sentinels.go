package storetest

import (
	"context"
	"errors"
	"testing"

	"mintmark/internal/audit"
	"mintmark/internal/card"
	"mintmark/internal/store"
)

var sentinels = []test{
	{"NotFound", sentinelNotFound},
	{"OtherProgram", sentinelOtherProgram},
	{"EmptyLists", sentinelEmptyLists},
	{"Exists", sentinelExists},
	{"LostUpdate", sentinelLostUpdate},
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got the error %v, want %v", what, got, want)
	}
}

// lookups are every Find for one thing, in the given program and bank.
func lookups(r store.Tx, ofProgram, ofBank, id int) map[string]error {
	found := make(map[string]error)
	_, found["FindCustomer"] = r.Customers().Find(ofProgram, id)
	_, found["FindAccount"] = r.Accounts().Find(ofProgram, id)
	_, found["FindCard"] = r.Cards().Find(ofProgram, id)
	_, _, found["FindAccountFor"] = r.Accounts().FindFor(ofProgram, id, creatorID)
	_, found["FindNumber"] = r.PANs().Find(ofProgram, id)
	_, found["FindDocument"] = r.Documents().Find(ofBank, id)
	return found
}

// sentinelNotFound looks for numbers that nothing has.
func sentinelNotFound(t *testing.T, s store.Store) {
	background(t, s)
	view(t, s, func(r store.Tx) error {
		for name, err := range lookups(r, programID, bankID, 404) {
			wantError(t, name, err, store.ErrNotFound)
		}
		_, err := r.Programs().Find(404)
		wantError(t, "FindProgram", err, store.ErrNotFound)
		_, err = r.Idempotency().Find(store.IdempotencyScope{APIKey: keyName})
		wantError(t, "FindReplay", err, store.ErrNotFound)
		return nil
	})
	err := s.Update(context.Background(), func(tx store.Tx) error {
		return tx.Orders().Put(store.ProcessorOrder{ID: 404, CardID: 1, Kind: store.OrderCard, Created: made})
	})
	wantError(t, "PutOrder", err, store.ErrNotFound)
}

// sentinelOtherProgram looks for what is there from where it must not be seen.
func sentinelOtherProgram(t *testing.T, s store.Store) {
	background(t, s)
	c := tagged("tag")
	c.ID = creatorID // the same number as the customer, so that one lookup fits all
	c = kept(t, s, c)
	a := account(creatorID, "Savings")
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{
			tx.Accounts().Put(a),
			tx.PANs().Put(store.SealedPAN{CardID: c.ID, BinID: binID}),
			tx.Documents().Put(document(creatorID, "en-US")),
		})
	})
	view(t, s, func(r store.Tx) error {
		for name, err := range lookups(r, programID, bankID, creatorID) {
			wantError(t, name, err, nil)
		}
		for name, err := range lookups(r, otherProgram, bankID+1, creatorID) {
			wantError(t, name, err, store.ErrNotFound)
		}
		cards, err := r.ListCards(otherProgram, creatorID)
		if len(cards) > 0 {
			t.Errorf("found %d cards of another program", len(cards))
		}
		return err
	})
}

// sentinelEmptyLists checks that having nothing to list is no error.
func sentinelEmptyLists(t *testing.T, s store.Store) {
	view(t, s, func(r store.Tx) error {
		found := make(map[string]int)
		var errs []error
		note := func(name string, count int, err error) {
			found[name] = count
			errs = append(errs, err)
		}
		cards, err := r.ListCards(programID, creatorID)
		note("ListCards", len(cards), err)
		cards, err = r.Cards().ListUnverified(programID, made, 9)
		note("ListUnverified", len(cards), err)
		accounts, err := r.Accounts().FindMany(slotsOf())
		note("ListCardAccounts", len(accounts), err)
		documents, err := r.Documents().List(bankID, "en-US")
		note("ListDocuments", len(documents), err)
		banks, err := r.ListBanks()
		note("ListBanks", len(banks), err)
		programs, err := r.Programs().List()
		note("ListPrograms", len(programs), err)
		keys, err := r.Keys().List()
		note("ListKeys", len(keys), err)
		orders, err := r.Orders().ListWaiting(9)
		note("ListOrders", len(orders), err)
		rows, err := r.Audit().List(programID, 1, 9)
		note("ListAudit", len(rows), err)
		for name, count := range found {
			if count > 0 {
				t.Errorf("%s found %d in an empty store", name, count)
			}
		}
		return errors.Join(errs...)
	})
}

// sentinelExists claims everything that has to be unique a second time.
func sentinelExists(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, tagged("taken"))
	number := store.SealedPAN{CardID: c.ID, BinID: binID, Digest: []byte{1}}
	replay := store.IdempotencyRecord{IdempotencyScope: store.IdempotencyScope{APIKey: keyName}, At: made}
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{tx.PANs().Put(number), tx.Idempotency().Put(replay)})
	})
	second := kept(t, s, plain("second"))

	sameTag := plain("another name")
	sameTag.Tag = "taken"
	sameNick := plain(c.NickName)
	sameID := plain("number by hand")
	sameID.ID = c.ID
	takeTag := second
	takeTag.Tag = "taken"
	for name, doubled := range map[string]card.Card{
		"tag": sameTag, "nickname": sameNick, "card number": sameID, "tag by a change": takeTag,
	} {
		err := s.Update(context.Background(), func(tx store.Tx) error {
			c := doubled
			err := tx.Cards().Put(&c)
			wantSame(t, c, doubled) // a card that was not stored is left alone
			return err
		})
		wantError(t, name, err, store.ErrExists)
	}
	for name, write := range map[string]func(tx store.Tx) error{
		"digest": func(tx store.Tx) error {
			return tx.PANs().Put(store.SealedPAN{CardID: second.ID, BinID: binID, Digest: []byte{1}})
		},
		"second number": func(tx store.Tx) error {
			return tx.PANs().Put(store.SealedPAN{CardID: c.ID, BinID: binID, Digest: []byte{2}})
		},
		"replay": func(tx store.Tx) error { return tx.Idempotency().Put(replay) },
	} {
		wantError(t, name, s.Update(context.Background(), write), store.ErrExists)
	}
	wantSame(t, findCard(t, s, second.ID), second)
}

// sentinelLostUpdate changes a card that was changed since it was read, and one that never was.
// What the same transaction writes behind the lost update is lost as well.
func sentinelLostUpdate(t *testing.T, s store.Store) {
	background(t, s)
	read := kept(t, s, plain("lost"))
	newer := read
	newer.LastFour = "2222"
	newer = kept(t, s, newer)

	read.LastFour = "3333"
	unknown := plain("unknown")
	unknown.ID, unknown.Revision = 404, 1
	for _, c := range []card.Card{read, unknown} {
		err := s.Update(context.Background(), func(tx store.Tx) error {
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
			return tx.Audit().Put(audit.Entry{
				At: made, ProgramID: programID, Subject: audit.Of(audit.Card, c.ID),
			})
		})
		wantError(t, c.NickName, err, store.ErrLostUpdate)
		trail := find(t, s, func(r store.Tx) ([]audit.Entry, error) {
			return r.Audit().List(programID, c.ID, 1)
		})
		if len(trail) != 0 {
			t.Errorf("%s: what was written behind the lost update is kept: %v", c.NickName, trail)
		}
	}
	wantSame(t, findCard(t, s, read.ID), newer)
}
