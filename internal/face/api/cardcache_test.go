package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
)

// TestCardsAreThoseOfTheirVersion alternates reads and changes of cards, with room for one card in
// the cache. Every response has the current card, for callers of both kinds.
func TestCardsAreThoseOfTheirVersion(t *testing.T) {
	t.Parallel()
	service, _, _ := demoService(t)
	who := issuing.Caller{Actor: audit.Actor{Name: "example1"}, ProgramID: 1, Route: "/card/test"}
	cache := newCardCache(1)
	known := 0
	read := func(cardID string, earlier bool) string {
		who := who
		who.EarlierClients = earlier
		detail, err := service.Cards.Get(t.Context(), who, "1001", cardID)
		if err != nil {
			t.Fatal(err)
		}
		if detail.Version.Known() {
			known++
		}
		c := &call{Exchange: &web.Exchange{ID: "id"}}
		response, err := cache.respond(c, detail)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Release()
		want := string(appendEnvelope(nil, "id", showCard(detail)))
		if diff := cmp.Diff(want, string(response.Body)); diff != "" {
			t.Errorf("card %s, earlier clients %v (-want +got):\n%s", cardID, earlier, diff)
		}
		return string(response.Body)
	}
	ref := issuing.CardRef{CustomerID: 1001, CardID: 5001}
	seen := make(map[string]bool)
	for range 3 {
		for _, cardID := range []string{"5001", "5001", "5002", "5001"} {
			seen[read(cardID, false)], seen[read(cardID, true)] = true, true
		}
		lock := cards.LockRequest{CardRef: ref, LockReasonTypeCode: "TMP"}
		if _, err := service.Cards.Lock(t.Context(), who, lock); err != nil {
			t.Fatal(err)
		}
		seen[read("5001", false)] = true
		if _, err := service.Cards.Unlock(t.Context(), who, ref); err != nil {
			t.Fatal(err)
		}
	}
	if known == 0 || len(seen) < 6 {
		t.Errorf("%d reads had a version, and %d texts were answered", known, len(seen))
	}
}

// BenchmarkCard compares a read whose card is in the cache, already rendered, with one that renders
// it.
func BenchmarkCard(b *testing.B) {
	service, _, _ := demoService(b)
	who := issuing.Caller{Actor: audit.Actor{Name: "example1"}, ProgramID: 1}
	detail, err := service.Cards.Get(b.Context(), who, "1001", "5001")
	if err != nil {
		b.Fatal(err)
	}
	unknown := detail
	unknown.Version = cards.Version{}
	cache := newCardCache(cachedCards)
	for name, detail := range map[string]cards.CardDetail{"cached": detail, "rendered": unknown} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := &call{Exchange: &web.Exchange{ID: "id"}}
				response, err := cache.respond(c, detail)
				if err != nil || response.Status != statusOK {
					b.Fatal(err)
				}
				c.Release()
			}
		})
	}
}
