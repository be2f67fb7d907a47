package programs_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestSettingsAreFiveMinutesOld checks the maximum age of the settings that a caller sees, that
// filledDate is the time at which they were read, and that each read has a separate version. A card
// shown with them then has another version, too.
func TestSettingsAreFiveMinutesOld(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	read := func() *issuing.Program {
		t.Helper()
		settings, err := w.ProgramSettings(t.Context(), issuingtest.Caller)
		if err != nil {
			t.Fatal(err)
		}
		return settings
	}
	first := read()
	if first.Settings.Name != "Example1" || !first.Settings.FilledDate.Equal(issuingtest.Start) {
		t.Errorf("the settings are those of %s at %s", first.Settings.Name, first.Settings.FilledDate)
	}
	shown := func() cards.Version {
		t.Helper()
		id := strconv.Itoa(issuingtest.VerifiedCard)
		_, unread := w.Cards.Get(t.Context(), issuingtest.Caller, "1001", id)
		detail, err := w.Cards.Get(t.Context(), issuingtest.Caller, "1001", id) // now from the read cache
		if err = errors.Join(unread, err); err != nil || !detail.Version.Known() {
			t.Fatalf("the card has version %v (%v)", detail.Version, err)
		}
		return detail.Version
	}
	before := shown()
	w.Rename("Renamed")
	w.Clock.Advance(5*time.Minute - time.Millisecond)
	if got := read(); got.Settings.Name != "Example1" || !got.Settings.FilledDate.Equal(issuingtest.Start) ||
		got.Version != first.Version {
		t.Errorf("before their time the settings are read again: %s, snapshot %d after %d",
			got.Settings.Name, got.Version, first.Version)
	}
	w.Clock.Advance(time.Millisecond)
	second := read()
	if second.Settings.Name != "Renamed" || !second.Settings.FilledDate.Equal(w.Clock.Now()) ||
		second.Version <= first.Version {
		t.Errorf("after five minutes the settings are those of %s at %s, snapshot %d after %d",
			second.Settings.Name, second.Settings.FilledDate, second.Version, first.Version)
	}
	if shown() == before {
		t.Error("a card is shown by other settings, and has the version that it had")
	}
}

// TestSettingsOfTheFutureAreNotKept sets the clock back, as the reset of a sandbox does: settings
// read later than now would otherwise be used until the clock catches up.
func TestSettingsOfTheFutureAreNotKept(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	w.Clock.Advance(90 * 24 * time.Hour)
	if _, err := w.ProgramSettings(t.Context(), issuingtest.Caller); err != nil {
		t.Fatal(err)
	}
	w.Rename("Renamed")
	w.Clock.Set(clock.Setting{Frozen: issuingtest.Start})
	got, err := w.ProgramSettings(t.Context(), issuingtest.Caller)
	if err != nil || got.Settings.Name != "Renamed" {
		t.Errorf("the settings are %+v: %v", got, err)
	}
}

// TestNothingElseIsOld checks that a customer locked just now is locked, although the settings of
// its program are older.
func TestNothingElseIsOld(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	if _, err := w.Cards.Get(t.Context(), issuingtest.Caller, "1001", "5001"); err != nil {
		t.Fatal(err)
	}
	w.Update(func(tx store.Tx) error {
		customer, err := tx.Customers().Find(1, 1001)
		if err != nil {
			return err
		}
		customer.IsLocked = true
		return tx.Customers().Put(customer)
	})
	_, err := w.Cards.Get(t.Context(), issuingtest.Caller, "1001", "5001")
	issuingtest.WantCodes(t, err, 60004)
}

// TestTroubles checks the response to a caller when the database is unreachable or slow, for an act
// that reads and one that writes, with the program cached or not.
func TestTroubles(t *testing.T) {
	t.Parallel()
	acts := map[string]func(*issuingtest.World, context.Context) error{
		"read": func(w *issuingtest.World, ctx context.Context) error {
			_, err := w.Cards.Get(ctx, issuingtest.Caller, "1001", "5001")
			return err
		},
		"write": func(w *issuingtest.World, ctx context.Context) error {
			_, err := w.Cards.Initiate(ctx, issuingtest.Caller, w.NewOrder())
			return err
		},
		"settings": func(w *issuingtest.World, ctx context.Context) error {
			_, err := w.ProgramSettings(ctx, issuingtest.Caller)
			return err
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewSandbox(t)
			late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
			defer cancel()
			err := act(w, late)
			issuingtest.WantCodes(t, err, 50504)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the cause is lost: %v", err)
			}
			if name != "settings" { // cached settings need no database
				if err := act(w, t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Store.Close(); err != nil {
				t.Fatal(err)
			}
			err = act(w, t.Context())
			issuingtest.WantCodes(t, err, 50503)
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("the cause is lost: %v", err)
			}
			if got := fault.All(err); len(got) == 0 || got[0].RetryAfter != time.Second {
				t.Errorf("the caller is not told when to come again: %v", got)
			}
		})
	}
}

// TestUnknownTroubleStaysAsItIs checks that an unclassified error is not a fault of the catalogue,
// and that a lost race is retried only a few times.
func TestUnknownTroubleStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{issuingtest.ErrDisk, store.ErrLostUpdate, store.ErrExists} {
		w := issuingtest.NewSandbox(t)
		tries := 0
		w.Through(func(tx store.Tx) store.Tx {
			tries++
			return noAudit{tx, cause}
		})
		_, err := w.Cards.Initiate(t.Context(), issuingtest.Caller, w.NewOrder())
		if !errors.Is(err, cause) || fault.All(err) != nil {
			t.Errorf("the answer is %v, want %v", err, cause)
		}
		want := 5
		if cause == issuingtest.ErrDisk {
			want = 1
		}
		if tries != want {
			t.Errorf("%v: the transaction was run %d times, want %d", cause, tries, want)
		}
	}
}

// noAudit is a store that cannot store audit entries.
type noAudit struct {
	store.Tx
	cause error
}

func (n noAudit) Audit() store.Audit { return failingAudit{n.Tx.Audit(), n.cause} }

type failingAudit struct {
	store.Audit
	cause error
}

func (f failingAudit) Put(audit.Entry) error { return f.cause }
