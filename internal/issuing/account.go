package issuing

import (
	"context"
	"errors"
	"maps"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/store"
)

// AccountRequest names a card and an account for it.
type AccountRequest struct {
	CardRef
	AccountID int `json:"accountId"`
}

// PriorityRequest says which priority an account is to have on a card. Older callers send
// priority in place of cardPriority, which wins when both are there.
type PriorityRequest struct {
	AccountRequest
	CardPriority *int `json:"cardPriority"`
	Priority     *int `json:"priority"`
}

// priority returns the priority asked for, 0 when none is.
func (r PriorityRequest) priority() int {
	for _, given := range []*int{r.CardPriority, r.Priority} {
		if given != nil {
			return *given
		}
	}
	return 0
}

// AddAccount ties an account to a card (section 4.2, /card/addAccount).
func (s *Service) AddAccount(
	ctx context.Context, who Caller, req PriorityRequest,
) (CardDetail, error) {
	return s.changeCard(ctx, who, card.AddAccount, req.CardRef,
		func(w *writing, c card.Card) (card.Card, error) {
			if err := c.AdmitAdd(w.actor); err != nil {
				return card.Card{}, err
			}
			account, access, err := w.account(req.CustomerID, req.AccountID)
			if err != nil {
				return card.Card{}, err
			}
			if access == customer.NoAccess {
				return card.Card{}, card.AccountUnknown()
			}
			if err := account.CheckAdd(req.CustomerID, access); err != nil {
				return card.Card{}, err
			}
			return c.Add(account, req.priority(), w.Now())
		})
}

// RemoveAccount takes an account off a card (section 4.2, /card/removeAccount).
func (s *Service) RemoveAccount(
	ctx context.Context, who Caller, req AccountRequest,
) (CardDetail, error) {
	return s.changeCard(ctx, who, card.RemoveAccount, req.CardRef,
		func(w *writing, c card.Card) (card.Card, error) {
			access, err := w.Access().Find(req.CustomerID, req.AccountID)
			if err != nil {
				return card.Card{}, err
			}
			return c.Remove(w.actor, req.AccountID, access, w.Now())
		})
}

// ReprioritizeAccount gives an account on a card another priority (section 4.2,
// /card/reprioritizeAccount).
func (s *Service) ReprioritizeAccount(
	ctx context.Context, who Caller, req PriorityRequest,
) (CardDetail, error) {
	return s.changeCard(ctx, who, card.Reprioritize, req.CardRef,
		func(w *writing, c card.Card) (card.Card, error) {
			return c.Reprioritize(w.actor, req.AccountID, req.priority(), w.Now())
		})
}

// account returns an account and what a customer may do with it. An account that does not exist
// in the program is one without access.
func (r *reading) account(
	customerID, accountID int,
) (customer.Account, customer.AccountAccess, error) {
	account, access, err := r.Accounts().FindFor(r.who.ProgramID, accountID, customerID)
	if errors.Is(err, store.ErrNotFound) {
		return customer.Account{}, customer.NoAccess, nil
	}
	if err != nil {
		return customer.Account{}, customer.NoAccess, err
	}
	// What the store has handed out may belong to others too.
	accounts := maps.Clone(r.accounts)
	if accounts == nil {
		accounts = make(map[int]customer.Account)
	}
	accounts[accountID] = account
	r.accounts = accounts
	return account, access, nil
}
