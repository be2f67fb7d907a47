package sqlstore

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"mintmark/internal/card"
	"mintmark/internal/pgtest"
	"mintmark/internal/store"
)

// poison makes the cache answer with a card as it never was.
func poison(s *Store, cardID int) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	was := s.cache.cards[cardID]
	stale := &cachedCard{card: was.card, accounts: was.accounts}
	stale.card.Revision += 7
	s.cache.cards[cardID] = stale
}

// lockAndNote is an act on a card as the transaction sees it: it locks the card and leaves a trail.
func lockAndNote(tx store.Tx, customerID, cardID int) error {
	found, err := tx.Cards().FindView(stockedProgram, customerID, store.CardKey{ID: cardID})
	if err != nil {
		return err
	}
	c := found.Card
	c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
	if err := tx.Cards().Put(&c); err != nil {
		return err
	}
	return tx.Audit().Put(store.AuditEntry{At: tx.Now(), ProgramID: stockedProgram, CardID: c.ID})
}

// trailOf returns how many acts on a card stand in the audit trail.
func trailOf(t *testing.T, s store.Store, cardID int) int {
	t.Helper()
	var trail []store.AuditEntry
	err := s.View(context.Background(), func(r store.Tx) error {
		var err error
		trail, err = r.Audit().List(stockedProgram, cardID, 10)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(trail)
}

// TestStaleCacheLosesNoUpdate has acts meet a card in the cache that is not as it is stored, in a
// shared transaction and in one of their own. The act fails whole, and the next one finds what is
// stored.
func TestStaleCacheLosesNoUpdate(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{true, false} {
		s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
		if !shared {
			s.groupLimit = 0
		}
		standing(t, s, 1)
		poison(s, 1)
		act := func(tx store.Tx) error { return lockAndNote(tx, stockedCustomer, 1) }
		err := s.Update(t.Context(), act)
		if !errors.Is(err, store.ErrLostUpdate) || trailOf(t, s, 1) != 0 {
			t.Errorf("shared %v: got the error %v and %d rows in the trail", shared, err,
				trailOf(t, s, 1))
		}
		mustUpdate(t, s, act)
		locked := standing(t, s, 1).Card.Lock.Type == card.Customer
		if !locked || trailOf(t, s, 1) != 1 {
			t.Errorf("shared %v: after the next try: locked %v, %d rows in the trail",
				shared, locked, trailOf(t, s, 1))
		}
	}
}

// lax is a session on which nobody looks how many rows a change has changed.
type lax struct{ session }

func (l lax) change(ctx context.Context, text string, args ...any) error {
	return l.write(ctx, text, args...)
}

// TestLaxSessionLosesAnUpdate is the control: without the look at the rows, the act of
// TestStaleCacheLosesNoUpdate changes nothing, leaves its trail, and succeeds.
func TestLaxSessionLosesAnUpdate(t *testing.T) {
	t.Parallel()
	s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
	standing(t, s, 1)
	poison(s, 1)
	wrote := &touched{}
	err := s.transact(t.Context(), s.writers, s.dialect.beginUpdate, wrote,
		func(one session) error {
			return s.change(t.Context(), lax{one}, wrote, func(tx store.Tx) error {
				return lockAndNote(tx, stockedCustomer, 1)
			})
		})
	s.cache.distrust()
	locked := standing(t, s, 1).Card.Lock.Type == card.Customer
	if err != nil || locked || trailOf(t, s, 1) != 1 {
		t.Errorf("got the error %v, the card locked: %v, with %d rows in the trail", err, locked,
			trailOf(t, s, 1))
	}
}

// TestPostgresLosesNoUpdate has an act go by a card that is not as it is stored. Its statements
// travel together with the commit, which must not be carried out.
func TestPostgresLosesNoUpdate(t *testing.T) {
	t.Parallel()
	p, err := OpenPostgres(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	cardID := stockedPostgres(t, p)
	stale := true
	act := func(tx store.Tx) error {
		found, err := tx.Cards().FindView(stockedProgram, 1, store.CardKey{ID: cardID})
		if err != nil {
			return err
		}
		c := found.Card
		if inside, ok := tx.(*pgTx); ok && stale {
			c.Revision += 7
			inside.remember(c)
		}
		c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
		if err := tx.Cards().Put(&c); err != nil {
			return err
		}
		return tx.Audit().Put(store.AuditEntry{At: tx.Now(), ProgramID: stockedProgram, CardID: c.ID})
	}
	err = p.Update(t.Context(), act)
	if !errors.Is(err, store.ErrLostUpdate) || trailOf(t, p, cardID) != 0 {
		t.Errorf("got the error %v and %d rows in the trail", err, trailOf(t, p, cardID))
	}
	stale = false
	err = p.Update(t.Context(), act)
	if err != nil || trailOf(t, p, cardID) != 1 {
		t.Errorf("the next try: %v, with %d rows in the trail", err, trailOf(t, p, cardID))
	}
}
