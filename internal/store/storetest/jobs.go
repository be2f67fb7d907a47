package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

var jobs = []test{
	{"Notices", notices},
	{"Expiring", expiring},
	{"DocumentMoments", documentMoments},
	{"Future", future},
}

// aNotice is a notice that was not given yet.
var aNotice = store.Notice{Kind: store.KeyExpiring, Subject: "k1/00", Moment: created}

// notices checks that a notice is given once, and again for another time.
func notices(t *testing.T, s store.Store) {
	given := aNotice
	has := func(n store.Notice) bool {
		return find(t, s, func(r store.Tx) (bool, error) { return r.Due().HasNotice(n) })
	}
	put := func(tx store.Tx) error { return tx.Due().PutNotice(given) }
	if has(given) {
		t.Error("got a notice before one was stored")
	}
	update(t, s, put)
	later, other, kind := given, given, given
	later.Moment = created.Add(time.Millisecond)
	other.Subject, kind.Kind = "k2/00", store.DocumentExpired
	if !has(given) || has(later) || has(other) || has(kind) {
		t.Error("got another notice, or none")
	}
	wantUpdate(t, s, "the notice again", store.ErrExists, put)
}

// expiring lists cards by their last month, and omits those that are not renewed.
func expiring(t *testing.T, s store.Store) {
	background(t, s)
	var want []int
	for _, row := range []struct {
		nick   string
		listed bool
		change func(*card.Card)
	}{
		{"first", true, func(*card.Card) {}},
		{"locked by the customer", true, func(c *card.Card) {
			c.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
		}},
		{"lost", false, func(c *card.Card) {
			c.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
		}},
		{"locked by the system", false, func(c *card.Card) {
			c.Lock = card.Lock{Type: card.System, Reason: card.Administrative}
		}},
		{"another month", false, func(c *card.Card) { c.ExpireMonth = 7 }},
		{"another year", false, func(c *card.Card) { c.ExpireYear++ }},
		{"pending", false, func(c *card.Card) { c.Status = card.PendingVerification }},
		{"last", true, func(*card.Card) {}},
	} {
		c := plain(row.nick)
		c.Status, c.Verified = card.Verified, created
		c.ExpireYear, c.ExpireMonth = 2031, 6
		row.change(&c)
		if stored := kept(t, s, c); row.listed {
			want = append(want, stored.ID)
		}
	}
	list := func(of store.Expiring, limit int) []int {
		return find(t, s, func(r store.Tx) ([]int, error) {
			return r.Due().ListExpiring(of, limit)
		})
	}
	june := store.Expiring{ProgramID: programID, Year: 2031, Month: 6}
	wantSame(t, list(june, 9), want)
	wantSame(t, list(june, 2), want[:2])
	june.After = want[1]
	wantSame(t, list(june, 9), want[2:])
	june.ProgramID++
	wantSame(t, list(june, 9), []int(nil))
}

// documentMoments lists the times that have passed without a notice, once for each program of the
// bank.
func documentMoments(t *testing.T, s store.Store) {
	background(t, s)
	document := bankdoc.Document{
		ID: 7, BankID: bankID, Culture: "en-US", Type: "FeeSchedule", Title: "T", HTML: "h",
		Effective: created, Expires: created.Add(time.Hour),
	}
	ahead := document
	ahead.ID, ahead.Effective, ahead.Expires = 8, created.Add(24*time.Hour), time.Time{}
	update(t, s,
		func(tx store.Tx) error { return tx.Documents().Put(document) },
		func(tx store.Tx) error { return tx.Documents().Put(ahead) },
	)
	list := func(kind store.NoticeKind, from, to time.Duration) []store.DocumentTime {
		return find(t, s, func(r store.Tx) ([]store.DocumentTime, error) {
			return r.Due().ListDocuments(kind, created.Add(from), created.Add(to), 9)
		})
	}
	momentOf := func(kind store.NoticeKind, at time.Time, programs ...int) []store.DocumentTime {
		var all []store.DocumentTime
		for _, id := range programs {
			all = append(all, store.DocumentTime{
				Notice: store.Notice{
					Kind: kind, Moment: at, Subject: fmt.Sprintf("%d/%d", document.ID, id),
				},
				DocumentID: document.ID, ProgramID: id, Culture: "en-US", Type: "FeeSchedule",
			})
		}
		return all
	}
	const effective, expired = store.DocumentEffective, store.DocumentExpired
	both := momentOf(effective, created, programID, otherProgram)
	wantSame(t, list(effective, -time.Hour, time.Hour), both)
	wantSame(t, list(effective, -1, 0), both)
	wantSame(t, list(effective, 0, time.Hour), []store.DocumentTime(nil))
	wantSame(t, list(effective, -time.Hour, -time.Millisecond), []store.DocumentTime(nil))
	ended := momentOf(expired, document.Expires, programID, otherProgram)
	wantSame(t, list(expired, 0, time.Hour), ended)
	update(t, s, func(tx store.Tx) error { return tx.Due().PutNotice(both[0].Notice) })
	wantSame(t, list(effective, -time.Hour, time.Hour), both[1:])
	wantSame(t, list(expired, 0, time.Hour), ended)
	// A time that moves is announced again.
	document.Effective, document.Revision = created.Add(time.Minute), 1
	update(t, s, func(tx store.Tx) error { return tx.Documents().Put(document) })
	moved := momentOf(effective, document.Effective, programID, otherProgram)
	wantSame(t, list(effective, -time.Hour, time.Hour), moved)
}

// future writes at a time in the future, and checks that nothing waits for that time afterwards.
func future(t *testing.T, s store.Store) {
	background(t, s)
	c, gone, hook := kept(t, s, plain("one")), kept(t, s, plain("two")), keptWebhook(t, s, "one")
	ada := operator.Person{
		Name: "ada", Roles: operator.Roles{operator.Auditor}, State: operator.Active, Created: created,
	}
	session := func(name string, now time.Time) operator.Session {
		return operator.Session{
			Digest: []byte(name), Data: []byte{1}, Expires: now.Add(operator.SessionLifetime),
		}
	}
	ahead := clock.WithTime(context.Background(), time.Now().Add(40*24*time.Hour))
	err := s.Update(ahead, func(tx store.Tx) error {
		for cardID, holder := range map[int]string{c.ID: "", gone.ID: "gone"} {
			o := anOrder(cardID, 1, order.Make)
			o.NextTry, o.ClaimedBy = tx.Now().Add(time.Minute), holder
			if err := tx.Orders().Put(o); err != nil {
				return err
			}
		}
		lease := store.Lease{Name: "job", Holder: "gone", Until: tx.Now().Add(time.Minute)}
		if err := tx.Jobs().PutLease(lease); err != nil {
			return err
		}
		if err := tx.Deliveries().Put(delivery(hook.ID, 8, 1, tx.Now())); err != nil {
			return err
		}
		if err := tx.Sessions().Put(session("future", tx.Now())); err != nil {
			return err
		}
		ada.SessionsSince = tx.Now()
		if err := tx.Operators().Put(&ada); err != nil {
			return err
		}
		return tx.Cards().PutAttempt(c.ID, store.PinTaken)
	})
	if err != nil {
		t.Fatal(err)
	}
	claims(t, s)
	var now time.Time
	update(t, s, func(tx store.Tx) error {
		now = tx.Now()
		return tx.Sessions().Put(session("now", now))
	})
	update(t, s, func(tx store.Tx) error {
		now = tx.Now()
		return tx.Due().ChangeFuture()
	})
	update(t, s, func(tx store.Tx) error {
		return tx.Jobs().PutLease(store.Lease{Name: "job", Holder: "here", Until: tx.Now()})
	})
	claims(t, s, append(ordersOf(t, s, c.ID), ordersOf(t, s, gone.ID)...)...)
	view(t, s, func(r store.Tx) error {
		_, kept := r.Sessions().Find([]byte("now"))
		_, gone := r.Sessions().Find([]byte("future"))
		wantError(t, "a session of the future", gone, store.ErrNotFound)
		due, err := r.Deliveries().ListEndpointsDue(now)
		wantSame(t, due, []int{hook.ID})
		attempts, unlisted := r.Cards().ListAttempts(c.ID, store.PinTaken, 9)
		wantSame(t, attempts, []time.Time{now})
		p, unfound := r.Operators().Find(ada.ID)
		wantSame(t, p.SessionsSince, now)
		return errors.Join(kept, err, unlisted, unfound)
	})
}
