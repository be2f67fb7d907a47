package cards

import (
	"errors"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

// CardDetail is a card with the other data that a response shows.
type CardDetail struct {
	card.Card
	NumberMasked string
	Accounts     []AccountDetail
	Zone         *time.Location // of the dates that the program writes
	Decimals     int            // digits after the decimal point of the program's amounts

	// ForEarlierClients selects the response of earlier clients: accounts have their priority under
	// both of its names, and /card/reissue has its own spelling of a status.
	ForEarlierClients bool

	// Version identifies this state of all that is shown. It is zero if unknown.
	Version Version
}

// Version identifies a state of a card and of the data shown with it. Two details with the same
// known version differ at most in ForEarlierClients, so a face may reuse what it rendered for the
// first. Versions are meaningful only within this process.
type Version struct {
	card, program uint64
}

// Known reports whether the version identifies a state.
func (v Version) Known() bool { return v.card != 0 }

// Spread returns a number that differs between most versions, for the choice of a cache's shard.
func (v Version) Spread() uint64 { return v.card }

// AccountDetail is an account with its place on a card.
type AccountDetail struct {
	customer.Account
	Priority int // 1 to 4 within its category
}

// loadCard returns the card that a customer wants to act on, with its accounts. The customer must
// be fit to act and use cards, the card must be the customer's, and its status must allow the act.
func loadCard(tx *issuing.Tx, act card.Act, ref issuing.CardRef) (store.CardView, error) {
	view, err := tx.Cards().FindView(
		tx.Caller.ProgramID, ref.CustomerID, store.CardKey{ID: ref.CardID})
	if err != nil {
		return store.CardView{}, customerFault(ref.CustomerID, err)
	}
	return view, checkLoaded(tx, act, ref, view)
}

// loadFullView is loadCard for acts that also need the card's program, its creator, and its latest
// attempts of a kind.
func loadFullView(tx *issuing.Tx,
	act card.Act, ref issuing.CardRef, kind store.AttemptKind, limit int,
) (store.FullCardView, error) {
	full, err := tx.Cards().FindFullView(store.FullCardQuery{
		ProgramID: tx.Caller.ProgramID, CustomerID: ref.CustomerID, CardID: ref.CardID,
		Kind: kind, Limit: limit,
	})
	if err != nil {
		return store.FullCardView{}, customerFault(ref.CustomerID, err)
	}
	return full, checkLoaded(tx, act, ref, full.CardView)
}

func checkLoaded(tx *issuing.Tx, act card.Act, ref issuing.CardRef, view store.CardView) error {
	if err := view.Customer.Check(); err != nil {
		return err
	}
	if err := card.CheckAccessType(act, ref.CardID, view.Customer); err != nil {
		return err
	}
	// Only the creator may request a reissue; from earlier clients the holder may, too.
	byHolder := view.Card.CustomerID != ref.CustomerID && !tx.Caller.EarlierClients &&
		(act == card.ReissueSamePAN || act == card.ReissueNewPAN)
	if view.Card.ID == 0 || byHolder {
		return card.AccessFault(act, ref.CardID, ref.CustomerID)
	}
	return view.Card.CheckCustomer(act, tx.Service.Mode, ref.CustomerID)
}

// customerFault returns the fault of an unknown customer for store.ErrNotFound, and any other error
// unchanged.
func customerFault(customerID int, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fault.New(fault.CustomerInvalid, customerID)
	}
	return err
}

// since returns the attempts at or after a time. The attempts are ordered newest first.
func since(moment time.Time, attempts []time.Time) []time.Time {
	for i, at := range attempts {
		if at.Before(moment) {
			return attempts[:i]
		}
	}
	return attempts
}

// detail returns a card with its accounts. It uses accounts that are already loaded, and loads all
// of them if one is missing.
func detail(tx *issuing.Tx,
	c card.Card, accounts map[int]customer.Account,
) (CardDetail, error) {
	for _, accountID := range c.Slots.All() {
		if _, known := accounts[accountID]; known {
			continue
		}
		var err error
		accounts, err = tx.Accounts().FindMany(c.Slots.All())
		if err != nil {
			return CardDetail{}, err
		}
		break
	}
	detail := detailOf(tx.Program, c, accounts)
	detail.ForEarlierClients = tx.Caller.EarlierClients
	return detail, nil
}

// detailOf combines a card and its accounts as the program shows them.
func detailOf(p *issuing.Program, c card.Card, accounts map[int]customer.Account) CardDetail {
	detail := CardDetail{
		Card: c, NumberMasked: c.NumberMasked(),
		Zone: p.Zone, Decimals: p.Settings.DecimalCount,
		Accounts: make([]AccountDetail, 0, len(c.Slots.Checking)+len(c.Slots.Savings)),
	}
	for _, category := range card.Categories {
		for i, accountID := range c.Slots.Of(category) {
			detail.Accounts = append(detail.Accounts, AccountDetail{accounts[accountID], i + 1})
		}
	}
	return detail
}

// saveAndShow stores a loaded card as an act changed it, and returns its detail.
func saveAndShow(tx *issuing.Tx, view store.CardView, after card.Card) (CardDetail, error) {
	after, err := orders.SaveCard(tx, view.Customer.ID, view.Card, after)
	if err != nil {
		return CardDetail{}, err
	}
	return detail(tx, after, view.Accounts)
}
