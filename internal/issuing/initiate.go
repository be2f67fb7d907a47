package issuing

import (
	"context"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// DigitalRequest asks for a card that is never printed.
type DigitalRequest struct {
	CustomerID           int `json:"customerId"`
	CardHolderCustomerID int `json:"cardHolderCustomerId"`
	card.Application
	BinID *int `json:"binId"`
}

// InitiateRequest asks for a card to be made and sent.
type InitiateRequest struct {
	DigitalRequest
	NewPin string `json:"newPin" body:"secret"`
}

// Initiate orders a new card (interface §8.5). The answer is the card as it was
// ordered, even where the processor takes the order at once.
func (s *Service) Initiate(
	ctx context.Context, who Caller, req InitiateRequest,
) (CardDetail, error) {
	return s.createCard(ctx, who, req.DigitalRequest, req.NewPin, card.Initiate)
}

// CreateDigital makes a card that is usable at once (interface §8.6).
func (s *Service) CreateDigital(
	ctx context.Context, who Caller, req DigitalRequest,
) (CardDetail, error) {
	return s.createCard(ctx, who, req, "", card.CreateDigital)
}

func (s *Service) createCard(
	ctx context.Context, who Caller, req DigitalRequest, newPin string, newCard newCardFunc,
) (CardDetail, error) {
	if who.EarlierClients && req.CardHolderCustomerID == 0 {
		req.CardHolderCustomerID = req.CustomerID
	}
	if err := req.Application.Check(); err != nil {
		return CardDetail{}, err
	}
	pin, err := s.openNewPin(ctx, who, newPin, func(tx *Tx) error {
		_, err := tx.loadForIssuance(req, false)
		return err
	})
	if err != nil {
		return CardDetail{}, err
	}

	return write(ctx, s, who, func(tx *Tx) (CardDetail, error) {
		found, err := tx.loadForIssuance(req, !tx.firstTry)
		if err != nil {
			return CardDetail{}, err
		}
		if err := req.checkUnique(found.IssuanceView); err != nil {
			return CardDetail{}, err
		}
		number, err := tx.pickPAN(found.bin)
		if err != nil && tx.firstTry {
			return CardDetail{}, errRecheck // a name that is taken is reported before this
		}
		if err != nil {
			return CardDetail{}, err
		}
		ordered := newCard(found.issuance, tx.localNow())
		ordered.LastFour = number.LastFour()
		stored, err := tx.create(req.CustomerID, ordered, number,
			orderRequest{pin: pin, key: found.Program.SealingKey(), creator: found.Creator})
		if err != nil {
			return CardDetail{}, err
		}
		accounts := map[int]customer.Account{found.Account.ID: found.Account}
		if stored.DigitalOnly {
			return tx.detail(s.asTaken(stored), accounts)
		}
		detail, err := tx.detail(stored, accounts)
		return s.asOrdered(detail), err
	})
}

// asOrdered is the answer to an order for a card that has to be made. The sandbox tells what to
// verify the card with before it is verified (interface §6.5).
func (s *Service) asOrdered(detail CardDetail) CardDetail {
	if s.Mode == card.Sandbox && detail.Status == card.Initiated {
		detail.NumberMasked = detail.LastFour
	}
	return detail
}

type newCardFunc func(card.Issuance, time.Time) card.Card

// issuable is what was found for a new card, once all of it is in order.
type issuable struct {
	store.IssuanceView
	issuance card.Issuance
	bin      program.Bin
}

// loadForIssuance finds what a new card needs and makes the checks up to those of the PIN: creator,
// its access type, holder, how to reach the creator, account, BIN, encryption key. With names it also
// looks whether the tag and the nickname are taken, for checkUnique.
func (tx *Tx) loadForIssuance(req DigitalRequest, names bool) (issuable, error) {
	found, err := tx.Issuance().FindView(store.IssuanceQuery{
		ProgramID: tx.caller.ProgramID, CreatorID: req.CustomerID,
		HolderID: req.CardHolderCustomerID, AccountID: req.PrimaryAccountID,
		Names: names, Tag: req.Tag, NickName: req.NickName,
	})
	if err := checkEligible(req.CustomerID, found.Creator.Standing, err); err != nil {
		return issuable{}, err
	}
	if !found.Creator.UsesCards() {
		return issuable{}, fault.New(fault.AccountAccess, found.Creator.AccessType,
			req.CustomerID, req.PrimaryAccountID)
	}
	if found.Holder.ID == 0 {
		return issuable{}, fault.New(fault.HolderInvalid, req.CardHolderCustomerID)
	}
	if err := found.Holder.CheckHolder(); err != nil {
		return issuable{}, err
	}
	if err := found.Creator.CheckReachable(); err != nil {
		return issuable{}, err
	}
	if err := req.checkAccount(found); err != nil {
		return issuable{}, err
	}
	bin, err := found.Program.ChooseBin(req.Vendor(), req.BinID)
	if err != nil {
		return issuable{}, err
	}
	if err := found.Program.CheckPciKey(); err != nil {
		return issuable{}, err
	}
	return issuable{IssuanceView: found, bin: bin, issuance: card.Issuance{
		ProgramID: tx.caller.ProgramID, CustomerID: req.CustomerID,
		HolderID: req.CardHolderCustomerID, Application: req.Application,
		BinID: bin.ID, ValidMonths: bin.ValidMonths,
		Category: found.Account.Type,
	}}, nil
}

// checkAccount returns the fault that keeps a new card from drawing on the account, or nil: that
// none was named, that there is none, then what the account itself says.
func (r DigitalRequest) checkAccount(found store.IssuanceView) error {
	if r.PrimaryAccountID == 0 {
		return fault.New(fault.PrimaryAccountRequired)
	}
	if found.Account.ID == 0 {
		return fault.New(fault.PrimaryAccountInvalid, r.PrimaryAccountID)
	}
	return found.Account.CheckPrimary(r.CustomerID, found.Access)
}

// checkUnique returns the faults for what another card has already: TagTaken, NickNameTaken.
func (r DigitalRequest) checkUnique(found store.IssuanceView) error {
	var taken fault.List
	if found.TagTaken {
		taken.Add(fault.TagTaken, r.Tag)
	}
	if found.NickNameTaken {
		taken.Add(fault.NickNameTaken, r.CustomerID, r.NickName)
	}
	return taken.Err()
}
