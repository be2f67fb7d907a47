package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

var agenda = []test{
	{"Unverified", agendaUnverified},
	{"Pins", agendaPins},
	{"Holds", agendaHolds},
	{"Expiring", agendaExpiring},
	{"Documents", agendaDocuments},
	{"Orders", agendaOrders},
	{"Answers", agendaAnswers},
	{"AtAMoment", atAMoment},
}

// nextAt calls next repeatedly, each time with the time it returned before, and returns all times.
func nextAt(
	t *testing.T, s store.Store, next func(store.Due, time.Time) (time.Time, error),
) []time.Time {
	t.Helper()
	var all []time.Time
	for at := created.AddDate(-9, 0, 0); ; {
		moment := find(t, s, func(r store.Tx) (time.Time, error) { return next(r.Due(), at) })
		if moment.IsZero() {
			return all
		}
		if !moment.After(at) {
			t.Fatalf("after %s: got %s", at, moment)
		}
		all, at = append(all, moment), moment
	}
}

// agendaUnverified stores cards that have been waiting since several dates. A card that was created
// early and shipped late has been waiting for less time than those in between.
func agendaUnverified(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, func(tx store.Tx) error {
		p, err := tx.Programs().Find(programID)
		if err != nil {
			return err
		}
		p.VerificationWindowDays = 2
		return tx.Programs().Put(p)
	})
	late := plain("created first, shipped last")
	late.Status, late.Shipped = card.PendingVerification, created.Add(9*time.Hour)
	late.Modified = late.Shipped
	kept(t, s, late)
	for i, nick := range []string{"first", "second", "third"} {
		c := plain(nick)
		c.Status = card.PendingVerification
		c.Created = created.Add(time.Duration(i+1) * time.Hour)
		c.Requested, c.Modified = c.Created, c.Created
		kept(t, s, c)
	}
	usable := plain("usable")
	usable.Status, usable.Verified = card.Verified, created
	kept(t, s, usable)
	got := nextAt(t, s, func(a store.Due, after time.Time) (time.Time, error) {
		moments, err := a.NextUnverified(after)
		if len(moments) == 0 {
			return time.Time{}, err
		}
		wantSame(t, len(moments), 1)
		wantSame(t, moments[0].ProgramID, programID)
		return moments[0].Moment, err
	})
	var want []time.Time
	for _, hours := range []time.Duration{1, 2, 3, 9} {
		want = append(want, created.Add(48*time.Hour+hours*time.Hour+time.Millisecond))
	}
	wantSame(t, got, want)
	// At each of these times, and not before, one more card is late.
	for i, moment := range want {
		for early, count := range map[time.Duration]int{0: i + 1, time.Millisecond: i} {
			cards := find(t, s, func(r store.Tx) ([]card.Card, error) {
				return r.Cards().ListUnverified(programID, moment.Add(-48*time.Hour-early), 9)
			})
			wantSame(t, len(cards), count)
		}
	}
}

func agendaPins(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("pins"))
	update(t, s, func(tx store.Tx) error {
		var errs []error
		for i, minutes := range []time.Duration{3, 1, 1, 2} {
			o := anOrder(c.ID, i+1, order.SetPin)
			o.Created = created.Add(minutes * time.Minute)
			if minutes != 2 {
				o.SealedPin = []byte{1}
			}
			errs = append(errs, tx.Orders().Put(o))
		}
		return errors.Join(errs...)
	})
	got := nextAt(t, s, func(a store.Due, after time.Time) (time.Time, error) {
		moments, err := a.NextPin(after)
		if len(moments) == 0 {
			return time.Time{}, err
		}
		wantSame(t, moments, []store.ProgramTime{{ProgramID: programID, Moment: moments[0].Moment}})
		return moments[0].Moment, err
	})
	wantSame(t, got, []time.Time{created.Add(time.Minute), created.Add(3 * time.Minute)})
}

func agendaHolds(t *testing.T, s store.Store) {
	background(t, s)
	foreign, later := hold("foreign", 77), hold("later", 77)
	foreign.ProgramID, foreign.Ends = otherProgram, foreign.Ends.Add(time.Minute)
	later.Ends = later.Ends.Add(time.Hour)
	first := hold("first", 77)
	update(t, s,
		func(tx store.Tx) error { return tx.Holds().Put(first) },
		func(tx store.Tx) error { return tx.Holds().Put(later) },
		func(tx store.Tx) error { return tx.Holds().Put(foreign) },
	)
	next := func(after time.Time) []store.ProgramTime {
		return find(t, s, func(r store.Tx) ([]store.ProgramTime, error) {
			return r.Due().NextHold(after)
		})
	}
	here := func(ends time.Time) store.ProgramTime {
		return store.ProgramTime{ProgramID: programID, Moment: ends}
	}
	there := store.ProgramTime{ProgramID: otherProgram, Moment: foreign.Ends}
	wantSame(t, next(first.Ends.Add(-time.Millisecond)),
		[]store.ProgramTime{here(first.Ends), there})
	wantSame(t, next(first.Ends), []store.ProgramTime{here(later.Ends), there})
	wantSame(t, next(foreign.Ends), []store.ProgramTime{here(later.Ends)})
	wantSame(t, next(later.Ends), []store.ProgramTime(nil))
}

func agendaExpiring(t *testing.T, s store.Store) {
	background(t, s)
	for _, row := range []struct {
		nick        string
		year, month int
		change      func(*card.Card)
	}{
		{"a", 2031, 12, func(*card.Card) {}},
		{"b", 2031, 2, func(*card.Card) {}},
		{"c", 2032, 1, func(*card.Card) {}},
		{"lost", 2031, 3, func(c *card.Card) {
			c.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
		}},
		{"pending", 2031, 4, func(c *card.Card) { c.Status = card.PendingVerification }},
	} {
		c := plain(row.nick)
		c.Status, c.Verified, c.ExpireYear, c.ExpireMonth = card.Verified, created, row.year, row.month
		row.change(&c)
		kept(t, s, c)
	}
	for _, row := range []struct{ first, last, year, month int }{
		{2031*12 + 0, 2040 * 12, 2031, 2},
		{2031*12 + 1, 2031*12 + 1, 2031, 2},
		{2031*12 + 2, 2040 * 12, 2031, 12},
		{2031*12 + 2, 2031*12 + 10, 0, 0},
		{2031*12 + 12, 2032 * 12, 2032, 1},
		{2032*12 + 1, 2040 * 12, 0, 0},
	} {
		view(t, s, func(r store.Tx) error {
			year, month, ok, err := r.Due().NextExpiring(store.ExpiringMonths{
				ProgramID: programID, First: row.first, Last: row.last,
			})
			wantSame(t, []int{year, month}, []int{row.year, row.month})
			wantSame(t, ok, row.year > 0)
			return err
		})
	}
}

func agendaDocuments(t *testing.T, s store.Store) {
	background(t, s)
	first, second := document(7, "en-US"), document(8, "en-US")
	first.Effective, first.Expires = created, created.Add(2*time.Hour)
	second.Effective, second.Expires = created.Add(time.Hour), time.Time{}
	update(t, s,
		func(tx store.Tx) error { return tx.Documents().Put(first) },
		func(tx store.Tx) error { return tx.Documents().Put(second) },
	)
	got := nextAt(t, s, store.Due.NextDocument)
	wantSame(t, got, []time.Time{created, created.Add(time.Hour), created.Add(2 * time.Hour)})
}

// agendaOrders checks that NextOrder returns the attempts that a claim would make: an order behind
// another one of its card has none, unless it is urgent, and no other order has any while an urgent
// one has not reached the processor.
func agendaOrders(t *testing.T, s store.Store) {
	background(t, s)
	first := putOrders(t, s, "first", order.Make, order.Unlock, order.Lock)
	second := putOrders(t, s, "second", order.Make)
	at := func(o order.Order, minutes time.Duration, change func(*order.Order)) {
		settle(t, s, o.ID, func(o *order.Order) {
			o.NextTry = created.Add(minutes * time.Minute)
			change(o)
		})
	}
	as := func(*order.Order) {}
	at(first[1], 1, as)
	at(first[2], 2, as)
	at(first[0], 3, as)
	at(second[0], 4, as)
	next := func() []time.Time { return nextAt(t, s, store.Due.NextOrder) }
	minutes := func(all ...time.Duration) []time.Time {
		var moments []time.Time
		for _, moment := range all {
			moments = append(moments, created.Add(moment*time.Minute))
		}
		return moments
	}
	wantSame(t, next(), minutes(3, 4))
	settle(t, s, first[0].ID, done)
	at(first[1], 1, as)
	at(first[2], 2, func(o *order.Order) { o.Unreachable = true })
	wantSame(t, next(), minutes(2))
	at(first[2], 2, func(o *order.Order) { o.Unreachable = false })
	wantSame(t, next(), minutes(1, 2, 4))
}

func agendaAnswers(t *testing.T, s store.Store) {
	background(t, s)
	answer := answerTo("new")
	answer.At = created.Add(2 * time.Minute)
	update(t, s, func(tx store.Tx) error {
		read, unread := approval("read"), approval("unread")
		errs := []error{
			tx.CallerAnswers().Put(answer),
			tx.OperatorAnswers().Put(operatorAnswer("k", created.Add(time.Minute))),
			tx.Approvals().Put(&read), tx.Approvals().Put(&unread),
		}
		for i, a := range []*operator.Approval{&read, &unread} {
			a.State, a.Ended = operator.Approved, created.Add(time.Duration(3+i)*time.Minute)
			if a == &unread {
				a.Result = []byte{1}
			}
			errs = append(errs, tx.Approvals().Put(a))
		}
		return errors.Join(errs...)
	})
	wantSame(t, nextAt(t, s, store.Due.NextAnswer), []time.Time{
		created.Add(time.Minute), created.Add(2 * time.Minute), created.Add(4 * time.Minute),
	})
}

// atAMoment checks that every transaction in a context with a time takes place at that time.
func atAMoment(t *testing.T, s store.Store) {
	background(t, s)
	ctx := clock.WithTime(t.Context(), created)
	told := func(tx store.Tx) error { wantSame(t, tx.Now(), created); return nil }
	for name, run := range map[string]func(context.Context, func(store.Tx) error) error{
		"Read": s.Read, "View": s.View, "Update": s.Update,
	} {
		wantError(t, name, run(ctx, told), nil)
	}
	wantError(t, "Dispatch", s.Dispatch(ctx, func(o store.OrderQueue) error {
		wantSame(t, o.Now(), created)
		return nil
	}), nil)
	view(t, s, func(r store.Tx) error {
		if r.Now().Equal(created) {
			t.Error("a context without a moment got the moment of another context")
		}
		return nil
	})
	wantError(t, "Put", s.Update(ctx, func(tx store.Tx) error {
		p, err := tx.Programs().FindIssuing(programID)
		wantSame(t, p, program.Issuing{
			ID: programID, BankID: bankID, Bins: []program.Bin{storedBin(binID, programID)},
		})
		if err != nil {
			return err
		}
		return tx.Due().PutNotice(aNotice)
	}), nil)
}
