package issuing

import (
	"context"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/fault"
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// DigitalRequest asks for a card that is never printed.
type DigitalRequest struct {
	CustomerID           int    `json:"customerId"`
	CardHolderCustomerID int    `json:"cardHolderCustomerId"`
	VendorTypeCode       string `json:"vendorTypeCode"`
	TypeCode             string `json:"typeCode"`
	PrimaryAccountID     int    `json:"primaryAccountId"`
	FirstName            string `json:"firstName"`
	MiddleName           string `json:"middleName"`
	LastName             string `json:"lastName"`
	NickName             string `json:"nickName"`
	Tag                  string `json:"tag"`
	QualifierCode        string `json:"qualifierCode"`
	BinID                *int   `json:"binId"`
}

// InitiateRequest asks for a card to be made and sent.
type InitiateRequest struct {
	DigitalRequest
	NewPin string `json:"newPin" body:"secret"`
}

// Initiate orders a new card (section 4.2, /card/initiate). The answer is the card as it was
// ordered, even where the processor answers at once.
func (s *Service) Initiate(
	ctx context.Context, who Caller, req InitiateRequest,
) (CardDetail, error) {
	return s.createCard(ctx, who, req.DigitalRequest, req.NewPin, card.Initiate)
}

// CreateDigital makes a card that is usable at once (section 4.2, /card/createdigital).
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
	application := req.application()
	if err := application.Check(); err != nil {
		return CardDetail{}, err
	}
	pin, err := s.openNewPin(ctx, who, newPin, func(r *reading) error {
		_, err := r.admitNew(req, application, false)
		return err
	})
	if err != nil {
		return CardDetail{}, err
	}

	return write(ctx, s, who, func(w *writing) (CardDetail, error) {
		terms, err := w.admitNew(req, application, !w.hopeful)
		if err != nil {
			return CardDetail{}, err
		}
		if err := req.checkUnique(terms.found); err != nil {
			return CardDetail{}, err
		}
		drawn, err := w.draw(terms.bin)
		if err != nil && w.hopeful {
			return CardDetail{}, errHopeless // that a name is taken comes first
		}
		if err != nil {
			return CardDetail{}, err
		}
		ordered := newCard(terms.order, w.localNow())
		ordered.LastFour = drawn.LastFour()
		stored := ordered
		if err := w.create(&stored, drawn, pin); err != nil {
			return CardDetail{}, err
		}
		if w.hopeful && stored.Status.Past() {
			return CardDetail{}, errHopeless // such a card may share its nickname with others
		}
		if stored.DigitalOnly {
			return w.detail(stored)
		}
		ordered.ID = stored.ID
		return s.asOrdered(w, ordered)
	})
}

// asOrdered is the answer to an order for a card that has to be made. The sandbox tells what to
// verify the card with before it is verified (section 3.1).
func (s *Service) asOrdered(w *writing, ordered card.Card) (CardDetail, error) {
	detail, err := w.detail(ordered)
	if s.Mode == card.Sandbox && ordered.Status == card.Initiated {
		detail.NumberMasked = ordered.LastFour
	}
	return detail, err
}

type newCardFunc func(card.Order, time.Time) card.Card

// application is what the request says of the card itself.
func (r DigitalRequest) application() card.Application {
	return card.Application{
		TypeCode: r.TypeCode, VendorTypeCode: r.VendorTypeCode,
		FirstName: r.FirstName, MiddleName: r.MiddleName, LastName: r.LastName,
		NickName: r.NickName, Tag: r.Tag, QualifierCode: r.QualifierCode,
	}
}

// terms are what a new card is made of, once everything about it is found to be in order.
type terms struct {
	order card.Order
	bin   program.Bin
	found store.IssuanceView
}

// admitNew makes the checks that need what is stored, up to those of the PIN: creator, holder,
// how to reach the creator, account, BIN, encryption key. It may look for the names, too, for
// checkUnique.
func (r *reading) admitNew(
	req DigitalRequest, application card.Application, names bool,
) (terms, error) {
	found, err := r.Issuance().FindView(store.IssuanceQuery{
		ProgramID: r.who.ProgramID, CreatorID: req.CustomerID,
		HolderID: req.CardHolderCustomerID, AccountID: req.PrimaryAccountID,
		Names: names, Tag: req.Tag, NickName: req.NickName,
	})
	if err := r.admit(req.CustomerID, found.Creator.Standing, err); err != nil {
		return terms{}, err
	}
	if found.Holder.ID == 0 {
		return terms{}, fault.New(fault.HolderInvalid, req.CardHolderCustomerID)
	}
	if err := found.Holder.CheckHolder(); err != nil {
		return terms{}, err
	}
	if err := found.Creator.CheckReachable(); err != nil {
		return terms{}, err
	}
	if err := req.checkAccount(found); err != nil {
		return terms{}, err
	}
	account := found.Account
	r.accounts = map[int]customer.Account{account.ID: account}
	bin, err := found.Program.ChooseBin(application.Vendor(), req.BinID)
	if err != nil {
		return terms{}, err
	}
	if err := found.Program.CheckPciKey(); err != nil {
		return terms{}, err
	}
	return terms{bin: bin, found: found, order: card.Order{
		ProgramID: r.who.ProgramID, CustomerID: req.CustomerID,
		HolderID: req.CardHolderCustomerID,
		Type:     application.Type(), Vendor: application.Vendor(),
		BinID: bin.ID, ValidMonths: bin.ValidMonths,
		Tag: req.Tag, NickName: req.NickName, Name: application.Name(),
		Qualifier: req.QualifierCode, Category: account.Type, AccountID: account.ID,
	}}, nil
}

// checkAccount returns the fault that keeps a new card from drawing on the account: 150212 and
// 150208, then what the account itself says.
func (r DigitalRequest) checkAccount(found store.IssuanceView) error {
	if r.PrimaryAccountID == 0 {
		return fault.New(fault.PrimaryAccountRequired)
	}
	if found.Account.ID == 0 {
		return fault.New(fault.PrimaryAccountInvalid, r.PrimaryAccountID)
	}
	return found.Account.CheckPrimary(r.CustomerID, found.Access)
}

// checkUnique finds what another card has already: 150204 the tag, 150230 the nickname.
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
