package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
)

var contention = []test{
	{"OneCard", contentionOneCard},
	{"ReadThenWrite", contentionReadThenWrite},
	{"OneTag", contentionOneTag},
	{"StablePicture", contentionStablePicture},
}

// workers is the number of concurrent callers.
const workers = 100

// contentionOneCard has all workers change one card, each in one Update. Every change must be
// applied, in any order.
func contentionOneCard(t *testing.T, s store.Store) {
	background(t, s)
	stored := kept(t, s, plain("contended"))
	inParallel(workers, func(worker int) {
		err := retryLost(func() error {
			return s.Update(context.Background(), func(tx store.Tx) error {
				c, err := tx.Cards().Find(programID, stored.ID)
				if err != nil {
					return err
				}
				next := c
				next.ExpireYear++
				return tx.Cards().Change(c, &next)
			})
		})
		if err != nil {
			t.Errorf("worker %d: %v", worker, err)
		}
	})
	c := findCard(t, s, stored.ID)
	year := stored.ExpireYear + workers
	if c.Revision != stored.Revision+workers || c.ExpireYear != year {
		t.Errorf("got revision %d and year %d after %d changes", c.Revision,
			c.ExpireYear, workers)
	}
}

// contentionReadThenWrite reads in one transaction and writes in another, so that only the revision
// keeps the workers from overwriting each other's changes.
func contentionReadThenWrite(t *testing.T, s store.Store) {
	background(t, s)
	stored := kept(t, s, plain("contended"))
	const few = 8
	inParallel(few, func(worker int) {
		err := retryLost(func() error {
			var c card.Card
			err := s.View(context.Background(), func(r store.Tx) error {
				var err error
				c, err = r.Cards().Find(programID, stored.ID)
				return err
			})
			if err != nil {
				return err
			}
			return s.Update(context.Background(), func(tx store.Tx) error {
				next := c
				next.ExpireYear++
				return tx.Cards().Change(c, &next)
			})
		})
		if err != nil {
			t.Errorf("worker %d: %v", worker, err)
		}
	})
	if c := findCard(t, s, stored.ID); c.ExpireYear != stored.ExpireYear+few {
		t.Errorf("got year %d after %d changes, want %d", c.ExpireYear, few,
			stored.ExpireYear+few)
	}
}

// retryLost retries an act as long as another caller changed the record first.
func retryLost(act func() error) error {
	for {
		err := act()
		if !errors.Is(err, store.ErrLostUpdate) {
			return err
		}
	}
}

// contentionOneTag has workers claim the same tag. One gets it.
func contentionOneTag(t *testing.T, s store.Store) {
	background(t, s)
	wantOneWinner(t, 10, store.ErrExists, func(worker int) error {
		c := plain(fmt.Sprint("worker ", worker))
		c.Tag = "contended"
		return s.Update(ctx, func(tx store.Tx) error { return tx.Cards().Put(new(c)) })
	})
}

// contentionStablePicture reads twice in one View while another caller writes. If a store runs both
// concurrently, the View must not see the change; otherwise the writer waits.
func contentionStablePicture(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, func(tx store.Tx) error { return putNamed(tx, "before") })
	written := make(chan error, 1)
	view(t, s, func(r store.Tx) error {
		wantSameName(t, r, "before")
		go func() {
			written <- s.Update(context.Background(), func(tx store.Tx) error {
				return putNamed(tx, "after")
			})
		}()
		for range 1000 {
			wantSameName(t, r, "before")
		}
		return nil
	})
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	wantName(t, s, "after")
}
