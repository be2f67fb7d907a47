package admin

import (
	"encoding/json"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/store"
)

// moment returns a time in UTC, nil if it is zero.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// amount returns an amount with the number of decimals of its program.
func amount(a value.Amount, decimals int) json.Number {
	return json.Number(a.Fixed(decimals).String())
}

// showSummary converts a card of a list.
func showSummary(c store.CardSummary) wire.Card {
	shown := wire.Card{
		ID: c.ID, Revision: c.Revision, ProgramID: c.ProgramID, CustomerID: c.CustomerID,
		CardHolderCustomerID: c.HolderID, HolderName: fullName(c.HolderFirst, c.HolderLast),
		NumberMasked: pan.Masked(c.LastFour, !c.Verified.IsZero()), TypeCode: c.Type,
		VendorTypeCode: c.Vendor, BinID: c.BinID, Status: string(c.Status), Tag: c.Tag,
		NickName: c.NickName, NameOnCard: c.Name.OnCard(), ExpireMonth: c.ExpireMonth,
		ExpireYear: c.ExpireYear, IsDigitalOnly: c.DigitalOnly, CreatedDate: c.Created,
		ModifiedDate: c.Modified,
	}
	if c.Lock.Type != card.Unlocked {
		shown.LockTypeCode, shown.LockReasonTypeCode = string(c.Lock.Type), string(c.Lock.Reason)
	}
	return shown
}

func fullName(first, last string) string { return strings.TrimSpace(first + " " + last) }

// showSheet converts a card with everything related to it.
func showSheet(s cards.CardSheet) wire.CardDetail {
	if s.ID == 0 {
		return wire.CardDetail{}
	}
	shown := wire.CardDetail{
		Card: showSummary(store.CardSummary{
			ID: s.ID, Revision: s.Revision, ProgramID: s.ProgramID, CustomerID: s.CustomerID,
			HolderID: s.HolderID, HolderFirst: s.HolderFirst, HolderLast: s.HolderLast,
			Type: s.Type, Vendor: s.Vendor, BinID: s.BinID, Status: s.Status, Lock: s.Lock,
			Tag: s.Tag, NickName: s.NickName, Name: s.Name, LastFour: s.LastFour,
			ExpireMonth: s.ExpireMonth, ExpireYear: s.ExpireYear, DigitalOnly: s.DigitalOnly,
			Created: s.Created, Verified: s.Verified, Modified: s.Modified,
		}),
		RequestedDate: moment(s.Requested), ShippedDate: moment(s.Shipped),
		VerifiedDate: moment(s.Verified), ReissuedDate: moment(s.Reissued),
		DeniedDate: moment(s.Denied), ExpiredDate: moment(s.Expired),
		ArchivedDate: moment(s.Archived), Replaces: linkTo(s.Replaces),
		ReplacedBy: linkTo(s.ReplacedBy), Lock: showLock(s), CustomerObstacle: s.CustomerObstacle,
		Accounts: []wire.CardAccount{}, Holds: []wire.Hold{},
		Orders: forms(s.Orders, showOrder), Acts: forms(s.Acts, showAct),
	}
	if shown.Lock != nil {
		shown.LockedDate = shown.Lock.At
	}
	for _, a := range s.Accounts {
		shown.Accounts = append(shown.Accounts, wire.CardAccount{
			Account:  showAccount(customers.AccountSheet{Account: a.Account, Decimals: s.Decimals}),
			Priority: a.Priority, Primary: a.ID == s.PrimaryAccount(),
		})
	}
	for _, h := range s.Holds {
		shown.Holds = append(shown.Holds, wire.Hold{
			ID: h.ID, AuthorizationID: h.AuthorizationID, AccountID: h.AccountID,
			Kind: string(h.Kind), Amount: amount(h.Amount, s.Decimals), Placed: h.Placed,
			Ends: h.Ends,
		})
	}
	return shown
}

func linkTo(cardID int) *wire.CardLink {
	if cardID == 0 {
		return nil
	}
	return &wire.CardLink{CardID: cardID}
}

// showLock converts the lock of a card. It includes who set the lock, if the audit has that.
func showLock(s cards.CardSheet) *wire.Lock {
	if s.Lock.Type == card.Unlocked {
		return nil
	}
	shown := &wire.Lock{
		TypeCode: string(s.Lock.Type), ReasonTypeCode: string(s.Lock.Reason),
		Permanent: s.Lock.Permanent(),
	}
	if s.Locked != nil {
		shown.At, shown.Reason = moment(s.Locked.At), s.Locked.Reason
		shown.By = &wire.Actor{
			Kind: string(s.Locked.Kind), ID: s.Locked.Actor.ID, Name: s.Locked.Name,
		}
	}
	return shown
}

func showAct(a cards.CardAct) wire.CardAct {
	shown := wire.CardAct{Name: a.Name, Possible: a.Refusal == nil, NeedsOther: a.NeedsOther}
	if a.Refusal != nil {
		shown.Why, shown.Code = a.Refusal.Why, a.Refusal.Code
	}
	return shown
}

// showOrder converts an order. Some orders of the previous version have no public id.
func showOrder(o order.Order) wire.Order {
	shown := wire.Order{
		ID: o.PublicID(), Number: o.ID, Revision: o.Revision, ProgramID: o.ProgramID,
		CardID: o.CardID, Sequence: o.Sequence, Kind: string(o.Kind), State: string(o.State),
		Urgent: o.Kind.Urgent(), File: o.File, Attempts: o.Attempts, LastError: o.LastError,
		Created: o.Created, Ended: moment(o.Ended), Dropped: moment(o.Dropped),
	}
	if o.State == order.Waiting {
		shown.NextTry = moment(o.NextTry)
	}
	shown.ID = strings.TrimSuffix(shown.ID, "-")
	return shown
}

// showTries converts an order with its last attempts.
func showTries(o order.Order) wire.Order {
	shown := showOrder(o)
	for _, try := range o.Tries {
		shown.Tries = append(shown.Tries, wire.OrderTry{
			At: try.At, Node: try.Node, Outcome: string(try.Outcome), Answer: try.Answer,
		})
	}
	return shown
}
