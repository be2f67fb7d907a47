package cards

import (
	"context"
	"errors"
	"iter"
	"strings"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// notStatus is the remark of ValueNotAcceptable on an unknown status; this implementation's choice.
const notStatus = "Not a card status or group."

// Identifiers in a path arrive as strings. The fault of an invalid one is that of an unknown one,
// and its message quotes the identifier as it was sent.

// Get returns a card of the customer (interface §8.2).
func (s *Service) Get(
	ctx context.Context, who issuing.Caller, customerID, cardID string,
) (CardDetail, error) {
	unknown := func() error { return fault.New(fault.GetCardInvalid, cardID, customerID) }
	id := issuing.Identifier(cardID)
	if id == 0 {
		id = noCard
	}
	return s.find(ctx, who, customerID, unknown, store.CardKey{ID: id})
}

// noCard is an ID that no card has.
const noCard = -1

// GetByTag returns the card of the customer with a tag (interface §8.3). If there is none, a + in
// the tag is also read as a space, as older callers encode it.
func (s *Service) GetByTag(
	ctx context.Context, who issuing.Caller, customerID, tag string,
) (CardDetail, error) {
	unknown := func() error { return fault.New(fault.TagUnknown, tag) }
	of := store.CardKey{Tag: tag}
	if strings.Contains(tag, "+") {
		of.AltTag = strings.ReplaceAll(tag, "+", " ")
	}
	return s.find(ctx, who, customerID, unknown, of)
}

// find returns a card of the customer. It returns the fault unknown() for a card that does not
// exist or is not the customer's.
func (s *Service) find(
	ctx context.Context, who issuing.Caller, customerID string, unknown func() error,
	of store.CardKey,
) (CardDetail, error) {
	snapshot, err := s.ProgramCache.Find(ctx, s.Store, who.ProgramID)
	if err != nil {
		return CardDetail{}, issuing.FaultOf(err)
	}
	view, err := store.ReadOf(ctx, s.Store, func(r store.Tx) (store.CardView, error) {
		return r.Cards().FindView(who.ProgramID, issuing.Identifier(customerID), of)
	})
	if errors.Is(err, store.ErrNotFound) {
		return CardDetail{}, fault.New(fault.CustomerInvalid, customerID)
	}
	if err != nil {
		return CardDetail{}, issuing.FaultOf(err)
	}
	if err := view.Customer.Check(); err != nil {
		return CardDetail{}, err
	}
	if view.Card.ID == 0 || !view.Card.BelongsTo(view.Customer.ID) {
		return CardDetail{}, unknown()
	}
	detail := detailOf(snapshot, view.Card, view.Accounts)
	detail.ForEarlierClients = who.EarlierClients
	if view.Version != 0 {
		detail.Version = Version{view.Version, snapshot.Version}
	}
	return detail, nil
}

// List returns the cards that the customer created or holds. A status selects those of one status
// or group (interface §8.4); more than one status is refused. Done must be called when the list is
// no longer needed.
func (s *Service) List(
	ctx context.Context, who issuing.Caller, customerID string, statuses []string,
) (*CardList, error) {
	snapshot, err := s.ProgramCache.Find(ctx, s.Store, who.ProgramID)
	if err != nil {
		return nil, issuing.FaultOf(err)
	}
	list := &CardList{
		program: snapshot, done: func() {}, forEarlierClients: who.EarlierClients,
	}
	err = s.findHoldings(ctx, who, issuing.Identifier(customerID), list)
	if err == nil {
		err = list.cards.Customer.Check()
	}
	if err == nil {
		list.keep, err = filter(statuses)
	}
	if err != nil {
		list.Done()
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, fault.New(fault.CustomerInvalid, customerID)
	}
	if err != nil {
		return nil, issuing.FaultOf(err)
	}
	return list, nil
}

// findHoldings loads the cards to list. A long list waits for its turn before its cards are read,
// so that many of them do not fill the memory.
func (s *Service) findHoldings(
	ctx context.Context, who issuing.Caller, customerID int, list *CardList,
) (err error) {
	err = s.listCards(ctx, who, customerID, fewRows, list)
	if !errors.Is(err, store.ErrTooMany) {
		return err
	}
	list.Long = true
	list.done, err = s.long.Acquire(ctx, who.Name, func() error {
		return s.listCards(ctx, who, customerID, store.NoLimit, list)
	})
	return err
}

// fewRows limits the rows of a list that does not wait for its turn. A card has a row for each of
// its accounts, up to eight.
const fewRows = 500

func (s *Service) listCards(
	ctx context.Context, who issuing.Caller, customerID, maxRows int, list *CardList,
) error {
	return s.Store.Read(ctx, func(r store.Tx) error {
		var err error
		list.cards, err = r.Cards().ListByCustomer(who.ProgramID, customerID, maxRows)
		return err
	})
}

// CardList yields the details of its cards one by one, because building all of them first would
// take several times the memory.
type CardList struct {
	Long bool // there are so many cards that the response should be written piece by piece

	program *issuing.Program
	cards   store.CustomerCards
	keep    func(card.Card) bool
	done    func()

	forEarlierClients bool // see CardDetail
}

// All yields the cards in their order.
func (l *CardList) All() iter.Seq[CardDetail] {
	return func(yield func(CardDetail) bool) {
		for i := range l.cards.Cards {
			c := &l.cards.Cards[i]
			if !l.keep(*c) {
				continue
			}
			detail := detailOf(l.program, *c, l.cards.Accounts)
			detail.ForEarlierClients = l.forEarlierClients
			if !yield(detail) {
				return
			}
		}
	}
}

// Done releases the memory and the slot of the list. It may be called more than once.
func (l *CardList) Done() {
	l.cards = store.CustomerCards{}
	l.done()
}

func filter(statuses []string) (func(card.Card) bool, error) {
	name := ""
	if len(statuses) > 0 {
		name = statuses[0]
	}
	keep, known := card.Filter(name)
	if !known || len(statuses) > 1 {
		return nil, fault.New(fault.ValueNotAcceptable, "status", notStatus)
	}
	return keep, nil
}
