package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// memoryState is the in-memory state of callers as stored in a sandbox snapshot.
type memoryState struct {
	Buckets []rememberedBucket `json:"buckets,omitempty"`
	Uses    []rememberedUse    `json:"uses,omitempty"`
}

type rememberedBucket struct {
	Key       string    `json:"key"`
	PerSecond float64   `json:"perSecond"`
	Burst     int       `json:"burst"`
	Tokens    float64   `json:"tokens"`
	At        time.Time `json:"at"`
}

type rememberedUse struct {
	Key  string `json:"key"`
	Last int64  `json:"last"`
	Kept int64  `json:"kept"`
}

// State returns the in-memory state of callers: what is left of their rates, and the last uses of
// keys.
func (c *Callers) State() ([]byte, error) {
	var state memoryState
	c.limiters.mu.Lock()
	for name, l := range c.limiters.byName {
		state.Buckets = append(state.Buckets, rememberedBucket{
			name, l.perSecond, l.burst, l.bucket.TokensAt(l.latest), l.latest,
		})
	}
	c.limiters.mu.Unlock()
	slices.SortFunc(state.Buckets, func(a, b rememberedBucket) int {
		return strings.Compare(a.Key, b.Key)
	})
	c.uses.byName.Range(func(name, value any) bool {
		of := value.(*use)
		state.Uses = append(state.Uses,
			rememberedUse{name.(string), of.last.Load(), of.kept.Load()})
		return true
	})
	slices.SortFunc(state.Uses, func(a, b rememberedUse) int {
		return strings.Compare(a.Key, b.Key)
	})
	return json.Marshal(state)
}

// Restore replaces the in-memory state with one that State returned, or clears it if text is empty.
func (c *Callers) Restore(text []byte) error {
	var state memoryState
	if len(text) > 0 {
		if err := json.Unmarshal(text, &state); err != nil {
			return fmt.Errorf("read the state of callers: %w", err)
		}
	}
	buckets := make(map[string]*limiter)
	for _, r := range state.Buckets {
		buckets[r.Key] = &limiter{
			bucket: r.limiter(), perSecond: r.PerSecond, burst: r.Burst, latest: r.At,
		}
	}
	c.limiters.mu.Lock()
	c.limiters.byName = buckets
	c.limiters.mu.Unlock()
	c.uses.byName.Clear()
	for _, r := range state.Uses {
		again := new(use)
		again.last.Store(r.Last)
		again.kept.Store(r.Kept)
		c.uses.byName.Store(r.Key, again)
	}
	return nil
}

// limiter returns a bucket with the tokens that were left. The library has no such constructor, so
// a full bucket is emptied down to the whole tokens, at the time from which the fraction has
// accumulated.
func (b rememberedBucket) limiter() *rate.Limiter {
	l := rate.NewLimiter(rate.Limit(b.PerSecond), max(1, b.Burst))
	whole, rest := math.Modf(b.Tokens)
	since := time.Duration(math.Ceil(rest / b.PerSecond * float64(time.Second)))
	l.AllowN(b.At.Add(-since), l.Burst()-int(whole))
	return l
}

// Reload reads the keys again regardless of their revision: another generation may have other keys
// at the same revision.
func (c *Callers) Reload(ctx context.Context) error {
	c.refreshing.Lock()
	defer c.refreshing.Unlock()
	c.keyring.Store(newKeyring(unread, c.keyring.Load().keys))
	return c.refreshLocked(ctx)
}

// unread is the revision of keys that were never read or must be read again.
const unread = -1
