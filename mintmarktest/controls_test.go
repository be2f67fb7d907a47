package mintmarktest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/client/sandbox"
	"mintmark/mintmarktest"
)

// codeOf returns the code that a request was rejected with, 0 for none.
func codeOf(t *testing.T, err error) int {
	t.Helper()
	var failure *client.Failure
	if err == nil {
		return 0
	}
	if !errors.As(err, &failure) || len(failure.Errors) == 0 {
		t.Fatal(err)
	}
	return failure.Errors[0].Code
}

// TestAdvance has an unverified card expire, at its time, while the clock moves.
func TestAdvance(t *testing.T) {
	t.Parallel()
	s := mintmarktest.Start(t)
	newCard, err := s.Client("example1").CardInitiate(t.Context(), card)
	if err != nil {
		t.Fatal(err)
	}
	const year = 365 * 24 * time.Hour
	s.Advance(year)
	if now := s.Now(); !now.Equal(mintmarktest.Moment.Add(year)) {
		t.Errorf("it is %s", now)
	}
	c, err := s.Client("example1").CardGet(t.Context(), 1001, newCard.CardID)
	if err != nil || c.Status != "Expired" {
		t.Errorf("the card is %s, %v", c.Status, err)
	}
	for _, event := range s.Events() {
		if event.Type == "card.expired" && event.CardID == newCard.CardID {
			after := event.At.Sub(mintmarktest.Moment)
			if after <= 0 || after >= year {
				t.Errorf("it has expired at %s", event.At)
			}
			return
		}
	}
	t.Error("no event tells that it has expired")
}

// TestReport has the card processor report that a card was stolen in the mail.
func TestReport(t *testing.T) {
	t.Parallel()
	s := mintmarktest.Start(t)
	s.Report(5001, "compromised")
	newCard, err := s.Client("example1").CardGet(t.Context(), 1001, 5001)
	if err != nil || newCard.LockTypeCode != "SYS" {
		t.Errorf("the card is %+v, %v", newCard, err)
	}
}

// TestFail has the next two requests of a route fail, and then one of every route until Heal.
func TestFail(t *testing.T) {
	t.Parallel()
	s := mintmarktest.Start(t)
	get := func() int {
		_, err := s.Client("example1").CardGet(t.Context(), 1001, 5001)
		return codeOf(t, err)
	}
	f := s.Fail(sandbox.Fault{Route: "*", Code: 50503, Times: 2})
	if codes := [3]int{get(), get(), get()}; codes != [3]int{50503, 50503, 0} || f.ID == "" {
		t.Errorf("three requests are answered with %v by %+v", codes, f)
	}
	s.Fail(sandbox.Fault{Route: "*", Code: 50500})
	if code := get(); code != 50500 {
		t.Errorf("the code is %d", code)
	}
	s.Heal()
	if code := get(); code != 0 {
		t.Errorf("the code is %d after all rules have ended", code)
	}
}

// TestRestore restores a snapshot, and the state at the start. The same requests then get the same
// responses.
func TestRestore(t *testing.T) {
	t.Parallel()
	s := mintmarktest.Start(t)
	ordered := func(name string) string {
		t.Helper()
		answer, err := order(s, name)
		if err != nil || !strings.Contains(answer, `"cardId"`) {
			t.Fatal(answer, err)
		}
		return answer
	}
	first := ordered("first")
	s.Advance(time.Hour)
	s.Snapshot()
	second := ordered("second")
	s.Advance(48 * time.Hour)
	for range 2 {
		s.Restore()
		if got := ordered("second"); got != second {
			t.Errorf("after a restore is answered\n%s\nwant\n%s", got, second)
		}
	}
	events := len(s.Events())
	s.Reset()
	if now := s.Now(); !now.Equal(mintmarktest.Moment) {
		t.Errorf("after a reset it is %s", now)
	}
	if got := ordered("first"); got != first {
		t.Errorf("after a reset is answered\n%s\nwant\n%s", got, first)
	}
	if now := len(s.Events()); now >= events {
		t.Errorf("there are %d events, and were %d", now, events)
	}
}
