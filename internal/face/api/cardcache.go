package api

import (
	"sync/atomic"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing/cards"
)

// cardCache caches rendered cards. Its key is the version of the card's data, so a change evicts
// nothing: the changed card has another version.
type cardCache struct {
	slots []atomic.Pointer[renderedCard]
}

// cachedCards is the capacity, at about a kilobyte per card. It equals that of a store's read
// cache.
const cachedCards = 16 << 10

type renderedCard struct {
	version        cards.Version
	earlierClients bool
	text           rendered
}

// newCardCache returns a cache with limit slots.
func newCardCache(limit int) *cardCache {
	return &cardCache{make([]atomic.Pointer[renderedCard], limit)}
}

// respond answers with a card, rendering it unless the cache has this version.
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
