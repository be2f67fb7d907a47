// Package auth authenticates callers: it compares a key and its secret with those in the store, and
// the address of a request with the allow-lists of the keys, and counts requests against the rate
// of a key. Keys are held in memory and reloaded within half a second of a change, so that every
// node rejects a revoked key within one second. The faces decide where a request carries its
// credentials, and package issuing decides what an authenticated caller may do.
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
	// pollEvery is the interval between checks of the store for changed keys.
	pollEvery = 250 * time.Millisecond
	// refreshTimeout bounds one such check.
	refreshTimeout = time.Second
	// keepEvery is the interval at which the last uses of keys are stored.
	keepEvery = time.Minute
)

// Keys is the part of a store that holds the keys, their revision and their last uses.
type Keys interface {
	View(ctx context.Context, fn func(store.Tx) error) error
	Update(ctx context.Context, fn func(store.Tx) error) error
}

// Digester digests a presented secret in the same way as the stored ones.
type Digester interface {
	DigestSecret(secret string) []byte
}

// Settings configures the authentication of callers. The zero value is ready to use.
type Settings struct {
	// Clock is the time by which secrets expire and rates refill.
	Clock *clock.Clock
	// Listener reports changes of keys sooner than the next poll. It is nil for a store that only
	// this process writes to.
	Listener Listener
	// Generation identifies the data whose keys are read; nil if the data is never replaced.
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

// Open returns a Callers with the keys in the store.
func Open(
	ctx context.Context, keys Keys, digester Digester, settings Settings,
) (*Callers, error) {
	c := &Callers{settings: settings, keys: keys, digester: digester}
	c.keyring.Store(newKeyring(unread, nil))
	return c, c.refresh(ctx)
}

// Run refreshes the keys and stores their last uses until the context ends. It reads a signaled
// change immediately. It also polls, because a signal can be lost together with a connection.
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
			log.Warn("refreshing API keys failed", "error", err)
		}
	}
}

// Sync writes the last uses of keys to the store and reloads the keys from it. Run does both
// periodically; a repeatable sandbox calls Sync whenever the result could be observed.
func (c *Callers) Sync(ctx context.Context, log *slog.Logger) error {
	c.keepUses(ctx, log)
	return c.refreshInTime(ctx)
}

// Refresh reloads the keys from the store immediately; Run would do so within half a second.
func (c *Callers) Refresh(ctx context.Context, log *slog.Logger) {
	if err := c.refreshInTime(ctx); err != nil {
		log.WarnContext(ctx, "refreshing API keys failed", "error", err)
	}
}

// refreshInTime is refresh with a timeout that is short enough to try another database server.
func (c *Callers) refreshInTime(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	return c.refresh(ctx)
}

// refresh reloads the keys if their revision has changed.
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

// IsFenced reports whether a program is being moved to another installation and must not be changed
// here.
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

// Authenticate returns the key with this name and secret. An unknown name takes as long as a wrong
// secret, so that timing does not reveal which keys exist.
func (c *Callers) Authenticate(name, secret string) (apikey.Key, bool) {
	key, now := c.keyring.Load().find(name), c.settings.Clock.Now()
	if !key.Matches(c.digester.DigestSecret(secret), now) {
		return apikey.Key{}, false
	}
	c.uses.note(key.Name, now)
	return *key, true
}
