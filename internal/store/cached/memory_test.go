package cached

import (
	"strconv"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

// TestLimits puts in more than there is room for.
func TestLimits(t *testing.T) {
	t.Parallel()
	m := newMemory()
	for id := 1; id < entryLimit+10; id++ {
		standing := customer.Standing{ID: id}
		accounts := map[int]customer.Account{id: {ID: id}}
		c := card.Card{ID: id, Tag: strconv.Itoa(id), Slots: card.Slots{Checking: []int{id}}}
		m.putView(m.begin(), store.CardView{Customer: standing, Card: c, Accounts: accounts})
		m.putList(m.begin(), store.CustomerCards{
			Customer: standing, Cards: []card.Card{c}, Accounts: accounts,
		})
		w := writeSet{memory: m}
		w.evict(accountOf(-id))
		w.end(true)
	}
	m.putList(m.begin(), store.CustomerCards{
		Customer: customer.Standing{ID: -1}, Cards: make([]card.Card, longList+1),
	})
	if m.lists[-1] != nil {
		t.Error("a long list is kept")
	}
	for what, over := range map[string]int{
		"cards": len(m.cards) - entryLimit, "customers": len(m.customers) - entryLimit,
		"tags": len(m.tags) - entryLimit, "lists": len(m.lists) - listLimit,
		"cards by account": len(m.cardsByAccount) - entryLimit,
		"lists by account": len(m.listsByAccount) - listLimit,
		"evictions":        len(m.evicted) - evictionLimit,
	} {
		if over > 0 {
			t.Errorf("%d too many: %s", over, what)
		}
	}
	if len(m.cards) < entryLimit || len(m.lists) < listLimit {
		t.Errorf("only %d cards and %d lists are kept", len(m.cards), len(m.lists))
	}
}
