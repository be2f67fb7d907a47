package card

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/customer"
	"mintmark/internal/golden"
)

// trial is one act as the matrix tries it out. An act returns the cards that it leaves behind.
type trial struct {
	name string
	act  Act
	try  func(c Card, mode Mode, who int, now time.Time) ([]Card, error)
}

// one adapts an act from which one card comes.
func one(act func(c Card, who int, now time.Time) (Card, error)) func(
	Card, Mode, int, time.Time) ([]Card, error) {
	return func(c Card, _ Mode, who int, now time.Time) ([]Card, error) {
		after, err := act(c, who, now)
		return []Card{after}, err
	}
}

// customerTrials are the acts of customers. The card has the checking accounts 11 and 12 and the
// savings account 21.
var customerTrials = []trial{
	{"verify", Verify, one(func(c Card, who int, now time.Time) (Card, error) {
		if err := c.AdmitVerify(who); err != nil {
			return Card{}, err
		}
		return c.Verify(true, c.LastFour, now)
	})},
	{"lock TMP", LockCard, one(func(c Card, who int, now time.Time) (Card, error) {
		return c.LockBy(who, Temporary, now)
	})},
	{"lock FRD", LockCard, one(func(c Card, who int, now time.Time) (Card, error) {
		return c.LockBy(who, SuspectedFraud, now)
	})},
	{"hotlist LST", Hotlist, one(func(c Card, who int, now time.Time) (Card, error) {
		return c.HotlistBy(who, Lost, now)
	})},
	{"unlock", Unlock, one(Card.UnlockBy)},
	{"reissue DMG", Renew, func(c Card, mode Mode, who int, now time.Time) ([]Card, error) {
		return reissue(c, mode, who, Renew, Damaged, now)
	}},
	{"reissue STL", Replace, func(c Card, mode Mode, who int, now time.Time) ([]Card, error) {
		return reissue(c, mode, who, Replace, Stolen, now)
	}},
	{"archive", Archive, one(Card.ArchiveBy)},
	{"addAccount", AddAccount, one(func(c Card, who int, now time.Time) (Card, error) {
		if err := c.AdmitAdd(full(who)); err != nil {
			return Card{}, err
		}
		return c.Add(customer.Account{ID: 22, Type: customer.Savings}, 2, now)
	})},
	{"removeAccount", RemoveAccount, one(func(c Card, who int, now time.Time) (Card, error) {
		return c.Remove(full(who), 12, customer.FullAccess, now)
	})},
	{"reprioritize", Reprioritize, one(func(c Card, who int, now time.Time) (Card, error) {
		return c.Reprioritize(full(who), 12, 1, now)
	})},
	{"resetpin", ResetPin, one(func(c Card, who int, _ time.Time) (Card, error) {
		return c, c.AdmitResetPin(who)
	})},
}

// reissue carries out what the card makes of a reissue.
func reissue(
	c Card, mode Mode, who int, act Act, reason Reason, now time.Time,
) ([]Card, error) {
	act, reason = c.ReissueAs(act, reason)
	if err := c.AdmitReissue(mode, act, who); err != nil {
		return nil, err
	}
	if act == Renew {
		return []Card{c.Renew(mode, "", now)}, nil
	}
	old, replacement := c.Replace(mode, reason, "", 48, now)
	return []Card{old, replacement}, nil
}

// processorTrials are what the processor and time do.
var processorTrials = []struct {
	act Act
	try func(Card, time.Time) (Card, bool)
}{
	{TakeOrder, Card.TakeOrder}, {Ship, Card.Ship}, {Refuse, Card.Refuse}, {RunOut, Card.RunOut},
}

// TestMatrix tries every act on every status under every lock, for every caller and in both modes.
// Callers who are answered alike share a line; the sandbox is named where it answers otherwise.
func TestMatrix(t *testing.T) {
	var got bytes.Buffer
	line := func(c Card, act, who, outcome string) {
		fmt.Fprintf(&got, "%-34s | %-25s | %-15s | %s\n", show(c), act, who, outcome)
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
		}
	}
	golden.Compare(t, "testdata/matrix.golden", got.Bytes())
}

// outcome tells what comes of the act in both modes.
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

// standing returns a card with a status and a lock, whichever way it came to them.
func standing(status Status, lock Lock) Card {
	c := Initiate(order(), noon)
	c.Status, c.Lock, c.LastFour = status, lock, "1111"
	c.Slots = Slots{Checking: []int{11, 12}, Savings: []int{21}}
	return c
}

func show(c Card) string { return fmt.Sprintf("%s %s/%s", c.Status, c.Lock.Type, c.Lock.Reason) }

// TestMatrixTriesEveryAct holds that an act added to the table is also added here.
func TestMatrixTriesEveryAct(t *testing.T) {
	var tried []Act
	for _, trial := range customerTrials {
		tried = append(tried, trial.act)
	}
	for _, trial := range processorTrials {
		tried = append(tried, trial.act)
	}
	for _, act := range acts() {
		if !slices.Contains(tried, act) {
			t.Errorf("the matrix does not try %q", act)
		}
	}
}
