package simulator

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/vault"
)

// submit sends an order of a card to a port, and returns the answer as text.
func submit(t *rapid.T, to *Port, sequence int, kind order.Kind, orderID string) string {
	t.Helper()
	answer, err := to.Submit(t.Context(), processor.Message{
		OrderID: orderID, Sequence: sequence, Kind: kind, CardID: 5001, Created: at,
		Card: order.Snapshot{Accounts: &order.Accounts{PrimaryAccountID: sequence}},
		Secret: &processor.Secret{
			ExpireYear: 2031, Pin: &vault.Pin{Text: secret.New("4711")},
		},
	})
	text, failed := json.Marshal(answer)
	if failed != nil {
		t.Fatal(failed)
	}
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestStateGoesOn saves the state of a simulator after random orders and reports, lets it continue,
// restores the state and repeats the same input: the answers are the same.
func TestStateGoesOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		port := NewPort(New("sandbox", Instant), func() time.Time { return at })
		sequence := 0
		type step struct {
			kind order.Kind
			mode Mode
			says order.ReportKind
			old  bool // an earlier order
		}
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{
				rapid.SampledFrom(order.Kinds).Draw(t, "kind"),
				rapid.SampledFrom(append([]Mode{""}, Modes...)).Draw(t, "mode"),
				rapid.SampledFrom(append([]order.ReportKind{""}, order.ReportKinds...)).
					Draw(t, "says"),
				rapid.Bool().Draw(t, "old"),
			}
		}), 1, 12)
		run := func(of []step) (answers []string) {
			for _, s := range of {
				if s.mode != "" {
					if err := port.SetMode(s.mode); err != nil {
						t.Fatal(err)
					}
				}
				if !s.old || sequence == 0 {
					sequence++
				}
				answers = append(answers,
					submit(t, port, sequence, s.kind, "o"+strings.Repeat("x", sequence)))
				if s.says != "" {
					report, err := port.Report(5001, s.says, "")
					text, _ := json.Marshal(report)
					if err != nil {
						text = []byte(err.Error())
					}
					answers = append(answers, string(text))
				}
			}
			return answers
		}
		run(steps.Draw(t, "before"))
		state, err := port.State()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(state), "4711") {
			t.Fatalf("a PIN is in the state: %s", state)
		}
		after, begun := steps.Draw(t, "after"), sequence
		want := run(after)
		if err := port.Restore(state); err != nil {
			t.Fatal(err)
		}
		again, err := port.State()
		if diff := cmp.Diff(string(state), string(again)); diff != "" || err != nil {
			t.Fatalf("the state (-kept +put back): %v\n%s", err, diff)
		}
		sequence = begun
		if diff := cmp.Diff(want, run(after)); diff != "" {
			t.Fatalf("answers (-first +again):\n%s", diff)
		}
	})
}

// TestRestoreNothing checks that a simulator without a state is a new one.
func TestRestoreNothing(t *testing.T) {
	t.Parallel()
	port := NewPort(New("sandbox", Instant), func() time.Time { return at })
	fresh, err := port.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := port.SetMode(Down); err != nil {
		t.Fatal(err)
	}
	if err := port.Restore(nil); err != nil {
		t.Fatal(err)
	}
	if state, err := port.State(); err != nil || string(state) != string(fresh) {
		t.Errorf("%s, %v, want %s", state, err, fresh)
	}
	if err := port.Restore([]byte("{")); err == nil {
		t.Error("a broken state is taken")
	}
}
