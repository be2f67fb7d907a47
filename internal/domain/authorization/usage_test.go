package authorization

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// TestDays checks the day of a time, at both clock changes of a year.
func TestDays(t *testing.T) {
	chicago, err := time.LoadLocation("America/Chicago")
	if err != nil {
		t.Fatal(err)
	}
	for moment, want := range map[string]Day{
		"2026-03-08T05:59:59Z": 20260307, // in winter the day begins at 6:00 UTC
		"2026-03-08T06:00:00Z": 20260308, // 23 hours long
		"2026-03-09T04:59:59Z": 20260308,
		"2026-03-09T05:00:00Z": 20260309,
		"2026-11-01T04:59:59Z": 20261031, // in summer it begins at 5:00 UTC
		"2026-11-01T05:00:00Z": 20261101, // 25 hours long
		"2026-11-02T05:59:59Z": 20261101,
		"2026-11-02T06:00:00Z": 20261102,
		"2027-01-01T05:59:59Z": 20261231,
		"2027-01-01T06:00:00Z": 20270101,
		"2028-02-29T12:00:00Z": 20280229,
		"2026-06-01T04:59:59Z": 20260531,
		"2026-06-01T05:00:00Z": 20260601,
		"2026-11-01T07:30:00Z": 20261101, // half past one for the second time
	} {
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayOf(at.In(chicago)); got != want {
			t.Errorf("%s is of %d, want %d", moment, got, want)
		}
	}
	for day, want := range map[Day]Day{
		20260131: 20260201, 20260228: 20260301, 20280228: 20280229, 20261231: 20270101,
		20260308: 20260309,
	} {
		if got := day.next(); got != want {
			t.Errorf("behind %d comes %d", day, got)
		}
	}
}

func TestUsage(t *testing.T) {
	u := Usage{Day: 20260531, OfDay: cents(100), OfMonth: cents(1000), Revision: 3}
	sums := func(u Usage) [2]int64 {
		return [2]int64{u.OfDay.TenThousandths / 100, u.OfMonth.TenThousandths / 100}
	}
	for name, test := range map[string]struct {
		got  Usage
		want [2]int64
		day  Day
	}{
		"the same day":              {u.At(20260531), [2]int64{100, 1000}, 20260531},
		"the day before":            {u.At(20260530), [2]int64{100, 1000}, 20260531},
		"the day after":             {u.At(20260601), [2]int64{0, 0}, 20260601},
		"a year after":              {u.At(20270531), [2]int64{0, 0}, 20270531},
		"two days before":           {u.At(20260529), [2]int64{0, 1000}, 20260529},
		"more":                      {u.Add(cents(5)), [2]int64{105, 1005}, 20260531},
		"taken back":                {u.Take(cents(5), 20260531), [2]int64{95, 995}, 20260531},
		"taken back, of the month":  {u.Take(cents(5), 20260501), [2]int64{100, 995}, 20260531},
		"taken back, of long ago":   {u.Take(cents(5), 20260430), [2]int64{100, 1000}, 20260531},
		"taken back, of last year":  {u.Take(cents(5), 20250531), [2]int64{100, 1000}, 20260531},
		"never below zero":          {u.Take(cents(500), 20260531), [2]int64{0, 500}, 20260531},
		"the first of a new user":   {Usage{}.At(20260531).Add(cents(7)), [2]int64{7, 7}, 20260531},
		"the month of the next day": {u.At(20260601).Add(cents(7)), [2]int64{7, 7}, 20260601},
	} {
		if sums(test.got) != test.want || test.got.Day != test.day {
			t.Errorf("%s: %v of %d, want %v", name, sums(test.got), test.got.Day, test.want)
		}
	}
	full := Usage{OfDay: value.Amount{TenThousandths: math.MaxInt64 - 1}}.Add(cents(1))
	if within(limit(1, 0), full.OfDay) || !within(nil, full.OfDay) {
		t.Error("a sum that does not fit is within a limit")
	}
}

// model holds the expected balances of an account after any steps.
type model struct {
	balance  int64
	setAside int64 // by the bank
	standing map[string]Hold
}

// TestBalances places, posts and releases holds in any order. After each step the available balance
// is the balance less the open holds and the amount set aside by the bank.
func TestBalances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.Int64Range(1, 1000)
		m := model{
			balance: amounts.Draw(t, "balance"), setAside: amounts.Draw(t, "set aside") / 100,
			standing: map[string]Hold{},
		}
		a := Account{Balance: cents(m.balance), Available: cents(m.balance - m.setAside),
			Status: customer.Open}
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			a = m.step(t, a, string(rune('a'+i)), amounts.Draw(t, "amount"))
			held := int64(0)
			for _, h := range m.standing {
				if h.Kind != Deposit {
					held += h.Amount.TenThousandths
				}
			}
			if a.Balance != cents(m.balance) || a.Held.TenThousandths != held ||
				a.Available.TenThousandths != (m.balance-m.setAside)*100-held {
				t.Fatalf("balance %s, available %s, held %s", a.Balance, a.Available, a.Held)
			}
		}
	})
}

// step applies one change to the account and to the model.
func (m *model) step(t *rapid.T, a Account, id string, amount int64) Account {
	kind := rapid.SampledFrom(Kinds).Draw(t, "kind")
	var err error
	switch act := rapid.SampledFrom([]string{"hold", "release", "post"}).Draw(t, "act"); act {
	case "hold":
		if !a.Covers(Transfer{Kind: kind, Amount: cents(amount)}) {
			return a
		}
		before := a
		h := Hold{ID: id, Kind: kind, Amount: cents(amount)}
		a, err = a.Hold(h)
		m.standing[id] = h
		if a.Available.TenThousandths < 0 && a.Available != before.Available {
			t.Fatalf("a hold has taken the available balance to %s", a.Available)
		}
	default:
		for _, h := range m.standing { // any one
			a, err = a.Release(h, now)
			delete(m.standing, h.ID)
			break
		}
		if act == "post" && err == nil {
			a, err = a.Post(kind, cents(amount), now)
			if kind == Deposit {
				amount = -amount
			}
			m.balance -= amount
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRange checks that a balance out of range is rejected.
func TestRange(t *testing.T) {
	greatest := value.Amount{TenThousandths: math.MaxInt64}
	full := Account{Balance: greatest, Available: greatest}
	if _, err := full.Post(Deposit, cents(1), now); !errors.Is(err, ErrRange) {
		t.Errorf("a deposit beyond the greatest amount: %v", err)
	}
	poor := Account{Balance: value.Amount{TenThousandths: -math.MaxInt64}}
	if _, err := poor.Post(Purchase, cents(1), now); !errors.Is(err, ErrRange) {
		t.Errorf("a purchase beyond the least amount: %v", err)
	}
	if _, err := full.Post(Purchase, greatest, now); err != nil {
		t.Errorf("a purchase of everything: %v", err)
	}
}

// TestHoldID checks that an authorization has one hold, with an identifier in letters that cannot
// contain a card number.
func TestHoldID(t *testing.T) {
	id := Authorization{ID: "auth-1", CardID: 5001}.HoldID()
	other := Authorization{ID: "auth-2", CardID: 5001}.HoldID()
	if len(id) != 32 || !strings.HasPrefix(id, HoldPrefix(5001)) ||
		!strings.HasPrefix(other, HoldPrefix(5001)) || HoldPrefix(5001) == HoldPrefix(5002) ||
		strings.Trim(id, "abcdefghijklmnop") != "" || id == other {
		t.Errorf("the holds are %s and %s", id, other)
	}
}
