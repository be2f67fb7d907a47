package customers_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// interrupted is a store in which something happens once, immediately before a transaction or
// before it stores a block of search texts.
type interrupted struct {
	store.Store
	transaction, put func()
}

func (s interrupted) Update(ctx context.Context, fn func(store.Tx) error) error {
	if s.transaction != nil {
		s.transaction()
	}
	return s.Store.Update(ctx, func(tx store.Tx) error {
		if s.put == nil {
			return fn(tx)
		}
		return fn(interruptedTx{tx, s.put})
	})
}

type interruptedTx struct {
	store.Tx
	put func()
}

func (tx interruptedTx) CardSearch() store.CardSearch {
	return interruptedSearch{tx.Tx.CardSearch(), tx.put}
}

type interruptedSearch struct {
	store.CardSearch
	put func()
}

func (s interruptedSearch) PutBlock(b store.CardBlock) error {
	s.put()
	return s.CardSearch.PutBlock(b)
}

// putSettledCards stores a customer with an archived card, and enough other cards to fill a block
// of search texts. The next run of the job packs them.
func putSettledCards(w *issuingtest.World, customerID int) card.Card {
	w.TB.Helper()
	c := w.Stored(issuingtest.ArchivedCard)
	c.ID, c.Revision, c.Tag, c.Slots = 6001, 0, "", card.Slots{}
	others := c
	c.CustomerID, c.HolderID = customerID, customerID
	c.Name, c.NickName = card.NewName(personFirst, "", personLast), personNick
	w.Update(func(tx store.Tx) error {
		err := tx.Customers().Put(customer.Customer{
			Standing: customer.Standing{
				ID: customerID, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
				Birth: time.Date(1961, 2, 3, 0, 0, 0, 0, time.UTC),
			},
			FirstName: personFirst, LastName: personLast,
		})
		if err != nil {
			return err
		}
		if err := tx.Cards().Put(&c); err != nil {
			return err
		}
		for i := range 1000 {
			other := others
			other.ID = 6002 + i
			if err := tx.Cards().Put(&other); err != nil {
				return err
			}
		}
		return nil
	})
	for range 2 { // the first block marks the cards, after which they count as settled
		block := nextBlock(w)
		w.Update(func(tx store.Tx) error { return tx.CardSearch().PutBlock(block) })
	}
	return w.Stored(c.ID)
}

func nextBlock(w *issuingtest.World) (block store.CardBlock) {
	w.TB.Helper()
	w.View(func(r store.Tx) (err error) { block, err = r.CardSearch().FindNextBlock(); return err })
	return block
}

func pack(w *issuingtest.World, by *acts.Service) {
	w.TB.Helper()
	if err := by.Cards.PackCards(w.TB.Context()); err != nil {
		w.TB.Fatal(err)
	}
}

// packedName reports whether the packed search texts contain the name of the person. A search
// compares its hits with the card, which therefore gets its name back.
func packedName(w *issuingtest.World, cardID int) bool {
	w.TB.Helper()
	if nextBlock(w).Cards > 0 {
		w.TB.Fatal("the cards are in no block")
	}
	matches := 0
	w.Update(func(tx store.Tx) error {
		before, err := tx.Cards().Find(1, cardID)
		if err != nil {
			return err
		}
		after := before
		after.Name, after.NickName = card.NewName(personFirst, "", personLast), personNick
		if err := tx.Cards().Change(before, &after); err != nil {
			return err
		}
		for _, text := range []string{personLast, personNick} {
			listed, err := tx.CardSearch().List(store.CardQuery{Text: text, Limit: 9})
			if err != nil {
				return err
			}
			matches += len(listed)
		}
		return tx.Cards().Change(after, &before)
	})
	return matches > 0
}

// eraseOnce returns a function whose first call erases a customer.
func eraseOnce(w *issuingtest.World, customerID int) func() {
	var once sync.Once
	return func() {
		once.Do(func() {
			_, err := w.Customers.EraseCustomer(w.TB.Context(), eraser(), customerID, 0)
			if err != nil {
				w.TB.Error(err)
			}
		})
	}
}

// TestEraseWhilePacking erases a customer while the job packs the search texts of its card: the
// block does not contain the name.
func TestEraseWhilePacking(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		c := putSettledCards(w, 1777)
		between := interrupted{Store: w.Store, transaction: eraseOnce(w, 1777)}
		pack(w, acts.New(between, w.Vault, w.Settings))
		if packedName(w, c.ID) {
			t.Error("the name of an erased customer is packed")
		}
	})
}

// TestEraseWithinPacking does the same in the middle of the packing transaction. The embedded store
// has no such gap.
func TestEraseWithinPacking(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewServed(t, 1)[0]
	c := putSettledCards(w, 1777)
	within := interrupted{Store: w.Store, put: eraseOnce(w, 1777)}
	pack(w, acts.New(within, w.Vault, w.Settings))
	if packedName(w, c.ID) {
		t.Error("the name of an erased customer is packed")
	}
}

// TestEraseAgainHealsPackedTexts erases a customer whose name an earlier version packed after the
// erasure.
func TestEraseAgainHealsPackedTexts(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		c := putSettledCards(w, 1777)
		block := nextBlock(w)
		eraseOnce(w, 1777)()
		w.Update(func(tx store.Tx) error { return tx.CardSearch().PutBlock(block) })
		if !packedName(w, c.ID) {
			t.Fatal("no name is packed")
		}
		eraseOnce(w, 1777)()
		if packedName(w, c.ID) {
			t.Error("erased again, the name is packed")
		}
	})
}
