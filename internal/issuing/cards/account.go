package cards

import (
	"context"
	"errors"
	"maps"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// AccountRequest names a card and an account.
type AccountRequest struct {
	issuing.CardRef
	AccountID int `json:"accountId"`
}

// PriorityRequest requests a priority for an account on a card. Older callers send priority instead
// of cardPriority, which wins if both are present.
type PriorityRequest struct {
	AccountRequest
	CardPriority *int `json:"cardPriority"`
	Priority     *int `json:"priority"`
}

// priority returns the requested priority, 0 if there is none.
func (r PriorityRequest) priority() int {
	for _, given := range []*int{r.CardPriority, r.Priority} {
		if given != nil {
			return *given
		}
	}
	return 0
}

// AddAccount adds an account to a card (interface §8.14).
func (s *Service) AddAccount(
	ctx context.Context, who issuing.Caller, req PriorityRequest,
) (CardDetail, error) {
	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		view, err := loadCard(tx, card.AddAccount, req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		if err := view.Card.CheckAddAccount(view.Customer); err != nil {
			return CardDetail{}, err
		}
		account, err := loadAccount(tx, req.CustomerID, req.AccountID)
		if err != nil {
			return CardDetail{}, err
		}
		after, err := view.Card.AddAccount(account, req.priority(), tx.Now())
		if err != nil {
			return CardDetail{}, err
		}
		// The store may share this map, so the account is added to a copy.
		view.Accounts = maps.Clone(view.Accounts)
		if view.Accounts == nil {
			view.Accounts = make(map[int]customer.Account)
		}
		view.Accounts[account.ID] = account
		return saveAndShow(tx, view, after)
	})
}

// RemoveAccount removes an account from a card (interface §8.15).
func (s *Service) RemoveAccount(
	ctx context.Context, who issuing.Caller, req AccountRequest,
) (CardDetail, error) {
	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		view, err := loadCard(tx, card.RemoveAccount, req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		access, err := tx.Access().Find(req.CustomerID, req.AccountID)
		if err != nil {
			return CardDetail{}, err
		}
		after, err := view.Card.RemoveAccount(view.Customer, req.AccountID, access, tx.Now())
		if err != nil {
			return CardDetail{}, err
		}
		return saveAndShow(tx, view, after)
	})
}

// ReprioritizeAccount changes the priority of an account on a card (interface §8.16).
func (s *Service) ReprioritizeAccount(
	ctx context.Context, who issuing.Caller, req PriorityRequest,
) (CardDetail, error) {
	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		view, err := loadCard(tx, card.Reprioritize, req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		after, err := view.Card.ReprioritizeAccount(
			view.Customer, req.AccountID, req.priority(), tx.Now())
		if err != nil {
			return CardDetail{}, err
		}
		return saveAndShow(tx, view, after)
	})
}

// loadAccount returns an account that a customer may add to a card. The fault is the same for an
// account outside the program and for one that the customer has no access to.
func loadAccount(tx *issuing.Tx, customerID, accountID int) (customer.Account, error) {
	account, access, err := tx.Accounts().FindFor(tx.Caller.ProgramID, accountID, customerID)
	missing := errors.Is(err, store.ErrNotFound)
	if err != nil && !missing {
		return customer.Account{}, err
	}
	if missing || access == customer.NoAccess {
		return customer.Account{}, card.AccountUnknown()
	}
	return account, account.CheckAdd(customerID, access)
}
