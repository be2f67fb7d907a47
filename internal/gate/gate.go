// Package gate decides who may come in: which addresses any key knows, which key and secret open,
// from where, and how often. It keeps the keys in memory and reads them anew within half a second
// of a change, so that a revoked key is refused on every node within one second. What a caller may
// do once inside belongs to package issuing.
package gate

import (
	"context"
	"log/slog"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"mintmark/internal/apikey"
	"mintmark/internal/store"
)

// pollEvery is how often the gate asks whether a key has changed.
const pollEvery = 250 * time.Millisecond

// refreshTime is how long an answer is waited for.
const refreshTime = time.Second

// Digester digests a presented secret as the kept ones were digested.
type Digester interface {
	DigestSecret(secret string) []byte
}

// Gate answers from memory. It is safe for concurrent use.
type Gate struct {
	store store.Store
	vault Digester
	keys  atomic.Pointer[keyring]

	nodes atomic.Int64 // zero is one

	mu       sync.Mutex
	limiters map[string]*limiter
}

// Open reads the keys.
func Open(ctx context.Context, kept store.Store, vault Digester) (*Gate, error) {
	g := &Gate{store: kept, vault: vault, limiters: make(map[string]*limiter)}
	g.keys.Store(newKeyring(-1, nil))
	return g, g.refresh(ctx)
}

// SetNodes says how many nodes callers are spread over. Each grants its share of a key's rate.
func (g *Gate) SetNodes(nodes int) { g.nodes.Store(int64(nodes)) }

// Announce sends a token for each change of a key, or for several, until the context ends. It may
// miss a change.
type Announce func(ctx context.Context, changed chan<- struct{})

// Run keeps the keys fresh until the context ends. Where changes are announced they act at once;
// asking goes on, because an announcement can be lost together with a connection. Announce is nil
// where one process alone uses the database.
func (g *Gate) Run(ctx context.Context, log *slog.Logger, announce Announce) {
	changed := make(chan struct{}, 1)
	var listening sync.WaitGroup
	defer listening.Wait()
	if announce != nil {
		listening.Go(func() { announce(ctx, changed) })
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-changed:
		}
		if err := g.refreshSoon(ctx); err != nil && ctx.Err() == nil {
			log.Warn("keys not refreshed", "error", err)
		}
	}
}

// refreshSoon gives up in time to ask another server.
func (g *Gate) refreshSoon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	return g.refresh(ctx)
}

// refresh reads the keys anew when one has changed.
func (g *Gate) refresh(ctx context.Context) error {
	return g.store.View(ctx, func(r store.Tx) error {
		revision, err := r.Keys().Revision()
		if err != nil || revision == g.keys.Load().revision {
			return err
		}
		keys, err := r.Keys().List()
		if err != nil {
			return err
		}
		g.keys.Store(newKeyring(revision, keys))
		return nil
	})
}

// Knows reports whether an address is on the allow-list of any key.
func (g *Gate) Knows(address netip.Addr) bool {
	for _, key := range g.keys.Load().keys {
		if key.Allows(address) {
			return true
		}
	}
	return false
}

// Unlock returns the key that a name and a secret open. A name that does not exist takes as long
// as a wrong secret.
func (g *Gate) Unlock(name, secret string) (apikey.Key, bool) {
	key := g.keys.Load().find(name)
	if !key.Opens(g.vault.DigestSecret(secret), time.Now()) {
		return apikey.Key{}, false
	}
	return *key, true
}

// Quota is what is left of a key's rate, for the caller's information.
type Quota struct {
	Limited   bool
	PerSecond float64
	Burst     int
	Remaining int
	Reset     time.Duration // until one more request is allowed, or all are
	Wait      time.Duration // until this request would be allowed; zero when it is
}

// limiter is the token bucket of a key, made anew when the key's rate changes.
type limiter struct {
	bucket *rate.Limiter
	of     apikey.Key
}

// Spend takes one request from the key's rate.
func (g *Gate) Spend(key apikey.Key) Quota {
	if key.PerSecond <= 0 {
		return Quota{}
	}
	key = g.share(key)
	now := time.Now()
	bucket := g.bucket(key)
	quota := Quota{Limited: true, PerSecond: key.PerSecond, Burst: bucket.Burst()}
	allowed := bucket.AllowN(now, 1)
	tokens := bucket.TokensAt(now)
	quota.Remaining = max(0, int(math.Floor(tokens)))
	if !allowed {
		// Not zero, even where the bucket has filled since: this request was not allowed.
		quota.Wait = max(time.Nanosecond, seconds((1-tokens)/key.PerSecond))
	}
	quota.Reset = seconds((math.Floor(tokens) + 1 - tokens) / key.PerSecond)
	return quota
}

// share returns a key with the part of its rate that this node grants. Every node grants one
// request at least.
func (g *Gate) share(key apikey.Key) apikey.Key {
	if nodes := int(g.nodes.Load()); nodes > 1 {
		key.PerSecond /= float64(nodes)
		key.Burst = (key.Burst + nodes - 1) / nodes
	}
	return key
}

// Window is the time in which a key may spend its whole burst once.
func Window(key apikey.Key) time.Duration {
	return seconds(float64(max(1, key.Burst)) / key.PerSecond)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (g *Gate) bucket(key apikey.Key) *rate.Limiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := g.limiters[key.Name]
	if held == nil || held.of.PerSecond != key.PerSecond || held.of.Burst != key.Burst {
		burst := max(1, key.Burst)
		held = &limiter{rate.NewLimiter(rate.Limit(key.PerSecond), burst), key}
		g.limiters[key.Name] = held
	}
	return held.bucket
}
