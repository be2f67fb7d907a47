package sandbox

import (
	"context"
	"errors"

	wire "mintmark/client/sandbox"
	"mintmark/internal/store"
)

// world summarizes the state of the sandbox.
func (s *Controls) world(ctx context.Context, _ *call) (wire.World, error) {
	snapshots, err := s.Snapshots(ctx)
	if err != nil {
		return wire.World{}, err
	}
	shown := wire.World{
		Clock: s.clock(), Seed: s.About.Seed, Processor: wire.Mode(s.Processor.Mode()),
		Snapshots: snapshots, Faults: s.faults(), Keys: s.About.Keys,
		PinKey: string(s.About.PinKeyPEM()),
		Settings: wire.WorldSettings{
			URL: s.About.URL(), AdminURL: s.About.AdminURL(), Persistent: s.About.Persistent,
			Version: s.About.Version,
		},
	}
	err = s.Store.View(ctx, func(r store.Tx) error {
		var err error
		if shown.Counts, err = count(r); err != nil {
			return err
		}
		now := shown.Clock.Now
		shown.Due, err = listDue(r, now, now.AddDate(1, 0, 0))
		return err
	})
	return shown, err
}

// maxCounted limits each count.
const maxCounted = 1_000_000

// count counts the store's contents.
func count(r store.Tx) (wire.Counts, error) {
	var c wire.Counts
	for _, entry := range []struct {
		into  *int
		count func(store.Tx) (int, error)
	}{
		{&c.Programs, countPrograms}, {&c.Customers, countCustomers},
		{&c.Accounts, countAccounts}, {&c.Cards, countCards}, {&c.Documents, countDocuments},
		{&c.Orders, countOrders}, {&c.Webhooks, countWebhooks}, {&c.Entries, countEntries},
	} {
		n, err := entry.count(r)
		if err != nil {
			return wire.Counts{}, err
		}
		*entry.into = n
	}
	return c, nil
}

func countPrograms(r store.Tx) (int, error) {
	all, err := r.Programs().List()
	return len(all), err
}

func countCustomers(r store.Tx) (int, error) {
	all, err := r.Customers().List(store.CustomerQuery{Limit: maxCounted})
	return len(all), err
}

func countAccounts(r store.Tx) (int, error) {
	all, err := r.Accounts().List(store.AccountQuery{Limit: maxCounted})
	return len(all), err
}

func countCards(r store.Tx) (int, error) {
	counted, err := r.CardSearch().Count(nil)
	n := 0
	for _, of := range counted.ByStatus {
		n += of
	}
	return n, err
}

func countDocuments(r store.Tx) (int, error) {
	banks, err := r.Banks().List()
	n := 0
	for _, bank := range banks {
		of, err := r.Documents().ListOfBank(bank.ID, 0, maxCounted)
		if err != nil {
			return 0, err
		}
		n += len(of)
	}
	return n, err
}

func countOrders(r store.Tx) (int, error) {
	counted, err := r.Orders().Count(nil)
	n := 0
	for _, of := range counted {
		n += of.Count
	}
	return n, err
}

func countWebhooks(r store.Tx) (int, error) {
	all, err := r.Webhooks().List(0)
	return len(all), err
}

// countEntries counts the audit entries, including unsealed ones.
func countEntries(r store.Tx) (int, error) {
	head, err := r.AuditLog().FindHead()
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	sealed := 0
	if err == nil {
		sealed = head.Size()
	}
	unsealed, err := r.AuditLog().ListUnsealed(
		store.UnsealedQuery{Above: head.NewestRow, Limit: maxCounted})
	return sealed + len(unsealed.Entries), err
}
