package api

import (
	"context"
	"reflect"
	"slices"

	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/programs"
)

// routes returns the table of all operations (interface §8).
func routes(s *acts.Service) []route { return slices.Concat(reads(s), writes(s)) }

// reads returns the operations that change nothing.
func reads(s *acts.Service) []route {
	settings, shown := &settingsCache{}, newCardCache(cachedCards)
	return []route{
		get(Operation{
			Path: "/program/get", Summary: "Read the settings of the program",
			Answer: reflect.TypeFor[program.Settings](),
		}, func(ctx context.Context, c *call) (*issuing.Program, error) {
			return s.ProgramSettings(ctx, c.who)
		}, settings.respond),

		get(Operation{
			Path: "/card/get/{customerId}/{cardId}", Optional: 1, Summary: "Read a card",
			Answer: reflect.TypeFor[Card](), Faults: with(customerFaults, fault.GetCardInvalid),
		}, func(ctx context.Context, c *call) (cards.CardDetail, error) {
			return s.Cards.Get(ctx, c.who, c.parameters[0], c.parameters[1])
		}, shown.respond),

		get(Operation{
			Path: "/card/getbytag/{customerId}/{tag}", Optional: 1, Query: []string{"tag"},
			Summary: "Read the card that carries a tag",
			Answer:  reflect.TypeFor[Card](), Faults: with(customerFaults, fault.TagUnknown),
		}, func(ctx context.Context, c *call) (cards.CardDetail, error) {
			return s.Cards.GetByTag(ctx, c.who, c.parameters[0], c.tag())
		}, shown.respond),

		get(Operation{
			Path: "/card/list/{customerId}", Query: []string{"status"},
			Summary: "List the cards of a customer", Answer: reflect.TypeFor[[]Card](),
			Faults: with(customerFaults, fault.ValueNotAcceptable),
		}, func(ctx context.Context, c *call) (*cards.CardList, error) {
			return s.Cards.List(ctx, c.who, c.parameters[0], c.query["status"])
		}, respondList),

		get(Operation{
			Path: "/bankdocument/list/{culture}/{documentType}", Optional: 1,
			Summary: "List the documents of the bank", Answer: reflect.TypeFor[[]BankDocument](),
		}, func(ctx context.Context, c *call) (programs.DocumentList, error) {
			return s.Programs.ListDocuments(ctx, c.who, c.parameters[0], c.documentType())
		}, respondDocuments),

		get(Operation{
			Path: "/bankdocument/download/{culture}/{documentId}", Optional: 2,
			Summary: "Download the PDF form of a document",
			Answer:  reflect.TypeFor[File](), Faults: documentFaults,
		}, func(ctx context.Context, c *call) (programs.Download, error) {
			return s.Programs.DownloadDocument(ctx, c.who, c.parameters[0], c.parameters[1])
		}, respondFile),
	}
}

// writes returns the operations that change a card. The request of each is its body.
func writes(s *acts.Service) []route {
	return []route{
		post(answersCard("/card/initiate", "Order a card", "CardInitiateRequest",
			createFaults), s.Cards.Initiate, showCard),
		post(answersCard("/card/createdigital", "Create a card that is never printed",
			"CardCreateDigitalRequest", createFaults), s.Cards.CreateDigital, showCard),
		post(answersCard("/card/verify", "Activate a card that has arrived",
			"CardVerifyRequest", verifyFaults), s.Cards.Verify, showCard),
		post(answersCard("/card/lock", "Lock a card", "CardLockRequest",
			lockFaults), s.Cards.Lock, showCard),
		post(answersCard("/card/hotlist", "Lock a card permanently", "CardHotlistRequest",
			hotlistFaults), s.Cards.Hotlist, showCard),
		post(answersCard("/card/lostOrStolen", "Lock a card permanently", "CardLostOrStolenRequest",
			hotlistFaults), s.Cards.Hotlist, showCard).replacedBy("/card/hotlist"),
		post(answersCard("/card/unlock", "Unlock a card", "CardUnlockRequest",
			unlockFaults), s.Cards.Unlock, showCard),
		post(Operation{
			Path: "/card/archive", Summary: "Archive a card; this cannot be undone",
			RequestName: "CardArchiveRequest", Faults: archiveFaults,
		}, archive(s), noData),
		post(answersCard("/card/reissue", "Reissue or replace a card", "CardReissueRequest",
			reissueFaults), s.Cards.Reissue, showCardReissued),
		post(answersCard("/card/addAccount", "Tie an account to a card", "CardAddAccountRequest",
			addAccountFaults), s.Cards.AddAccount, showCardAdded),
		post(answersCard("/card/removeAccount", "Remove an account from a card",
			"CardRemoveAccountRequest", removeAccountFaults), s.Cards.RemoveAccount, showCard),
		post(answersCard("/card/reprioritizeAccount", "Change the priority of an account",
			"CardReprioritizeAccountRequest", reprioritizeFaults), s.Cards.ReprioritizeAccount, showCard),
		post(answersCard("/card/resetpin", "Ask for a new PIN", "CardResetPinRequest",
			resetPinFaults), s.Cards.ResetPin, showCard),
	}
}

// answersCard returns an operation that answers with the changed card.
func answersCard(path, summary, request string, faults []fault.Kind) Operation {
	return Operation{
		Path: path, Summary: summary, RequestName: request, Faults: faults,
		Answer: reflect.TypeFor[Card](),
	}
}

// archive returns the act of /card/archive, whose answer has no data member.
func archive(s *acts.Service) func(
	context.Context, issuing.Caller, issuing.CardRef) (cards.CardDetail, error) {
	return func(
		ctx context.Context, who issuing.Caller, req issuing.CardRef,
	) (cards.CardDetail, error) {
		return cards.CardDetail{}, s.Cards.Archive(ctx, who, req)
	}
}
