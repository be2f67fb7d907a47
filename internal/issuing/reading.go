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
	store.Reader
	who    Caller
	filled filledProgram
	actor  customer.Customer // who acts, once admitted; zero before
}

// CardDetail is a card with what an answer shows beside it.
type CardDetail struct {
	card.Card
	NumberMasked string
	Accounts     []AccountDetail
	Zone         *time.Location // in which the program writes dates
	Decimals     int            // digits behind the point of the program's amounts
}

// AccountDetail is an account on a card.
type AccountDetail struct {
	customer.Account
	Priority int // 1 to 4 within its category
}

// admit finds the customer who acts, or the fault that keeps it from acting (60001 to 60005).
func (r *reading) admit(customerID int) error {
	found, err := r.FindCustomer(r.who.ProgramID, customerID)
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
	if err := r.admit(ref.CustomerID); err != nil {
		return card.Card{}, err
	}
	found, err := r.FindCard(r.who.ProgramID, ref.CardID)
	if errors.Is(err, store.ErrNotFound) {
		return card.Card{}, card.Foreign(act, ref.CardID, ref.CustomerID)
	}
	return found, err
}

// details returns cards with their accounts.
func (r *reading) details(cards ...card.Card) ([]CardDetail, error) {
	accounts, err := r.ListCardAccounts(cards...)
	if err != nil {
		return nil, err
	}
	details := make([]CardDetail, 0, len(cards))
	for _, c := range cards {
		detail := CardDetail{
			Card: c, NumberMasked: c.NumberMasked(),
			Zone: r.filled.zone, Decimals: r.filled.settings.DecimalCount,
			Accounts: make([]AccountDetail, 0, len(c.Slots.Checking)+len(c.Slots.Savings)),
		}
		for _, category := range card.Categories {
			for i, accountID := range c.Slots.Of(category) {
				detail.Accounts = append(detail.Accounts,
					AccountDetail{accounts[accountID], i + 1})
			}
		}
		details = append(details, detail)
	}
	return details, nil
}

// detail returns one card with its accounts.
func (r *reading) detail(c card.Card) (CardDetail, error) {
	details, err := r.details(c)
	if err != nil {
		return CardDetail{}, err
	}
	return details[0], nil
}

// localNow is the time of the transaction in the program's zone, in which months begin and end.
func (r *reading) localNow() time.Time { return r.Now().In(r.filled.zone) }
