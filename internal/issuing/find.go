package issuing

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"mintmark/internal/card"
	"mintmark/internal/fault"
	"mintmark/internal/store"
)

// notStatus is the remark of 59956 on a status that names nothing; this implementation's choice.
const notStatus = "Not a card status or group."

// Identifiers that come in a path are handed on as they were sent: what is no identifier answers
// like an unknown one, and the message quotes it.

// Get returns a card of the customer (section 4.2, /card/get).
func (s *Service) Get(
	ctx context.Context, who Caller, customerID, cardID string,
) (CardDetail, error) {
	foreign := fault.New(fault.GetCardInvalid, cardID, customerID)
	return s.find(ctx, who, customerID, foreign, func(r *reading) (card.Card, error) {
		return r.FindCard(who.ProgramID, identifier(cardID))
	})
}

// GetByTag returns the card of the customer that the caller has given a tag (section 4.2,
// /card/getbytag). A tag that is not found is looked for once more with + read as a space, as
// older callers encode it.
func (s *Service) GetByTag(
	ctx context.Context, who Caller, customerID, tag string,
) (CardDetail, error) {
	foreign := fault.New(fault.TagUnknown, tag)
	return s.find(ctx, who, customerID, foreign, func(r *reading) (card.Card, error) {
		found, err := r.FindCardByTag(who.ProgramID, tag)
		if errors.Is(err, store.ErrNotFound) && strings.Contains(tag, "+") {
			return r.FindCardByTag(who.ProgramID, strings.ReplaceAll(tag, "+", " "))
		}
		return found, err
	})
}

// find returns a card that is there and the customer's; any other answers with one fault.
func (s *Service) find(
	ctx context.Context, who Caller, customerID string, foreign error,
	fetch func(*reading) (card.Card, error),
) (CardDetail, error) {
	return read(ctx, s, who, func(r *reading) (CardDetail, error) {
		if err := r.admitText(customerID); err != nil {
			return CardDetail{}, err
		}
		found, err := fetch(r)
		if errors.Is(err, store.ErrNotFound) || err == nil && !found.BelongsTo(r.actor.ID) {
			return CardDetail{}, foreign
		}
		if err != nil {
			return CardDetail{}, err
		}
		return r.detail(found)
	})
}

// List returns the cards the customer created or holds, those of one status or group when a
// status is given (section 4.2, /card/list). More than one status is refused.
func (s *Service) List(
	ctx context.Context, who Caller, customerID string, statuses []string,
) ([]CardDetail, error) {
	return read(ctx, s, who, func(r *reading) ([]CardDetail, error) {
		if err := r.admitText(customerID); err != nil {
			return nil, err
		}
		keep, err := filter(statuses)
		if err != nil {
			return nil, err
		}
		cards, err := r.ListCards(who.ProgramID, r.actor.ID)
		if err != nil {
			return nil, err
		}
		kept := make([]card.Card, 0, len(cards))
		for _, c := range cards {
			if keep(c) {
				kept = append(kept, c)
			}
		}
		return r.details(kept...)
	})
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

// admitText admits a customer whose identifier came in a path.
func (r *reading) admitText(customerID string) error {
	id := identifier(customerID)
	if id == 0 {
		return fault.New(fault.CustomerInvalid, customerID)
	}
	return r.admit(id)
}

// identifier reads a positive 32-bit integer, and is 0 for anything else.
func identifier(text string) int {
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil || id < 0 || strings.HasPrefix(text, "+") {
		return 0
	}
	return int(id)
}
