package card

import (
	"slices"

	"mintmark/internal/fault"
)

// Act is something that is done to a card: by a customer, by the processor, or by time.
type Act string

// The acts of customers carry the names of their routes. Reissue is two acts: with the reason
// DMG the card is made anew, with LST, STL or FRD another card replaces it.
const (
	Verify        Act = "verify"
	LockCard      Act = "lock"
	Unlock        Act = "unlock"
	Hotlist       Act = "hotlist"
	Renew         Act = "reissue (DMG)"
	Replace       Act = "reissue (LST, STL, FRD)"
	Archive       Act = "archive"
	AddAccount    Act = "addAccount"
	RemoveAccount Act = "removeAccount"
	Reprioritize  Act = "reprioritizeAccount"
	ResetPin      Act = "resetpin"

	TakeOrder Act = "processor takes the order"
	Ship      Act = "processor ships"
	Refuse    Act = "processor refuses"
	RunOut    Act = "verification window ends"
)

// Mode is the rule book: the sandbox lets a test go through a reissue in one step.
type Mode int

// The modes. Always stands in the table for a row that holds in both others.
const (
	Always Mode = iota
	Production
	Sandbox
)

// String names the one rule book a row stands in; a row that stands in both needs no name.
func (m Mode) String() string {
	switch m {
	case Production:
		return "production"
	case Sandbox:
		return "sandbox"
	}
	return ""
}

// Transition is a row of the table: what an act does to the status of a card.
type Transition struct {
	From Status
	Act  Act
	To   Status
	Mode Mode // in which rule book the row stands
}

// Transitions is the whole table. An act on a card in a status that has no row is refused.
var Transitions = slices.Concat([]Transition{
	{Initiated, TakeOrder, Initiated, Always},
	{ReissuePendingVerification, TakeOrder, ReissuePendingVerification, Always},
	{Verified, TakeOrder, Verified, Always}, // born Verified: digital, or in the sandbox
	{Initiated, Ship, PendingVerification, Always},
	{Initiated, Refuse, Denied, Always},
	{PendingVerification, RunOut, Expired, Always},
	{ReissuePendingVerification, RunOut, Expired, Always},

	{PendingVerification, Verify, Verified, Always},
	{ReissuePendingVerification, Verify, Verified, Always},

	{Verified, Renew, Verified, Always},
	{PendingVerification, Renew, ReissuePendingVerification, Always},
	{Expired, Renew, ReissuePendingVerification, Production},
	{Expired, Renew, Verified, Sandbox},
	{ReissuePendingVerification, Renew, ReissuePendingVerification, Sandbox},

	{Verified, Replace, Reissued, Always},
	{PendingVerification, Replace, Reissued, Always},
	{Expired, Replace, Reissued, Always},
	{ReissuePendingVerification, Replace, Reissued, Sandbox},

	{PendingVerification, Archive, Archived, Always},
	{ReissuePendingVerification, Archive, Archived, Always},
	{Verified, Archive, Archived, Always},
	{Reissued, Archive, Archived, Always},
	{Denied, Archive, Archived, Always},
	{Expired, Archive, Archived, Always},
},
	// These leave the status as it is and are possible until the card is archived.
	staying(LockCard), staying(Unlock), staying(Hotlist), staying(AddAccount),
	staying(RemoveAccount), staying(Reprioritize),
	// Nobody can use a card that was refused or replaced, so it takes no PIN either.
	staying(ResetPin, Denied, Reissued))

// staying returns the rows of an act that leaves a status as it is: every one but Archived and
// those named.
func staying(act Act, but ...Status) []Transition {
	var rows []Transition
	for _, status := range Statuses {
		if status != Archived && !slices.Contains(but, status) {
			rows = append(rows, Transition{status, act, status, Always})
		}
	}
	return rows
}

// refusal is how a customer's act is refused.
type refusal struct {
	// foreign answers a customer who is neither creator nor holder.
	foreign func(c Card, customerID int) error
	// status answers an act for which the card's status has no row. Without one the card
	// answers like one that the customer has nothing to do with.
	status func(c Card) error
}

var refusals = map[Act]refusal{
	Verify:        {cardThenCustomer(fault.VerifyCardInvalid), withStatus(fault.VerifyStatus)},
	LockCard:      {customerThenCard(fault.CardAccess), nil},
	Hotlist:       {customerThenCard(fault.CardAccess), nil},
	Unlock:        {cardThenCustomer(fault.UnlockCardInvalid), nil},
	Renew:         {cardThenCustomer(fault.ReissueCardInvalid), withStatus(fault.ReissueStatus)},
	Replace:       {cardThenCustomer(fault.ReissueCardInvalid), withStatus(fault.ReissueStatus)},
	Archive:       {cardThenCustomer(fault.ArchiveCardInvalid), withStatus(fault.ArchiveStatus)},
	AddAccount:    {cardThenCustomer(fault.AddAccountCardInvalid), nil},
	RemoveAccount: {cardThenCustomer(fault.RemoveAccountCardInvalid), nil},
	Reprioritize:  {cardThenCustomer(fault.ReprioritizeCardInvalid), nil},
	ResetPin:      {customerThenCard(fault.CardAccess), nil},
}

func cardThenCustomer(kind fault.Kind) func(Card, int) error {
	return func(c Card, customerID int) error { return fault.New(kind, c.ID, customerID) }
}

func customerThenCard(kind fault.Kind) func(Card, int) error {
	return func(c Card, customerID int) error { return fault.New(kind, customerID, c.ID) }
}

func withStatus(kind fault.Kind) func(Card) error {
	return func(c Card) error { return fault.New(kind, c.ID, c.Status) }
}

// Foreign is the fault of an act on a card that the customer has nothing to do with, or that
// does not exist: both answer alike.
func Foreign(act Act, cardID, customerID int) error {
	return refusals[act].foreign(Card{ID: cardID}, customerID)
}

// admit returns the fault that keeps a customer from an act on the card, or nil.
func (c Card) admit(act Act, customerID int) error {
	return c.admitIn(Production, act, customerID)
}

func (c Card) admitIn(mode Mode, act Act, customerID int) error {
	refusal := refusals[act]
	if !c.BelongsTo(customerID) {
		return refusal.foreign(c, customerID)
	}
	if _, possible := next(mode, c.Status, act); possible {
		return nil
	}
	if refusal.status == nil {
		return refusal.foreign(c, customerID)
	}
	return refusal.status(c)
}

// next returns the status that an act leads to, and whether it is possible at all.
func next(mode Mode, from Status, act Act) (Status, bool) {
	for _, row := range Transitions {
		if row.From == from && row.Act == act && (row.Mode == Always || row.Mode == mode) {
			return row.To, true
		}
	}
	return "", false
}
