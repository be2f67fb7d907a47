package auth

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/apikey"
)

// Quota describes what is left of a key's rate, for the caller's information.
type Quota struct {
	Limited   bool
	Burst     int
	Remaining int
	Reset     time.Duration // until one more request is allowed
	Wait      time.Duration // until this request would be allowed; zero if it is
}

// limiters holds the token buckets of the keys. The zero value is ready to use, for one node.
type limiters struct {
	nodes atomic.Int64

	mu     sync.Mutex
	byName map[string]*limiter
}

// limiter is the token bucket of a key. A key whose rate changes gets a new one, and so does a key
// when the clock is set back: the old bucket would not refill until the clock passes its latest
// use.
type limiter struct {
	bucket    *rate.Limiter
	perSecond float64
	burst     int
	latest    time.Time // the time of its last use
}

// SetNodes sets the number of nodes over which callers are spread. Each grants its share of a key's
// rate.
func (c *Callers) SetNodes(nodes int) { c.limiters.nodes.Store(int64(nodes)) }

// TakeToken takes one request from the key's rate.
func (c *Callers) TakeToken(key apikey.Key) Quota {
	if key.PerSecond <= 0 {
		return Quota{}
	}
	key = c.limiters.share(key)
	bucket, now := c.limiters.bucket(key, c.settings.Clock)
	quota := Quota{Limited: true, Burst: bucket.Burst()}
	allowed := bucket.AllowN(now, 1)
	tokens := bucket.TokensAt(now)
	quota.Remaining = max(0, int(math.Floor(tokens)))
	if !allowed {
		// Another request may have advanced the bucket to a later time since. This one was refused
		// nevertheless, so its wait is never zero.
		quota.Wait = max(time.Nanosecond, seconds((1-tokens)/key.PerSecond))
	}
	quota.Reset = seconds((math.Floor(tokens) + 1 - tokens) / key.PerSecond)
	return quota
}

// Window returns the time in which a key may spend its whole burst once.
func Window(key apikey.Key) time.Duration {
	return seconds(float64(max(1, key.Burst)) / key.PerSecond)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// share returns a key with the part of its rate that this node grants. Every node grants at least
// one request.
func (l *limiters) share(key apikey.Key) apikey.Key {
	if nodes := int(l.nodes.Load()); nodes > 1 {
		key.PerSecond /= float64(nodes)
		key.Burst = (key.Burst + nodes - 1) / nodes
	}
	return key
}

// bucket returns the bucket of a key and the time at which to use it. The time is read under the
// lock, so that it goes back only if the clock is set back.
func (l *limiters) bucket(key apikey.Key, by *clock.Clock) (*rate.Limiter, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := by.Now()
	held := l.byName[key.Name]
	if held == nil || held.perSecond != key.PerSecond || held.burst != key.Burst ||
		now.Before(held.latest) {
		bucket := rate.NewLimiter(rate.Limit(key.PerSecond), max(1, key.Burst))
		held = &limiter{bucket: bucket, perSecond: key.PerSecond, burst: key.Burst}
		if l.byName == nil {
			l.byName = make(map[string]*limiter)
		}
		l.byName[key.Name] = held
	}
	held.latest = now
	return held.bucket, now
}
