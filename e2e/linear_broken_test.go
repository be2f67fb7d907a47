package e2e

import (
	"context"
	"sync"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// forgetful is a store that reads in one transaction and writes in another, without checking for
// changes in between: of two concurrent changes, one is lost.
type forgetful struct{ store.Store }

func (f forgetful) Update(ctx context.Context, fn func(store.Tx) error) error {
	var put []func(store.Tx) error
	err := f.View(ctx, func(r store.Tx) error { return fn(&deferred{r, &put}) })
	if err != nil {
		return err
	}
	return f.Store.Update(ctx, func(tx store.Tx) error {
		for _, write := range put {
			if err := write(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// deferred reads immediately and writes later. It supports only what the acts of a history write.
type deferred struct {
	store.Tx // of the reads
	put      *[]func(store.Tx) error
}

func (d *deferred) Audit() store.Audit { return deferredAudit{d.Tx.Audit(), d.put} }
func (d *deferred) Cards() store.Cards { return deferredCards{d.Tx.Cards(), d.put} }

func (d *deferred) Orders() store.Orders { return deferredOrders{d.Tx.Orders(), d.put} }

type deferredAudit struct {
	store.Audit
	put *[]func(store.Tx) error
}

func (d deferredAudit) Put(a audit.Entry) error {
	*d.put = append(*d.put, func(tx store.Tx) error { return tx.Audit().Put(a) })
	return nil
}

type deferredOrders struct {
	store.Orders
	put *[]func(store.Tx) error
}

func (d deferredOrders) Put(o order.Order) error {
	*d.put = append(*d.put, func(tx store.Tx) error { return tx.Orders().Put(o) })
	return nil
}

func (d deferredOrders) Insert(o order.Order) (order.Order, error) {
	numbered := o
	numbered.Revision++
	*d.put = append(*d.put, func(tx store.Tx) error {
		_, err := tx.Orders().Insert(o)
		return err
	})
	return numbered, nil
}

func (d deferredOrders) Change(before order.Order, after *order.Order) error {
	changed := *after
	*d.put = append(*d.put, func(tx store.Tx) error {
		return tx.Orders().Change(before, &changed)
	})
	return nil
}

type deferredCards struct {
	store.Cards
	put *[]func(store.Tx) error
}

func (d deferredCards) Change(_ card.Card, after *card.Card) error {
	changed := *after
	*d.put = append(*d.put, func(tx store.Tx) error {
		stored, err := tx.Cards().Find(changed.ProgramID, changed.ID)
		if err != nil {
			return err
		}
		return tx.Cards().Change(stored, &changed)
	})
	return nil
}

// stale is a store that serves reads from memory for some time, whatever was written meanwhile.
type stale struct {
	store.Store
	mu    sync.Mutex
	found map[store.CardKey]remembered
}

type remembered struct {
	view  store.CardView
	until time.Time
}

func (s *stale) Read(ctx context.Context, fn func(store.Tx) error) error {
	return s.Store.Read(ctx, func(tx store.Tx) error { return fn(staleTx{tx, s}) })
}

type staleTx struct {
	store.Tx
	of *stale
}

func (t staleTx) Cards() store.Cards { return staleCards{t.Tx.Cards(), t.of} }

type staleCards struct {
	store.Cards
	of *stale
}

func (c staleCards) FindView(
	programID, customerID int, of store.CardKey,
) (store.CardView, error) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if known := c.of.found[of]; time.Now().Before(known.until) {
		return known.view, nil
	}
	view, err := c.Cards.FindView(programID, customerID, of)
	c.of.found[of] = remembered{view, time.Now().Add(200 * time.Millisecond)}
	return view, err
}
