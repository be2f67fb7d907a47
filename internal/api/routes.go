package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"mintmark/internal/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/program"
)

// routes is the table of every operation of the interface (section 4).
func routes(s *issuing.Service) []route { return slices.Concat(reads(s), writes(s)) }

// reads are the operations that change nothing.
func reads(s *issuing.Service) []route {
	snapshots := &snapshots{}
	return []route{
		{
			method: http.MethodGet, path: "/program/get",
			summary: "Read the settings of the program",
			answer:  reflect.TypeFor[program.Settings](),
			handle: func(ctx context.Context, c *call) (any, error) {
				settings, err := s.ProgramSettings(ctx, c.who)
				if err != nil {
					return nil, err
				}
				return snapshots.show(c, settings)
			},
		},
		{
			method: http.MethodGet, path: "/card/get/{customerId}/{cardId}", optional: 1,
			summary: "Read a card",
			answer:  reflect.TypeFor[Card](), faults: with(customerFaults, fault.GetCardInvalid),
			handle: func(ctx context.Context, c *call) (any, error) {
				return shown(showStored)(s.Get(ctx, c.who, c.parameters[0], c.parameters[1]))
			},
		},
		{
			method: http.MethodGet, path: "/card/getbytag/{customerId}/{tag}", optional: 1,
			query: []string{"tag"}, summary: "Read the card that carries a tag",
			answer: reflect.TypeFor[Card](), faults: with(customerFaults, fault.TagUnknown),
			handle: func(ctx context.Context, c *call) (any, error) {
				return shown(showStored)(s.GetByTag(ctx, c.who, c.parameters[0], c.tag()))
			},
		},
		{
			method: http.MethodGet, path: "/card/list/{customerId}", query: []string{"status"},
			summary: "List the cards of a customer",
			answer:  reflect.TypeFor[[]Card](),
			faults:  with(customerFaults, fault.ValueNotAcceptable),
			handle: func(ctx context.Context, c *call) (any, error) {
				return shown(showCards)(s.List(ctx, c.who, c.parameters[0], c.query["status"]))
			},
		},
		{
			method: http.MethodGet, path: "/bankdocument/list/{culture}/{documentType}",
			optional: 1, summary: "List the documents of the bank",
			answer: reflect.TypeFor[[]BankDocument](),
			handle: func(ctx context.Context, c *call) (any, error) {
				documents, err := s.ListDocuments(ctx, c.who, c.parameters[0], c.documentType())
				return showDocuments(documents, c.baseURL()), err
			},
		},
		{
			method: http.MethodGet, path: "/bankdocument/download/{culture}/{documentId}",
			optional: 2, summary: "Download the PDF form of a document",
			answer: reflect.TypeFor[File](), faults: documentFaults,
			handle: func(ctx context.Context, c *call) (any, error) {
				return shown(showFile)(
					s.DownloadDocument(ctx, c.who, c.parameters[0], c.parameters[1]))
			},
		},
	}
}

// writes are the operations that change a card. Each takes its request from the body.
func writes(s *issuing.Service) []route {
	return []route{
		post("/card/initiate", "Order a card", "CardInitiateRequest", s.Initiate, showCard,
			createFaults),
		post("/card/createdigital", "Create a card that is never printed",
			"CardCreateDigitalRequest", s.CreateDigital, showCard, createFaults),
		post("/card/verify", "Activate a card that has arrived", "CardVerifyRequest", s.Verify,
			showCard, verifyFaults),
		post("/card/lock", "Lock a card", "CardLockRequest", s.Lock, showCard, lockFaults),
		post("/card/hotlist", "Lock a card for ever", "CardHotlistRequest", s.Hotlist, showCard,
			hotlistFaults),
		post("/card/lostOrStolen", "Lock a card for ever", "CardLostOrStolenRequest", s.Hotlist,
			showCard, hotlistFaults).replacedBy("/card/hotlist"),
		post("/card/unlock", "Unlock a card", "CardUnlockRequest", s.Unlock, showCard,
			unlockFaults),
		post("/card/archive", "Put a card away for ever", "CardArchiveRequest",
			func(ctx context.Context, who issuing.Caller, req issuing.CardRef) (
				issuing.CardDetail, error,
			) {
				return issuing.CardDetail{}, s.Archive(ctx, who, req)
			}, nothing, archiveFaults).withoutData(),
		post("/card/reissue", "Make a card anew, or replace it", "CardReissueRequest", s.Reissue,
			showCard, reissueFaults),
		post("/card/addAccount", "Tie an account to a card", "CardAddAccountRequest",
			s.AddAccount, showCardAdded, addAccountFaults),
		post("/card/removeAccount", "Take an account off a card", "CardRemoveAccountRequest",
			s.RemoveAccount, showCard, removeAccountFaults),
		post("/card/reprioritizeAccount", "Change the priority of an account",
			"CardReprioritizeAccountRequest", s.ReprioritizeAccount, showCard,
			reprioritizeFaults),
		post("/card/resetpin", "Ask for a new PIN", "CardResetPinRequest", s.ResetPin, showCard,
			resetPinFaults),
	}
}

// tag is the tag in the path or, as older callers send it, in the query.
func (c *call) tag() string {
	if tag := c.parameters[1]; tag != "" {
		return tag
	}
	for _, tag := range c.query["tag"] {
		return tag
	}
	return ""
}

// documentType is the type to list, empty for all. Older callers write null for none.
func (c *call) documentType() string {
	if c.parameters[1] == "null" {
		return ""
	}
	return c.parameters[1]
}
