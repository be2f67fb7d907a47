// Package auth authenticates callers: it compares a key and its secret with those in the store,
// the address of a request with the allow-lists of the keys, and counts requests against the rate
// of a key. Keys are kept in memory and read again within half a second of a change, so that a
// revoked key is refused on every node within one second. How credentials stand in a request
// belongs to the faces, and what an authenticated caller may do to package issuing.
package auth

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/store"
	"mintmark/internal/store/generation"
)

const (
	// pollEvery is how often the store is asked whether a key has changed.
	pollEvery = 250 * time.Millisecond
	// refreshTimeout is how long one such question may take.
	refreshTimeout = time.Second
	// keepEvery is how often the store is told when keys were used last.
	keepEvery = time.Minute
)

// Keys is the part of a store that holds the keys and their revision, and when they were used.
type Keys interface {
	View(ctx context.Context, fn func(store.Tx) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// Digester digests a presented secret in the way in which the stored ones were digested.
type Digester interface {
	DigestSecret(secret string) []byte
}

// Settings say how callers are authenticated. The zero value is a good one.
type Settings struct {
	// Clock is the time by which secrets expire and rates refill.
	Clock *clock.Clock
	// Listener reports changes of keys sooner than the next poll. A store that only this process
	// writes to has none.
	Listener Listener
	// Generation is the world whose keys are read; nil for the only one there is.
	Generation *generation.Generation
}

// Listener sends a signal for each change of a key, or for several, until the context ends. It may
// miss a change.
type Listener interface {
	Listen(ctx context.Context, changed chan<- struct{})
}

// Callers authenticates calling programs from memory. It is safe for concurrent use.
type Callers struct {
	settings Settings
	keys     Keys
	digester Digester
	keyring  atomic.Pointer[keyring]
	limiters limiters
	uses     uses

	refreshing sync.Mutex // held while the keys are read
}

// Open reads the keys.
func Open(
	ctx context.Context, keys Keys, digester Digester, settings Settings,
) (*Callers, error) {
	c := &Callers{settings: settings, keys: keys, digester: digester}
	c.keyring.Store(newKeyring(unread, nil))
	return c, c.refresh(ctx)
}

// Run keeps the keys fresh until the context ends. A change that is signalled is read at once.
// Polling goes on beside it, because a signal can be lost together with a connection.
func (c *Callers) Run(ctx context.Context, log *slog.Logger) {
	changed := make(chan struct{}, 1)
	var listening sync.WaitGroup
	defer listening.Wait()
	if listener := c.settings.Listener; listener != nil {
		listening.Go(func() { listener.Listen(ctx, changed) })
	}
	ticker, keeping := time.NewTicker(pollEvery), time.NewTicker(keepEvery)
	defer ticker.Stop()
	defer keeping.Stop()
	defer c.keepUses(context.WithoutCancel(ctx), log)
	for {
		select {
		case <-ctx.Done():
			return
		case <-keeping.C:
			c.keepUses(ctx, log)
			continue
		case <-ticker.C:
		case <-changed:
		}
		if err := c.refreshInTime(ctx); err != nil && ctx.Err() == nil {
			log.Warn("keys not refreshed", "error", err)
		}
	}
}

// Sync writes the last uses of keys to the store and reloads the keys from it. Run does both
// periodically; a repeatable sandbox calls Settle whenever the result could be observed.
func (c *Callers) Sync(ctx context.Context, log *slog.Logger) error {
	c.keepUses(ctx, log)
	return c.refreshInTime(ctx)
}

// Refresh reloads the keys from the store now, which Run does within half a second.
func (c *Callers) Refresh(ctx context.Context, log *slog.Logger) {
	if err := c.refreshInTime(ctx); err != nil {
		log.WarnContext(ctx, "keys not refreshed", "error", err)
	}
}

// refreshInTime is a refresh that gives up early enough to ask another database server.
func (c *Callers) refreshInTime(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	return c.refresh(ctx)
}

// refresh reads the keys again if their revision has changed.
func (c *Callers) refresh(ctx context.Context) error {
	c.refreshing.Lock()
	defer c.refreshing.Unlock()
	return c.refreshLocked(ctx)
}

func (c *Callers) refreshLocked(ctx context.Context) error {
	return c.keys.View(ctx, func(r store.Tx) error {
		revision, err := r.Keys().Revision()
		if err != nil || revision == c.keyring.Load().revision {
			return err
		}
		keys, err := r.Keys().List()
		if err != nil {
			return err
		}
		fenced, err := r.Programs().ListFenced()
		if err != nil {
			return err
		}
		ring := newKeyring(revision, keys)
		ring.fenced = fenced
		c.keyring.Store(ring)
		return nil
	})
}

// IsFenced reports whether a program moves to another installation, and is not to be changed here.
func (c *Callers) IsFenced(programID int) bool {
	return slices.Contains(c.keyring.Load().fenced, programID)
}

// AllowsAddress reports whether an address is on the allow-list of any key.
func (c *Callers) AllowsAddress(address netip.Addr) bool {
	for _, key := range c.keyring.Load().keys {
		if key.Allows(address) {
			return true
		}
	}
	return false
}

// Authenticate returns the key that has this name and this secret. An unknown name takes as long
// as a wrong secret, so that timing does not reveal which keys exist.
func (c *Callers) Authenticate(name, secret string) (apikey.Key, bool) {
	key, now := c.keyring.Load().find(name), c.settings.Clock.Now()
	if !key.Matches(c.digester.DigestSecret(secret), now) {
		return apikey.Key{}, false
	}
	c.uses.note(key.Name, now)
	return *key, true
}
