package e2e

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"mintmark/client"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	people "mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
)

// act is one operation of a history, and seen its result.
type act struct {
	card     int // its index among the cards of the history
	name     string
	account  int // for acts that name one
	priority int // for acts that set one
}

type seen struct {
	code    int  // of the first error, 0 for success
	state   face // the card in the answer; zero if there is none
	decided authorization.Decision
}

// face is the part of a card that callers see.
type face struct {
	status, lock string
	accounts     string // those of both categories, in order
}

// oneAfterTheOther models a store of cards that performs one act after another: the rules, without
// concurrency. A history is linearizable if such a store could have given the same answers.
var oneAfterTheOther = porcupine.Model{
	Partition: byCard,
	Init:      func() any { return fresh },
	Step: func(state, input, output any) (bool, any) {
		before, did, saw := state.(card.Card), input.(act), output.(seen)
		if did.name == "authorize" {
			return saw.decided == decide(before), before
		}
		after, err := did.by(before)
		if faults := fault.All(err); len(faults) > 0 {
			return saw.code == faults[0].Code(), before
		}
		return saw.code == 0 && (saw.state == face{} || saw.state == faceOf(after)), after
	},
	Equal: func(a, b any) bool { return faceOf(a.(card.Card)) == faceOf(b.(card.Card)) },
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%+v -> %+v", input, output)
	},
}

// byCard splits a history by card: the cards are independent.
func byCard(history []porcupine.Operation) [][]porcupine.Operation {
	parts := make(map[int][]porcupine.Operation)
	for _, o := range history {
		number := o.Input.(act).card
		parts[number] = append(parts[number], o)
	}
	return slices.Collect(maps.Values(parts))
}

// fresh is a card as the sandbox creates it.
var fresh = card.Card{
	ID: 1, CustomerID: customer, HolderID: customer, LastFour: "1111",
	Status: card.PendingVerification,
	Lock:   card.Lock{Type: card.Unlocked, Reason: card.Unknown},
	Slots:  card.Slots{Checking: []int{2001}}, PrimaryCategory: people.Checking,
}

// callerIs is the acting customer of the demo data, as far as the rules need it.
var callerIs = people.Standing{ID: customer, AccessType: people.Full}

// deposit is the transfer that the card processor asks about. Unlike a purchase it needs no
// balance, so the decision depends only on the card.
var deposit = authorization.Transfer{
	Kind: authorization.Deposit, Amount: value.Amount{TenThousandths: 1_0000},
}

// decide decides the transfer by the rules. All accounts of the history are open.
func decide(c card.Card) authorization.Decision {
	well := people.Standing{
		IsActive: true, Status: people.Verified, AccessType: people.Full,
	}
	view := authorization.View{
		Card: authorization.Card{
			ID: c.ID, Status: c.Status, Lock: c.Lock, ExpireMonth: 12, ExpireYear: 2099,
			Slots: c.Slots, PrimaryCategory: c.PrimaryCategory,
		},
		Creator: well, Holder: well, Accounts: make(map[int]authorization.Account),
	}
	for _, id := range c.Slots.All() {
		view.Accounts[id] = authorization.Account{ID: id, Status: people.Open}
	}
	d, _ := authorization.Decide(authorization.Question{Transfer: deposit}, view,
		authorization.Rules{}, time.Unix(0, 0))
	return d
}

// actOf maps names to acts.
var actOf = map[string]card.Act{
	"lock": card.LockCard, "unlock": card.Unlock, "hotlist": card.Hotlist,
	"archive": card.Archive, "verify": card.Verify, "addAccount": card.AddAccount,
	"removeAccount": card.RemoveAccount, "reprioritizeAccount": card.Reprioritize,
}

// by performs the act on a card by the rules. A face does not show the time.
func (a act) by(c card.Card) (card.Card, error) {
	now := time.Unix(0, 0)
	if a.name == "get" {
		return c, nil
	}
	if err := c.CheckCustomer(actOf[a.name], card.Sandbox, customer); err != nil {
		return c, err
	}
	switch a.name {
	case "lock":
		return c.LockByCustomer(card.Temporary, now)
	case "unlock":
		return c.UnlockByCustomer(now)
	case "hotlist":
		return c.LockByCustomer("STL", now)
	case "archive":
		return c.Archive(now), nil
	case "verify":
		return c.Verify(true, "1111", now)
	case "addAccount":
		if err := c.CheckAddAccount(callerIs); err != nil {
			return c, err
		}
		return c.AddAccount(people.Account{
			ID: a.account, Type: people.Checking, Status: people.Open,
		}, a.priority, now)
	case "removeAccount":
		return c.RemoveAccount(callerIs, a.account, people.FullAccess, now)
	case "reprioritizeAccount":
		return c.ReprioritizeAccount(callerIs, a.account, a.priority, now)
	}
	panic("no act is called " + a.name)
}

func faceOf(c card.Card) face {
	return face{
		string(c.Status), string(c.Lock.Type) + "/" + string(c.Lock.Reason),
		fmt.Sprint(c.Slots.All()),
	}
}

// faceShown returns the face of a card in an answer.
func faceShown(c client.Card) face {
	var accounts []int
	for _, a := range c.Accounts {
		accounts = append(accounts, a.AccountID)
	}
	return face{
		c.Status, c.LockTypeCode + "/" + c.LockReasonTypeCode,
		fmt.Sprint(slices.Concat([]int{}, accounts)),
	}
}
