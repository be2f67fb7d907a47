package e2e

import (
	"context"
	"sync"
	"time"

	"mintmark/internal/card"
	people "mintmark/internal/customer"
	"mintmark/internal/store"
)

// forgetful is a store that reads in one transaction and writes in another, without looking
// whether anything has changed in between: of two changes at once, one is lost.
type forgetful struct{ store.Store }

func (f forgetful) Update(ctx context.Context, fn func(store.Tx) error) error {
	var put []func(store.Tx) error
	err := f.View(ctx, func(r store.Tx) error { return fn(&deferred{reads: r, put: &put}) })
	if err != nil {
		return err
	}
	return f.Store.Update(ctx, func(tx store.Tx) error {
		for _, one := range put {
			if err := one(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// deferred reads at once and writes later. It knows only what the acts of a history need.
type deferred struct {
	store.Tx
	reads store.Tx
	put   *[]func(store.Tx) error
}

func (d *deferred) Now() time.Time { return d.reads.Now() }

func (d *deferred) FindStanding(p, c int, of store.CardKey) (store.CardView, error) {
	return d.reads.Cards().FindView(p, c, of)
}

func (d *deferred) FindDossier(of store.FullCardQuery) (store.FullCardView, error) {
	return d.reads.Cards().FindFullView(of)
}

func (d *deferred) FindAccountFor(p, a, c int) (people.Account, people.AccountAccess, error) {
	return d.reads.Accounts().FindFor(p, a, c)
}

func (d *deferred) FindAccess(c, a int) (people.AccountAccess, error) {
	return d.reads.Access().Find(c, a)
}

func (d *deferred) ListCardAccounts(cards ...card.Card) (map[int]people.Account, error) {
	return d.reads.ListCardAccounts(cards...)
}

func (d *deferred) PutAudit(a store.AuditEntry) error {
	*d.put = append(*d.put, func(tx store.Tx) error { return tx.Audit().Put(a) })
	return nil
}

func (d *deferred) PutCard(c *card.Card) error {
	changed := *c
	*d.put = append(*d.put, func(tx store.Tx) error {
		stored, err := tx.Cards().Find(changed.ProgramID, changed.ID)
		if err != nil {
			return err
		}
		changed.Revision = stored.Revision
		return tx.Cards().Put(&changed)
	})
	return nil
}

// stale is a store that answers from memory for a while, whatever was written in the meantime.
type stale struct {
	store.Store
	mu    sync.Mutex
	found map[store.CardKey]remembered
}

type remembered struct {
	standing store.CardView
	until    time.Time
}

func (s *stale) FindStanding(
	ctx context.Context, programID, customerID int, of store.CardKey,
) (store.CardView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.found[of]; time.Now().Before(known.until) {
		return known.standing, nil
	}
	standing, err := s.Store.FindStanding(ctx, programID, customerID, of)
	s.found[of] = remembered{standing, time.Now().Add(200 * time.Millisecond)}
	return standing, err
}
