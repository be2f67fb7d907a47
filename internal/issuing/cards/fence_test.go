package cards_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/compromise"
	"mintmark/internal/testkit/issuingtest"
)

// TestFencedJobs checks that jobs skip the cards of a program that is moving to another
// installation, where they would otherwise be created as well. They continue when the move is
// cancelled.
func TestFencedJobs(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	expiresIn(w, nil)
	list, _ := report(w, issuingtest.Clerk, newList(compromise.Lock, 0), numbersOf(w, someCards(w, 2)))
	fenced := 1
	w.Cards.IsFenced = func(programID int) bool { return programID == fenced }
	renew(w, 0)
	handle(w, 0)
	wantList(w, list.ID, compromise.Running, 2, 0, 0, 0)
	fenced = 2
	renew(w, 1)
	handle(w, 2)

	w = issuingtest.NewSandbox(t)
	w.NewCard(nil)
	w.Clock.Advance(issuingtest.Window + time.Millisecond)
	fenced = 1
	w.Cards.IsFenced = func(programID int) bool { return programID == fenced }
	w.Expire(0)
	fenced = 2
	w.Expire(1)
}
