package api

import (
	"sync/atomic"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing/cards"
)

// cardCache keeps cards as they were rendered last. A card is found by the version of what it
// shows, so nothing has to be dropped when a card changes: it then has another version.
type cardCache struct {
	slots []atomic.Pointer[renderedCard]
}

// cachedCards bounds the cache, about a kilobyte each. It is as many as the read cache of a store
// keeps.
const cachedCards = 16 << 10

type renderedCard struct {
	version        cards.Version
	earlierClients bool
	text           rendered
}

// newCardCache returns a cache of so many cards.
func newCardCache(limit int) *cardCache {
	return &cardCache{make([]atomic.Pointer[renderedCard], limit)}
}

// respond responds a card, which is rendered unless that was done for the same version.
func (k *cardCache) respond(c *call, detail cards.CardDetail) (web.Response, error) {
	if !detail.Version.Known() {
		return c.respond(showCard(detail)), nil
	}
	slot := &k.slots[detail.Version.Spread()%uint64(len(k.slots))]
	last := slot.Load()
	if last == nil || last.version != detail.Version ||
		last.earlierClients != detail.ForEarlierClients {
		const ordinary = 1 << 10 // bytes; most cards fit
		text := showCard(detail).appendJSON(make([]byte, 0, ordinary))
		last = &renderedCard{detail.Version, detail.ForEarlierClients, text}
		slot.Store(last)
	}
	return c.respond(last.text), nil
}
