package cards

import (
	"context"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

// DigitalRequest requests a card that is never printed.
type DigitalRequest struct {
	CustomerID           int `json:"customerId"`
	CardHolderCustomerID int `json:"cardHolderCustomerId"`
	card.Application
	BinID *int `json:"binId"`
}

// InitiateRequest requests a card that is made and sent.
type InitiateRequest struct {
	DigitalRequest
	NewPin string `json:"newPin" body:"secret"`
}

// Initiate orders a new card (interface §8.5). The response is the card as ordered, even if the
// processor accepts the order immediately.
func (s *Service) Initiate(
	ctx context.Context, who issuing.Caller, req InitiateRequest,
) (CardDetail, error) {
	return s.createCard(ctx, who, req.DigitalRequest, req.NewPin, card.Initiate)
}

// CreateDigital creates a card that is usable immediately (interface §8.6).
func (s *Service) CreateDigital(
	ctx context.Context, who issuing.Caller, req DigitalRequest,
) (CardDetail, error) {
	return s.createCard(ctx, who, req, "", card.CreateDigital)
}

func (s *Service) createCard(
	ctx context.Context, who issuing.Caller, req DigitalRequest, newPin string, newCard newCardFunc,
) (CardDetail, error) {
	if who.EarlierClients && req.CardHolderCustomerID == 0 {
		req.CardHolderCustomerID = req.CustomerID
	}
	if err := req.Application.Check(); err != nil {
		return CardDetail{}, err
	}
	pin, err := s.openNewPin(ctx, who, newPin, func(tx *issuing.Tx) error {
		_, err := loadForIssuance(tx, req, false)
		return err
	})
	if err != nil {
		return CardDetail{}, err
	}

	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		i, err := loadForIssuance(tx, req, !tx.Optimistic)
		if err != nil {
			return CardDetail{}, err
		}
		if err := req.checkUnique(i.IssuanceView); err != nil {
			return CardDetail{}, err
		}
		number, err := pickPAN(tx, i.bin)
		if err != nil && tx.Optimistic {
			return CardDetail{}, issuing.ErrRecheck // a taken name is reported before this
		}
		if err != nil {
			return CardDetail{}, err
		}
		ordered := newCard(i.issuance, tx.LocalNow())
		ordered.LastFour = number.LastFour()
		stored, err := create(tx, req.CustomerID, ordered, number,
			orders.Request{Pin: pin, Key: i.Program.SealingKey(), Creator: i.Creator})
		if err != nil {
			return CardDetail{}, err
		}
		accounts := map[int]customer.Account{i.Account.ID: i.Account}
		if stored.DigitalOnly {
			return detail(tx, acceptOrder(s.Service, stored), accounts)
		}
		detail, err := detail(tx, stored, accounts)
		return s.showOrdered(detail), err
	})
}

// showOrdered returns the response to an order for a printed card. Before the card is verified, a
// sandbox shows the last four digits, which verify it (interface §6.5).
func (s *Service) showOrdered(detail CardDetail) CardDetail {
	if s.Mode == card.Sandbox && detail.Status == card.Initiated {
		detail.NumberMasked = detail.LastFour
	}
	return detail
}

type newCardFunc func(card.Issuance, time.Time) card.Card

// issuanceData is the checked input of a new card.
type issuanceData struct {
	store.IssuanceView
	issuance card.Issuance
	bin      program.Bin
}

// loadForIssuance loads the data for a new card and performs the checks up to those of the PIN:
// creator, the creator's access type, holder, how to reach the creator, account, BIN, encryption
// key. If names is set, it also looks up whether the tag and the nickname are taken, for
// checkUnique.
func loadForIssuance(tx *issuing.Tx, req DigitalRequest, names bool) (issuanceData, error) {
	view, err := tx.Issuance().FindView(store.IssuanceQuery{
		ProgramID: tx.Caller.ProgramID, CreatorID: req.CustomerID,
		HolderID: req.CardHolderCustomerID, AccountID: req.PrimaryAccountID,
		Names: names, Tag: req.Tag, NickName: req.NickName,
	})
	if err != nil {
		return issuanceData{}, customerFault(req.CustomerID, err)
	}
	if err := view.Creator.Check(); err != nil {
		return issuanceData{}, err
	}
	if !view.Creator.UsesCards() {
		return issuanceData{}, fault.New(fault.AccountAccess, view.Creator.AccessType,
			req.CustomerID, req.PrimaryAccountID)
	}
	if view.Holder.ID == 0 {
		return issuanceData{}, fault.New(fault.HolderInvalid, req.CardHolderCustomerID)
	}
	if err := view.Holder.CheckHolder(); err != nil {
		return issuanceData{}, err
	}
	if err := view.Creator.CheckReachable(); err != nil {
		return issuanceData{}, err
	}
	if err := req.checkAccount(view); err != nil {
		return issuanceData{}, err
	}
	bin, err := view.Program.ChooseBin(req.Vendor(), req.BinID)
	if err != nil {
		return issuanceData{}, err
	}
	if err := view.Program.CheckPciKey(); err != nil {
		return issuanceData{}, err
	}
	return issuanceData{IssuanceView: view, bin: bin, issuance: card.Issuance{
		ProgramID: tx.Caller.ProgramID, CustomerID: req.CustomerID,
		HolderID: req.CardHolderCustomerID, Application: req.Application,
		BinID: bin.ID, ValidMonths: bin.ValidMonths,
		Category: view.Account.Type,
	}}, nil
}

// checkAccount returns the fault that keeps a new card from drawing on the account, or nil: no
// account is named, it does not exist, or the account itself does not allow it.
func (r DigitalRequest) checkAccount(view store.IssuanceView) error {
	if r.PrimaryAccountID == 0 {
		return fault.New(fault.PrimaryAccountRequired)
	}
	if view.Account.ID == 0 {
		return fault.New(fault.PrimaryAccountInvalid, r.PrimaryAccountID)
	}
	return view.Account.CheckPrimary(r.CustomerID, view.Access)
}

// checkUnique returns the faults for names that another card already has: TagTaken, NickNameTaken.
func (r DigitalRequest) checkUnique(view store.IssuanceView) error {
	var taken fault.List
	if view.TagTaken {
		taken.Add(fault.TagTaken, r.Tag)
	}
	if view.NickNameTaken {
		taken.Add(fault.NickNameTaken, r.CustomerID, r.NickName)
	}
	return taken.Err()
}
