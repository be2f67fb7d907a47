package simulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/vault"
)

var at = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

func numbered(sequence int, kind order.Kind) Order {
	return Order{
		ID: fmt.Sprintf("o%d", sequence), Sequence: sequence, Kind: kind, CardID: 5001,
		Card: order.Snapshot{Accounts: &order.Accounts{PrimaryAccountID: sequence}},
		Secret: &processor.Secret{
			ExpireYear: 2030 + sequence,
			Pin:        &vault.Pin{Text: secret.New(fmt.Sprintf("%04d", sequence))},
		},
	}
}

// shape returns the properties of a card that are compared.
func shape(c *Card) string {
	return fmt.Sprint(c.Lock, c.Closed, c.Accounts.PrimaryAccountID, c.Pin.Reveal(), c.makeOrder,
		c.Secret.ExpireYear)
}

// TestOlderUndoesNothing delivers the orders of a card in any order, some of them twice, and
// compares the card with one whose orders arrived in sequence.
func TestOlderUndoesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom([]order.Kind{
			order.Remake, order.Lock, order.Unlock, order.Hotlist, order.SetAccounts, order.SetPin,
		}), 1, 8).Draw(t, "kinds")
		orders := []Order{numbered(1, order.Make)}
		for i, kind := range kinds {
			orders = append(orders, numbered(i+2, kind))
		}
		straight, mixed := New("a", Manual), New("b", Manual)
		for _, o := range orders {
			straight.Receive(o, at)
		}
		arriving := rapid.Permutation(slices.Concat(orders, orders)).Draw(t, "arriving")
		for _, o := range arriving {
			mixed.Receive(o, at)
		}
		want, got := shape(straight.Card(5001)), shape(mixed.Card(5001))
		if want != got {
			t.Fatalf("the card is %s, want %s", got, want)
		}
		if held := mixed.Orders(5001); len(held) != len(orders) || held[0].Times != 2 {
			t.Fatalf("held are %+v", held)
		}
	})
}

// TestRepeated checks that a repeated order has no effect and gets the same answer.
func TestRepeated(t *testing.T) {
	t.Parallel()
	m := New("a", Instant)
	first, repeated := m.Receive(numbered(1, order.Make), at)
	again, known := m.Receive(numbered(1, order.Make), at.Add(time.Hour))
	if repeated || !known || !cmp.Equal(first, again) || len(first.Reports) != 2 {
		t.Errorf("%+v, then %+v", first, again)
	}
	if m.Queue(first.Reports...); len(m.Waiting()) != 2 {
		t.Errorf("waiting are %v", m.Waiting())
	}
	m.Queue(again.Reports...)
	m.Delivered("o1-taken")
	if waiting := m.Waiting(); len(waiting) != 1 || waiting[0].ID != "o1-shipped" {
		t.Errorf("waiting are %v", waiting)
	}
}

// TestRefusedComesAgain retries a refused order: it is refused again, then done, and then known.
func TestRefusedComesAgain(t *testing.T) {
	t.Parallel()
	m := New("a", Instant)
	m.Receive(numbered(1, order.Make), at)
	for i, want := range []struct {
		mode     Mode
		outcome  processor.Outcome
		repeated bool
	}{
		{Refusing, processor.Refused, false}, {Refusing, processor.Refused, false},
		{Instant, processor.Done, false}, {Refusing, processor.Done, true},
	} {
		if err := m.SetMode(want.mode); err != nil {
			t.Fatal(err)
		}
		answer, repeated := m.Receive(numbered(2, order.Lock), at)
		if answer.Outcome != want.outcome || repeated != want.repeated {
			t.Errorf("try %d: %+v, repeated: %v", i+1, answer, repeated)
		}
	}
	held := m.Orders(5001)
	if len(held) != 2 || held[1].Times != 4 || held[1].Effect != Applied ||
		m.Card(5001).Lock != "locked" {
		t.Errorf("held are %+v, the card is %+v", held, m.Card(5001))
	}
}

// TestModes checks the answer and the reports of each mode for each kind of order.
func TestModes(t *testing.T) {
	t.Parallel()
	reported := map[order.Kind]string{
		order.Make: "[taken shipped]", order.Remake: "[taken shipped]", order.SetPin: "[pinSet]",
	}
	for _, kind := range order.Kinds {
		for mode, want := range map[Mode]processor.Outcome{
			Instant: processor.Done, Manual: processor.Done, Refusing: processor.Refused,
		} {
			reports := "[]"
			if said := reported[kind]; said != "" && mode == Instant {
				reports = said
			} else if said != "" && mode == Manual {
				want = processor.Accepted
			}
			answer, _ := New("a", mode).Receive(numbered(1, kind), at)
			kinds := []order.ReportKind{}
			for _, report := range answer.Reports {
				kinds = append(kinds, report.Kind)
				if report.OrderID != "o1" || report.CardID != 5001 || !report.At.Equal(at) {
					t.Errorf("%s %s: %+v", mode, kind, report)
				}
			}
			if answer.Outcome != want || fmt.Sprint(kinds) != reports {
				t.Errorf("%s %s: %+v", mode, kind, answer)
			}
		}
	}
}

// TestSay checks which order each report refers to, and that each report has a unique identifier.
func TestSay(t *testing.T) {
	t.Parallel()
	m := New("a", Manual)
	if _, err := m.Report(5001, order.Taken, "", at); err == nil {
		t.Error("a report about an unknown card")
	}
	m.Receive(numbered(1, order.Make), at)
	m.Receive(numbered(2, order.SetPin), at)
	m.Receive(numbered(3, order.Remake), at)
	answers := map[order.ReportKind]string{
		order.PinSet: "o2", order.PinTriesExceeded: "", order.Compromised: "",
	}
	for i, kind := range order.ReportKinds {
		want, other := answers[kind]
		if !other {
			want = "o3"
		}
		report, err := m.Report(5001, kind, "why", at)
		if err != nil || report.OrderID != want || report.ID != fmt.Sprintf("a-%d", i+1) ||
			report.Reason != "why" {
			t.Errorf("%s: %+v, %v", kind, report, err)
		}
	}
	if _, err := m.Report(5001, "eaten", "", at); err == nil {
		t.Error("a report of an unknown kind")
	}
	if m.SetMode("odd") == nil || m.Mode() != Manual {
		t.Error("an odd mode is taken")
	}
}

// TestPort checks the parts of the simulator that a sandbox sees.
func TestPort(t *testing.T) {
	t.Parallel()
	port := NewPort(New("a", Instant), func() time.Time { return at })
	send := func(sequence int) (processor.Answer, error) {
		o := numbered(sequence, order.Make)
		return port.Submit(context.Background(), processor.Message{
			OrderID: o.ID, Sequence: o.Sequence, Kind: o.Kind, CardID: o.CardID, Secret: o.Secret,
		})
	}
	answer, err := send(1)
	if err != nil || answer.Outcome != processor.Done || len(answer.Reports) != 2 {
		t.Errorf("%+v, %v", answer, err)
	}
	report, err := port.Report(5001, order.Compromised, "why")
	if err != nil || report.CardID != 5001 {
		t.Errorf("%+v, %v", report, err)
	}
	if err := port.SetMode(Down); err != nil {
		t.Fatal(err)
	}
	if _, err := send(2); !errors.Is(err, processor.ErrUnreachable) {
		t.Errorf("down: %v", err)
	}
	if err := port.SetMode(Refusing); err != nil {
		t.Fatal(err)
	}
	if answer, err := send(2); err != nil || answer.Outcome != processor.Refused {
		t.Errorf("refusing: %+v, %v", answer, err)
	}
	if err := port.SetMode(Instant); err != nil {
		t.Fatal(err)
	}
	for i := range kept {
		_, err := port.Submit(context.Background(), processor.Message{
			OrderID: fmt.Sprint("n", i), Sequence: 1, Kind: order.Make, CardID: 10_001 + i,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	m := port.machine
	if len(m.Orders(0)) != kept || len(m.orders) != kept || len(m.cards) != kept ||
		m.Card(5001) != nil {
		t.Errorf("held are %d orders and %d cards", len(m.orders), len(m.cards))
	}
}
