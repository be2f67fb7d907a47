package transfers_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/app/demo"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/issuingtest"
)

// times returns the number of repetitions: the value of an environment variable, or a few.
func times(t *testing.T, variable string, few int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// atOnce requests authorizations concurrently, alternating between the nodes, and returns the
// responses in order.
func atOnce(
	t *testing.T, nodes []*issuingtest.World, requests []authorization.Request,
) []transfers.Authorized {
	t.Helper()
	answers := make([]transfers.Authorized, len(requests))
	var running sync.WaitGroup
	for i, a := range requests {
		running.Go(func() {
			var err error
			answers[i], err = nodes[i%len(nodes)].Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, a)
			if err != nil {
				t.Errorf("%s: %v", a.ID, err)
			}
		})
	}
	running.Wait()
	return answers
}

// TestManyOnOneCard drains the accounts A, B and C of one card with 64 concurrent authorizations.
// The approved sum never exceeds the balances, and each is paid from the first account that can
// pay: an amount paid from a later account, or declined, is larger than the remainder of the
// earlier ones.
func TestManyOnOneCard(t *testing.T) {
	t.Parallel()
	rounds := times(t, "MINTMARK_ROUNDS", 5)
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		for round := range rounds {
			balances := []int64{10_000, 7_500, int64(5_000 + round)}
			w.Spendable(balances...)
			requests := make([]authorization.Request, issuingtest.Workers)
			for i := range requests {
				amount := int64(1000)
				if round%2 == 1 {
					amount = int64(100 + (i*7919+round*104_729)%1900)
				}
				requests[i] = issuingtest.PurchaseRequest(fmt.Sprintf("a-%d-%d", round, i), amount)
			}
			checkDrained(w, balances, requests, atOnce(t, []*issuingtest.World{w}, requests), round%2 == 0)
		}
	})
}

// checkDrained compares the responses with the initial balances, and releases the holds.
func checkDrained(w *issuingtest.World,
	balances []int64, requests []authorization.Request, answers []transfers.Authorized, equal bool,
) {
	w.TB.Helper()
	left := append([]int64(nil), balances...)
	counts := make([]int, len(balances)+1)
	for i, a := range answers {
		at := len(balances)
		if a.Approved() {
			at = a.AccountID - 2001
			left[at] -= requests[i].Amount.TenThousandths / 100
		}
		counts[at]++
	}
	for i, rest := range left {
		if rest < 0 {
			w.TB.Errorf("account %d is overdrawn by %d", 2001+i, -rest)
		}
		wantBalances(w, 2001+i, balances[i], rest)
	}
	for i, a := range answers {
		amount := requests[i].Amount.TenThousandths / 100
		for earlier, rest := range left {
			if a.AccountID == 2001+earlier {
				break
			}
			if rest >= amount {
				w.TB.Errorf("%d was taken from account %d, and %d is left on %d", amount,
					a.AccountID, rest, 2001+earlier)
			}
		}
	}
	if equal && (counts[0] != 10 || counts[1] != 7 || counts[2] != 5) {
		w.TB.Errorf("the accounts paid %v times", counts)
	}
	for _, a := range answers {
		if a.Approved() {
			release(w, a.HoldID, authorization.Released)
		}
	}
	for i, balance := range balances {
		wantBalances(w, 2001+i, balance, balance)
	}
}

// TestSameAtOnce checks that many concurrent senders of the same authorization, on two nodes, get
// the same response, and that there is one hold.
func TestSameAtOnce(t *testing.T) {
	t.Parallel()
	same := func(t *testing.T, nodes []*issuingtest.World) {
		w := nodes[0]
		w.Spendable(100_000)
		for round := range times(t, "MINTMARK_ROUNDS", 5) {
			requests := make([]authorization.Request, issuingtest.Workers)
			for i := range requests {
				requests[i] = issuingtest.PurchaseRequest(fmt.Sprint("same ", round), 100)
			}
			answers := atOnce(t, nodes, requests)
			for _, a := range answers {
				if a != answers[0] || !a.Approved() {
					t.Errorf("answered %+v and %+v", answers[0], a)
				}
			}
			wantBalances(w, 2001, 100_000, 100_000-int64(round+1)*100)
		}
	}
	t.Run("embedded", func(t *testing.T) { t.Parallel(); same(t, []*issuingtest.World{issuingtest.NewProduction(t)}) })
	t.Run("postgresql", func(t *testing.T) { t.Parallel(); same(t, issuingtest.NewServed(t, 2)) })
}

// TestLimitAtOnce checks that concurrent authorizations get no more than the daily limits allow,
// for a user and for the whole program.
func TestLimitAtOnce(t *testing.T) {
	t.Parallel()
	most := issuingtest.Cents(2000)
	limit := &program.Limit{MaximumAmount: &most}
	for name, set := range map[string]func(*program.Settings){
		"user":    func(s *program.Settings) { s.PerUserDailyWithdrawLimit = limit },
		"program": func(s *program.Settings) { s.PerProgramDailyWithdrawLimit = limit },
	} {
		t.Run(name, func(t *testing.T) {
			issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
				w.Spendable(100_000, 100_000)
				before := authorize(w, issuingtest.PurchaseRequest("before", 500), authorization.Approved)
				w.SetLimits(set)
				requests := make([]authorization.Request, issuingtest.Workers)
				for i := range requests {
					requests[i] = issuingtest.PurchaseRequest(fmt.Sprint("a", i), 100)
				}
				approved := 0
				for _, a := range atOnce(t, []*issuingtest.World{w}, requests) {
					if a.Approved() {
						approved++
					}
				}
				if approved != 15 {
					t.Errorf("%d were approved, want 15", approved)
				}
				release(w, before.HoldID, authorization.Released)
				authorize(w, issuingtest.PurchaseRequest("after", 500), authorization.Approved)
				authorize(w, issuingtest.PurchaseRequest("over", 1), authorization.OverLimit)
			})
		})
	}
}

// TestAllAtOnce mixes authorizations, postings, releases and expiries of holds.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(50_000, 50_000)
		var mu sync.Mutex
		posted := map[int]int64{}
		var running sync.WaitGroup
		for i := range issuingtest.Workers {
			running.Go(func() {
				amount := int64(100 + i)
				authorized := authorize(w, issuingtest.PurchaseRequest(fmt.Sprint("a", i), amount), authorization.Approved)
				switch i % 4 {
				case 0:
					release(w, authorized.HoldID, authorization.Released)
				case 1, 2:
					for range 2 { // the second run changes nothing
						post(w, authorization.PostingRequest{
							ID: fmt.Sprint("p", i), HoldID: authorized.HoldID, Amount: issuingtest.Cents(amount - 1),
						})
					}
					mu.Lock()
					posted[authorized.AccountID] += amount - 1
					mu.Unlock()
				}
			})
		}
		running.Wait()
		w.Clock.Advance(authorization.HoldLife)
		for range 4 {
			running.Go(func() {
				if _, err := w.Transfers.EndHolds(t.Context()); err != nil {
					t.Errorf("EndHolds: %v", err)
				}
			})
		}
		running.Wait()
		for _, id := range []int{2001, 2002} {
			wantBalances(w, id, 50_000-posted[id], 50_000-posted[id])
		}
	})
}

// sequence is a random sequence of acts, with the expected results.
type sequence struct {
	*issuingtest.World
	*rapid.T
	name     string
	ids      int
	balance  map[int]int64 // by account, in cents
	standing []authorization.Hold
	posted   []authorization.Posting
}

// TestRandomSequences checks after random sequences of authorize, post, release and expire that the
// available balance is the balance less the holds, and that the user's sums are those of the open
// holds and the postings.
func TestRandomSequences(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Clock = clock.FrozenAt(issuingtest.Start)
	engine, err := sqlite.OpenMemory(t.Context(), sqlite.Options{Clock: w.Clock})
	if err != nil {
		t.Fatal(err)
	}
	kept := sqlstore.New(engine)
	defer kept.Close()
	copyInto(w, kept)
	done, wanted := 0, times(t, "MINTMARK_SEQUENCES", 300)
	for done < wanted {
		rapid.Check(t, func(rt *rapid.T) {
			s := &sequence{World: w, T: rt, name: fmt.Sprint(done, " "),
				balance: map[int]int64{}}
			done++
			s.run()
		})
	}
	t.Logf("%d sequences", done)
}

// copyInto switches the service to another store with the demo data.
func copyInto(w *issuingtest.World, kept store.Store) {
	w.TB.Helper()
	w.Store = kept
	w.Settings.Clock = w.Clock
	w.Service = acts.New(kept, w.Vault, w.Settings)
	data, err := demo.Read()
	if err != nil {
		w.TB.Fatal(err)
	}
	w.Update(func(tx store.Tx) error { return data.Write(tx, w.Vault, rand.Reader, issuingtest.Ending) })
}

// resetSums resets the sums of the user.
func resetSums(w *issuingtest.World) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		for _, d := range []authorization.Direction{
			authorization.Withdraws, authorization.Deposits,
		} {
			v, err := tx.Authorizations().FindView(store.CardRef{ID: 5001}, d)
			if err != nil {
				return err
			}
			v.User.Day, v.User.OfDay, v.User.OfMonth = 0, issuingtest.Cents(0), issuingtest.Cents(0)
			if err := tx.Usages().Put(v.User); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *sequence) run() {
	amounts := rapid.Int64Range(1, 500)
	atMoment(s.World, issuingtest.Start)
	resetSums(s.World)
	s.Spendable(1000, 700, 300)
	for id, balance := range map[int]int64{2001: 1000, 2002: 700, 2003: 300} {
		s.balance[id] = balance
	}
	for range rapid.IntRange(1, 12).Draw(s.T, "acts") {
		act := rapid.SampledFrom([]string{
			"authorize", "authorize", "authorize", "post", "release", "expire", "wait",
		}).Draw(s.T, "act")
		amount := amounts.Draw(s.T, "amount")
		switch act {
		case "authorize":
			s.ask(amount)
		case "post":
			s.settle(amount)
		case "release":
			if h, ok := s.take(); ok {
				release(s.World, h.ID, authorization.Released)
			}
		case "expire":
			s.expire()
		case "wait":
			s.Clock.Advance(time.Duration(rapid.IntRange(1, 100).Draw(s.T, "hours")) * time.Hour)
		}
		s.check()
	}
	for len(s.standing) > 0 { // the next sequence starts without holds
		h, _ := s.take()
		release(s.World, h.ID, authorization.Released)
	}
}

func (s *sequence) id() string { s.ids++; return s.name + strconv.Itoa(s.ids) }

func (s *sequence) ask(amount int64) {
	a := issuingtest.PurchaseRequest(s.id(), amount)
	a.Kind = rapid.SampledFrom(authorization.Kinds).Draw(s.T, "kind")
	authorized, err := s.Transfers.Authorize(s.T.Context(), issuingtest.ProcessorActor, a)
	if err != nil {
		s.T.Fatal(err)
	}
	if authorized.Approved() {
		s.standing = append(s.standing, authorization.Hold{
			ID: authorized.HoldID, AccountID: authorized.AccountID, Kind: a.Kind, Amount: a.Amount,
			Placed: s.Clock.Now(), Ends: s.Clock.Now().Add(authorization.HoldLife),
		})
	}
}

// take removes a random open hold from the model.
func (s *sequence) take() (authorization.Hold, bool) {
	if len(s.standing) == 0 {
		return authorization.Hold{}, false
	}
	i := rapid.IntRange(0, len(s.standing)-1).Draw(s.T, "hold")
	h := s.standing[i]
	s.standing = append(s.standing[:i:i], s.standing[i+1:]...)
	return h, true
}

// settle posts a hold, or an amount without one.
func (s *sequence) settle(amount int64) {
	m := authorization.PostingRequest{ID: s.id(), AccountID: 2002, Amount: issuingtest.Cents(amount),
		Kind: rapid.SampledFrom(authorization.Kinds).Draw(s.T, "kind")}
	if h, ok := s.take(); ok {
		m.HoldID, m.AccountID, m.Kind = h.ID, h.AccountID, h.Kind
	}
	s.posted = append(s.posted, post(s.World, m))
	if m.Kind == authorization.Deposit {
		amount = -amount
	}
	s.balance[m.AccountID] -= amount
}

func (s *sequence) expire() {
	var left []authorization.Hold
	for _, h := range s.standing {
		if h.Ends.After(s.Clock.Now()) {
			left = append(left, h)
		}
	}
	ended, err := s.Transfers.EndHolds(s.T.Context())
	if err != nil || ended != len(s.standing)-len(left) {
		s.T.Fatalf("%d holds ended (%v), want %d", ended, err, len(s.standing)-len(left))
	}
	s.standing = left
}

// check compares the database with the model.
func (s *sequence) check() {
	held := map[int]int64{}
	for _, h := range s.standing {
		if h.Kind != authorization.Deposit {
			held[h.AccountID] += h.Amount.TenThousandths / 100
		}
	}
	for id, balance := range s.balance {
		wantBalances(s.World, id, balance, balance-held[id])
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		s.T.Fatal(err)
	}
	for _, kind := range []authorization.Kind{authorization.Purchase, authorization.Deposit} {
		s.checkSums(kind.Direction(), zone)
	}
}

// checkSums compares the sums of the user with the holds and the postings.
func (s *sequence) checkSums(direction authorization.Direction, zone *time.Location) {
	var got authorization.Usage
	s.View(func(r store.Tx) error {
		v, err := r.Authorizations().FindView(store.CardRef{ID: 5001}, direction)
		got = v.User
		return err
	})
	var ofDay, ofMonth value.Amount
	add := func(kind authorization.Kind, at time.Time, amount value.Amount) {
		day := authorization.DayOf(at.In(zone))
		if kind.Direction() == direction && day == got.Day {
			ofDay.TenThousandths += amount.TenThousandths
		}
		if kind.Direction() == direction && day/100 == got.Day/100 {
			ofMonth.TenThousandths += amount.TenThousandths
		}
	}
	for _, h := range s.standing {
		add(h.Kind, h.Placed, h.Amount)
	}
	for _, p := range s.posted {
		add(p.Kind, p.Posted, p.Amount)
	}
	if got.OfDay != ofDay || got.OfMonth != ofMonth {
		s.T.Fatalf("the sums of %d are %s and %s, want %s and %s", got.Day, got.OfDay.Fixed(2),
			got.OfMonth.Fixed(2), ofDay.Fixed(2), ofMonth.Fixed(2))
	}
}
