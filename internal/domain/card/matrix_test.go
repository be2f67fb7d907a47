package card

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/customer"
	"mintmark/internal/testkit/golden"
)

// trial is one act of the matrix. It returns the resulting cards.
type trial struct {
	name string
	act  Act
	try  func(c Card, mode Mode, who int, now time.Time) ([]Card, error)
}

// trialOf returns a trial of an act that results in one card: the card must belong to the customer
// and its status must allow the act, then the rule decides.
func trialOf(
	name string, act Act, rule func(c Card, who int, now time.Time) (Card, error),
) trial {
	return trial{name, act, func(c Card, mode Mode, who int, now time.Time) ([]Card, error) {
		if err := c.CheckCustomer(act, mode, who); err != nil {
			return nil, err
		}
		after, err := rule(c, who, now)
		return []Card{after}, err
	}}
}

// customerTrials are the acts of customers. The card has the checking accounts 11 and 12 and the
// savings account 21.
var customerTrials = []trial{
	trialOf("verify", Verify, func(c Card, _ int, now time.Time) (Card, error) {
		return c.Verify(true, c.LastFour, now)
	}),
	trialOf("lock TMP", LockCard, func(c Card, _ int, now time.Time) (Card, error) {
		return c.LockByCustomer(Temporary, now)
	}),
	trialOf("lock FRD", LockCard, func(c Card, _ int, now time.Time) (Card, error) {
		return c.LockByCustomer(SuspectedFraud, now)
	}),
	trialOf("hotlist LST", Hotlist, func(c Card, _ int, now time.Time) (Card, error) {
		return c.LockByCustomer(Lost, now)
	}),
	trialOf("unlock", Unlock, func(c Card, _ int, now time.Time) (Card, error) {
		return c.UnlockByCustomer(now)
	}),
	{"reissue DMG", ReissueSamePAN, func(
		c Card, mode Mode, who int, now time.Time,
	) ([]Card, error) {
		return reissue(c, mode, who, ReissueSamePAN, Damaged, now)
	}},
	{"reissue STL", ReissueNewPAN, func(
		c Card, mode Mode, who int, now time.Time,
	) ([]Card, error) {
		return reissue(c, mode, who, ReissueNewPAN, Stolen, now)
	}},
	trialOf("archive", Archive, func(c Card, _ int, now time.Time) (Card, error) {
		return c.Archive(now), nil
	}),
	trialOf("addAccount", AddAccount, func(c Card, who int, now time.Time) (Card, error) {
		if err := c.CheckAddAccount(full(who)); err != nil {
			return Card{}, err
		}
		return c.AddAccount(customer.Account{ID: 22, Type: customer.Savings}, 2, now)
	}),
	trialOf("removeAccount", RemoveAccount, func(c Card, who int, now time.Time) (Card, error) {
		return c.RemoveAccount(full(who), 12, customer.FullAccess, now)
	}),
	trialOf("reprioritize", Reprioritize, func(c Card, who int, now time.Time) (Card, error) {
		return c.ReprioritizeAccount(full(who), 12, 1, now)
	}),
	trialOf("resetpin", ResetPin, func(c Card, _ int, now time.Time) (Card, error) {
		return c.OrderPin(now), nil
	}),
}

// reissue carries out the steps of a reissue.
func reissue(
	c Card, mode Mode, who int, act Act, reason Reason, now time.Time,
) ([]Card, error) {
	act, reason = c.ReissueAs(act, reason)
	if err := c.CheckCustomer(act, mode, who); err != nil {
		return nil, err
	}
	if err := c.CheckReissuable(); err != nil {
		return nil, err
	}
	if act == ReissueSamePAN {
		return []Card{c.ReissueSamePAN(mode, "", now)}, nil
	}
	old, replacement := c.ReissueNewPAN(mode, reason, "", 48, now)
	return []Card{old, replacement}, nil
}

// processorTrials are the acts of the processor and of time.
var processorTrials = []struct {
	act Act
	try func(Card, time.Time) (Card, bool)
}{
	{TakeOrder, Card.TakeOrder}, {Ship, Card.Ship}, {Deliver, Card.Deliver},
	{Return, Card.Return}, {Refuse, Card.Refuse}, {RefuseToMake, Card.RefuseToMake},
	{SetPin, Card.SetPin}, {LockBySystem, Card.ExceedPinTries}, {LockBySystem, Card.Compromise},
	{ExpireUnverified, Card.ExpireUnverified}, {Renew, renewInTime},
}

// renewInTime renews a card as if it expired this month.
func renewInTime(c Card, now time.Time) (Card, bool) {
	expiring := c
	expiring.ExpireYear, expiring.ExpireMonth = now.Year(), int(now.Month())
	after, done := expiring.Renew(48, now)
	if !done {
		return c, false
	}
	return after, true
}

// operatorTrials are the operators' acts on the lock. They depend on the status of the card alone.
var operatorTrials = []struct {
	name string
	act  Act
	rule func(Card, time.Time) (Card, error)
}{
	{"lock ADM", LockBySystem, lockFor(Administrative)},
	{"lock PIN", LockBySystem, lockFor(PinRetries)},
	{"lock STL", LockBySystem, lockFor(Stolen)},
	{"unlock", UnlockBySystem, Card.UnlockBySystem},
}

func lockFor(reason Reason) func(Card, time.Time) (Card, error) {
	return func(c Card, now time.Time) (Card, error) { return c.LockBySystem(reason, now), nil }
}

// TestMatrix tries every act on every status under every lock, for every caller and in both modes.
// Callers with the same outcome share a line; the sandbox is listed where its outcome differs.
func TestMatrix(t *testing.T) {
	var got bytes.Buffer
	line := func(c Card, act, who, outcome string) {
		fmt.Fprintf(&got, "%-34s | %-46s | %-15s | %s\n", show(c), act, who, outcome)
	}
	for _, status := range Statuses {
		for _, lock := range locks() {
			c := standing(status, lock)
			for _, trial := range customerTrials {
				ours, theirs := trial.outcome(c, creator), trial.outcome(c, holder)
				if ours != theirs {
					t.Errorf("%s, %s: creator gets %s, holder %s", show(c), trial.name, ours,
						theirs)
				}
				line(c, trial.name, "creator, holder", ours)
				line(c, trial.name, "stranger", trial.outcome(c, stranger))
			}
			for _, trial := range processorTrials {
				outcome := "ignored"
				if after, done := trial.try(c, noon); done {
					outcome = show(after)
				}
				line(c, string(trial.act), "processor", outcome)
			}
			for _, trial := range operatorTrials {
				after, err := trial.rule(c, noon)
				outcome := show(after)
				switch {
				case !c.Allows(trial.act, Always):
					outcome = "not allowed"
				case err != nil:
					outcome = strings.Trim(fmt.Sprint(codes(err)), "[]")
				}
				line(c, trial.name, "operator", outcome)
			}
		}
	}
	golden.Compare(t, "testdata/matrix.golden", got.Bytes())
}

// outcome returns the outcome of the act in both modes.
func (tr trial) outcome(c Card, who int) string {
	in := func(mode Mode) string {
		after, err := tr.try(c, mode, who, noon)
		if err != nil {
			return strings.Trim(fmt.Sprint(codes(err)), "[]")
		}
		var shown []string
		for _, a := range after {
			text := show(a)
			if !slices.Equal(a.Slots.All(), c.Slots.All()) {
				text += fmt.Sprint(" ", a.Slots.Checking, a.Slots.Savings)
			}
			shown = append(shown, text)
		}
		return strings.Join(shown, " and ")
	}
	production, sandbox := in(Production), in(Sandbox)
	if production == sandbox {
		return production
	}
	return production + "; sandbox: " + sandbox
}

// standing returns a card with a status and a lock, whether or not they can be reached.
func standing(status Status, lock Lock) Card {
	c := Initiate(order(), noon)
	c.Status, c.Lock, c.LastFour = status, lock, "1111"
	c.Slots = Slots{Checking: []int{11, 12}, Savings: []int{21}}
	return c
}

func show(c Card) string { return fmt.Sprintf("%s %s/%s", c.Status, c.Lock.Type, c.Lock.Reason) }

// TestMatrixTriesEveryAct checks that every act of the transition table is tried here.
func TestMatrixTriesEveryAct(t *testing.T) {
	var tried []Act
	for _, trial := range customerTrials {
		tried = append(tried, trial.act)
	}
	for _, trial := range processorTrials {
		tried = append(tried, trial.act)
	}
	for _, trial := range operatorTrials {
		tried = append(tried, trial.act)
	}
	for _, act := range acts() {
		if !slices.Contains(tried, act) {
			t.Errorf("the matrix does not try %q", act)
		}
	}
}

// TestAllows checks that the acts that a status allows do not depend on the customer: the creator
// is refused for the status alone, a stranger always. Acts reserved for operators are refused to
// both.
func TestAllows(t *testing.T) {
	for _, status := range Statuses {
		for act := range accessFaults {
			for _, mode := range []Mode{Production, Sandbox} {
				c := standing(status, unlocked)
				allowed := c.Allows(act, mode)
				if row, _ := find(mode, status, act); row.Mode == ByOperator {
					allowed = false
				}
				for who, want := range map[int]bool{
					creator: allowed, holder: allowed, stranger: false,
				} {
					err := c.CheckCustomer(act, mode, who)
					if (err == nil) != want {
						t.Errorf("%s in %s, %v, customer %d: %v, and allowed is %t", act, status,
							mode, who, err, allowed)
					}
				}
			}
		}
	}
}

// TestAllowsProcessor checks the acts of the processor and of time, which are not the customer's:
// only the statuses that allow them permit them.
func TestAllowsProcessor(t *testing.T) {
	for _, status := range Statuses {
		for _, trial := range processorTrials {
			c := standing(status, unlocked)
			if _, done := trial.try(c, noon); done != c.Allows(trial.act, Always) {
				t.Errorf("%s in %s is done: %t", trial.act, status, done)
			}
		}
	}
}
