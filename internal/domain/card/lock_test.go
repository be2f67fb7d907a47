package card

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestReasons tries every reason with both operations that have one.
func TestReasons(t *testing.T) {
	for _, test := range []struct {
		text          string
		lock, hotlist int // the code, or 0 if the reason is accepted
		want          Reason
	}{
		{"UNK", 0, 150801, Unknown},
		{"DMG", 0, 150801, Damaged},
		{"ADM", 0, 150801, Administrative},
		{"tmp", 0, 150801, Temporary},
		{"Frd", 0, 0, SuspectedFraud},
		{"LST", 150404, 0, Lost},
		{"stl", 150404, 0, Stolen},
		{"PIN", 150405, 150801, ""},
		{"", 150405, 150801, ""},
		{"XYZ", 150401, 150401, ""},
		{"LST ", 150401, 150401, ""},
	} {
		for _, operation := range []struct {
			read func(string) (Reason, error)
			code int
		}{{LockReason, test.lock}, {HotlistReason, test.hotlist}} {
			got, err := operation.read(test.text)
			if operation.code == 0 {
				wantCodes(t, err)
				if got != test.want {
					t.Errorf("%q is read as %q", test.text, got)
				}
				continue
			}
			wantCodes(t, err, operation.code)
		}
	}
}

func TestUnknownReasonIsNamedAsSent(t *testing.T) {
	_, err := LockReason("xyz")
	wantTexts(t, err, []string{"150401: Invalid Card Lock Reason Type Code xyz."})
}

func TestPermanent(t *testing.T) {
	for _, lock := range locks() {
		want := lock.Type != Unlocked &&
			(lock.Reason == "LST" || lock.Reason == "STL" || lock.Reason == "FRD")
		if lock.Permanent() != want {
			t.Errorf("%v is permanent: %v", lock, !want)
		}
	}
	if (Lock{Unlocked, Lost}).Permanent() {
		t.Error("no lock is permanent")
	}
}

// TestLockMovesOnlyWhatItShould compares the whole card before and after.
func TestLockMovesOnlyWhatItShould(t *testing.T) {
	later := noon.Add(time.Hour)
	before := standing(Verified, unlocked)
	locked, err := before.LockByCustomer(Temporary, later)
	wantCodes(t, err)
	want := before
	want.Lock, want.Modified = Lock{Customer, Temporary}, later
	if diff := cmp.Diff(want, locked); diff != "" {
		t.Errorf("locked card (-want +got):\n%s", diff)
	}

	again := later.Add(time.Hour)
	back, err := locked.UnlockByCustomer(again)
	wantCodes(t, err)
	want.Lock, want.Modified = unlocked, again
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("unlocked card (-want +got):\n%s", diff)
	}
}

// TestNothingToDoLeavesTheDate checks that an act without effect does not count as a change of the
// card.
func TestNothingToDoLeavesTheDate(t *testing.T) {
	later := noon.Add(time.Hour)
	open := standing(Verified, unlocked)
	lost := standing(Verified, Lock{Customer, Lost})
	mislaid := standing(Verified, Lock{Customer, Temporary})
	for name, test := range map[string]struct {
		before Card
		act    func(Card) (Card, error)
	}{
		"unlock": {open, func(c Card) (Card, error) { return c.UnlockByCustomer(later) }},
		"lock":   {lost, func(c Card) (Card, error) { return c.LockByCustomer(Temporary, later) }},
		"lock for the same reason": {mislaid, func(c Card) (Card, error) {
			return c.LockByCustomer(Temporary, later)
		}},
		"hotlist": {lost, func(c Card) (Card, error) {
			return c.LockByCustomer(Stolen, later)
		}},
		"reprioritize": {open, func(c Card) (Card, error) {
			return c.ReprioritizeAccount(full(creator), 12, 2, later)
		}},
	} {
		after, err := test.act(test.before)
		wantCodes(t, err)
		if diff := cmp.Diff(test.before, after); diff != "" {
			t.Errorf("%s without effect (-before +after):\n%s", name, diff)
		}
	}
}

// TestOperatorIsToldOfAGraverLock rejects a lock that would change nothing, unless it is the same
// lock.
func TestOperatorIsToldOfAGraverLock(t *testing.T) {
	t.Parallel()
	c := standing(Verified, Lock{System, Administrative})
	refused := (*Refusal)(nil)
	_, err := c.LockByOperator(PinRetries, Always, noon)
	if !errors.As(err, &refused) || !strings.Contains(refused.Why, "outranks") {
		t.Errorf("PIN after ADM: %v", err)
	}
	for _, reason := range []Reason{Administrative, SuspectedFraud} {
		if after, err := c.LockByOperator(reason, Always, noon); err != nil || after.Lock.Reason != reason {
			t.Errorf("%s after ADM: %+v, %v", reason, after.Lock, err)
		}
	}
}
