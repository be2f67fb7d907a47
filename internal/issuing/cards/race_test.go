package cards_test

import (
	"sync"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestOneTagOneCard checks that of many concurrent orders with the same tag one succeeds.
func TestOneTagOneCard(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	all, refusals := w.Together(func(_ int, r *cards.InitiateRequest) { r.Tag = "wanted" })
	if len(all) != 1 {
		t.Fatalf("%d cards got the tag, want 1", len(all))
	}
	for _, err := range refusals {
		issuingtest.WantCodes(t, err, 150204)
	}
	if detail, err := w.Cards.GetByTag(t.Context(), issuingtest.Caller, "1001", "wanted"); err != nil ||
		detail.ID != all[0].ID {
		t.Errorf("the tag finds card %d (%v)", detail.ID, err)
	}
}

// TestOneNickNameOneCard checks the same for a nickname, in any letter case.
func TestOneNickNameOneCard(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	all, refusals := w.Together(func(i int, r *cards.InitiateRequest) {
		r.NickName = []string{"wanted", "Wanted", "WANTED"}[i%3]
	})
	if len(all) != 1 {
		t.Fatalf("%d cards got the nickname, want 1", len(all))
	}
	for _, err := range refusals {
		issuingtest.WantCodes(t, err, 150230)
	}
}

// TestNumbersAreUnique checks that many concurrent orders from a small range get each number once,
// and that the others fail because the range is exhausted.
func TestNumbersAreUnique(t *testing.T) {
	t.Parallel()
	const size = 40
	w := issuingtest.NewProduction(t)
	w.Update(func(tx store.Tx) error {
		return tx.Programs().PutBin(program.Bin{
			ID: 5, ProgramID: 1, Vendor: "VS", IsActive: true, ValidMonths: 48,
			FirstBody: "400554000000000", LastBody: "400554000000039",
		})
	})
	five := 5
	all, refusals := w.Together(func(_ int, r *cards.InitiateRequest) { r.BinID = &five })
	if len(all) != size {
		t.Errorf("%d cards were made of %d numbers", len(all), size)
	}
	for _, err := range refusals {
		issuingtest.WantCodes(t, err, 59103)
	}
	numbers, ids := make(map[string]bool), make(map[int]bool)
	for _, c := range all {
		numbers[w.Number(c.ID)], ids[c.ID] = true, true
	}
	if len(numbers) != len(all) || len(ids) != len(all) {
		t.Errorf("%d cards have %d numbers and %d identifiers", len(all), len(numbers), len(ids))
	}
}

// TestWrongAnswersAtOnce checks that concurrent attempts to verify a card count like consecutive
// ones.
func TestWrongAnswersAtOnce(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	c := w.NewCard(nil)
	var running sync.WaitGroup
	for range issuingtest.Workers {
		running.Go(func() {
			_, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(c, "9999"))
			issuingtest.WantCodes(t, err, 150303)
		})
	}
	running.Wait()
	counts := make(map[string]int)
	for _, outcome := range outcomes(w.Trail(c.ID)) {
		counts[outcome]++
	}
	if counts["refused"] != card.MaxVerifyFailures {
		t.Errorf("the card was looked at %d times, want %d", counts["refused"],
			card.MaxVerifyFailures)
	}
	if want := issuingtest.Workers - card.MaxVerifyFailures; counts["refused without looking"] != want {
		t.Errorf("the trail is %v", counts)
	}
}
