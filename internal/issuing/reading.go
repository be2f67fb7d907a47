package issuing

import (
	"errors"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/fault"
	"mintmark/internal/store"
)

// reading is one request reading the caller's program.
type reading struct {
	store.Tx
	who    Caller
	filled *programSnapshot
	actor  customer.Standing // who acts, once admitted; zero before

	// accounts are those that the request has read already, by their number.
	accounts map[int]customer.Account
}

// CardDetail is a card with what an answer shows beside it.
type CardDetail struct {
	card.Card
	NumberMasked string
	Accounts     []AccountDetail
	Zone         *time.Location // in which the program writes dates
	Decimals     int            // digits behind the point of the program's amounts

	// ForEarlierClients says that accounts carry their priority under both of its names.
	ForEarlierClients bool

	// Version names what the rest depends on: it is the same for two details only if they are
	// written alike. 0 when the store cannot tell.
	Version DetailVersion
}

// DetailVersion names one state of a card and of the settings it is shown with.
type DetailVersion struct {
	View    uint64 // store.CardView.Version
	Program *programSnapshot
}

// AccountDetail is an account on a card.
type AccountDetail struct {
	customer.Account
	Priority int // 1 to 4 within its category
}

// admit takes the customer who acts for admitted, or returns the fault that keeps it from acting
// (60001 to 60005). It is handed what was found of the customer, and the error of that.
func (r *reading) admit(customerID int, found customer.Standing, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fault.New(fault.CustomerInvalid, customerID)
	}
	if err != nil {
		return err
	}
	r.actor = found
	return found.Check()
}

// admitTo admits the customer and finds the card it wants to act on. A card that does not exist
// gives the fault of one that the customer has nothing to do with; whether it has to do with one
// that does exist is for the rule of the act to say.
func (r *reading) admitTo(act card.Act, ref CardRef) (card.Card, error) {
	standing, err := r.Cards().FindView(
		r.who.ProgramID, ref.CustomerID, store.CardKey{ID: ref.CardID})
	return standing.Card, r.admitWith(act, ref, standing, err)
}

// admitToAll is admitTo for acts that look at more than the card: at its program, its creator, and
// the latest attempts of a kind.
func (r *reading) admitToAll(
	act card.Act, ref CardRef, kind store.AttemptKind, limit int,
) (store.FullCardView, error) {
	dossier, err := r.Cards().FindFullView(store.FullCardQuery{
		ProgramID: r.who.ProgramID, CustomerID: ref.CustomerID, CardID: ref.CardID,
		Kind: kind, Limit: limit,
	})
	return dossier, r.admitWith(act, ref, dossier.CardView, err)
}

func (r *reading) admitWith(
	act card.Act, ref CardRef, standing store.CardView, err error,
) error {
	if err := r.admit(ref.CustomerID, standing.Customer, err); err != nil {
		return err
	}
	r.accounts = standing.Accounts
	if standing.Card.ID == 0 {
		return card.Foreign(act, ref.CardID, ref.CustomerID)
	}
	return nil
}

// since returns those of some attempts, the newest first, that were not before a moment.
func since(moment time.Time, attempts []time.Time) []time.Time {
	for i, at := range attempts {
		if at.Before(moment) {
			return attempts[:i]
		}
	}
	return attempts
}

// detail returns a card with its accounts. It reads them only when the request has not read all
// of them already.
func (r *reading) detail(c card.Card) (CardDetail, error) {
	for _, accountID := range c.Slots.All() {
		if _, known := r.accounts[accountID]; known {
			continue
		}
		var err error
		r.accounts, err = r.Accounts().FindMany(c.Slots.All())
		if err != nil {
			return CardDetail{}, err
		}
		break
	}
	detail := r.filled.detail(c, r.accounts)
	detail.ForEarlierClients = r.who.EarlierClients
	return detail, nil
}

// detail puts a card and its accounts together as the program shows them.
func (p *programSnapshot) detail(c card.Card, accounts map[int]customer.Account) CardDetail {
	detail := CardDetail{
		Card: c, NumberMasked: c.NumberMasked(),
		Zone: p.zone, Decimals: p.settings.DecimalCount,
		Accounts: make([]AccountDetail, 0, len(c.Slots.Checking)+len(c.Slots.Savings)),
	}
	for _, category := range card.Categories {
		for i, accountID := range c.Slots.Of(category) {
			detail.Accounts = append(detail.Accounts, AccountDetail{accounts[accountID], i + 1})
		}
	}
	return detail
}

// localNow is the time of the transaction in the program's zone, in which months begin and end.
func (r *reading) localNow() time.Time { return r.Now().In(r.filled.zone) }
