package cached

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

// TestLimits checks that the read cache stays within its limits when more is put into it.
func TestLimits(t *testing.T) {
	t.Parallel()
	const entryLimit, listLimit = 1024, 1024 / cardsOfList
	m := newMemory(entryLimit * entryBytes)
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

// TestBytes fills the read cache with cards as long as their columns allow, each with an account in
// four slots, and with their customers and lists. They must not take more bytes than the bound.
func TestBytes(t *testing.T) {
	const bound = 16 << 20
	before := heap()
	m := newMemory(bound)
	for id := 1; id <= 2*m.entryLimit; id++ {
		text := func(length int) string { return fmt.Sprintf("%0*d", length, id) }
		standing := customer.Standing{ID: id}
		c := card.Card{
			ID: id, Tag: text(30), NickName: text(20), Name: card.NewName(text(20), "", text(20)),
		}
		accounts := make(map[int]customer.Account)
		for of := 4 * id; of < 4*id+4; of++ {
			accounts[of] = customer.Account{ID: of, Name: text(20)}
			c.Slots.Checking = append(c.Slots.Checking, of)
		}
		m.putView(m.begin(), store.CardView{Customer: standing, Card: c, Accounts: accounts})
		m.putList(m.begin(), store.CustomerCards{
			Customer: standing, Cards: []card.Card{c, c}, Accounts: accounts,
		})
	}
	if took := heap() - before; took > bound {
		t.Errorf("%d cards take %d bytes, more than %d", len(m.cards), took, bound)
	} else {
		t.Logf("%d of %d bytes", took, bound)
	}
	runtime.KeepAlive(m)
}

// heap returns the number of bytes in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	runtime.GC() // frees what the first collection found unreachable
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
