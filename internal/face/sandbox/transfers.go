package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

func (s *Controls) transferRoutes() []route {
	return []route{
		post("cards/{cardId}/authorizations", s.authorize),
		post("authorizations/{authorizationId}/increment", s.increment),
		post("authorizations/{authorizationId}/reverse", s.reverse),
		post("authorizations/{authorizationId}/post", s.postAuthorization),
		post("cards/{cardId}/advices", s.advise),
		post("cards/{cardId}/refunds", s.refund),
		post("stories/{name}", s.tell),
		post("holds/{holdId}/post", s.post),
		post("holds/{holdId}/release", s.release),
	}
}

// authorize makes the simulated card processor request an authorization.
func (s *Controls) authorize(ctx context.Context, c *call) (wire.Authorized, error) {
	of, err := s.card(ctx, c)
	if err != nil {
		return wire.Authorized{}, err
	}
	id, err := s.newID("authorizations")
	if err != nil {
		return wire.Authorized{}, err
	}
	var a authorization.Request
	err = c.read(func(o *strictjson.Object) {
		a = authorization.ReadTransfer(o, authorization.Request{
			ID: id, CardID: of.ID, At: s.Clock.Now().UTC(),
		})
	})
	if err != nil {
		return wire.Authorized{}, err
	}
	return s.ask(ctx, c, a)
}

// ask requests an authorization.
func (s *Controls) ask(
	ctx context.Context, c *call, a authorization.Request,
) (wire.Authorized, error) {
	authorized, err := s.Service.Transfers.Authorize(ctx, c.processor(), a)
	if err != nil {
		return wire.Authorized{}, err
	}
	answer := wire.Authorized{
		ID: authorized.ID, Approved: authorized.Approved(), Reason: string(authorized.Reason),
		AccountID: authorized.AccountID, HoldID: authorized.HoldID,
	}
	if a.Partial && authorized.Approved() {
		answer.Amount = shownAmount(authorized.Amount)
	}
	return answer, nil
}

// shownAmount returns an amount with all of its digits.
func shownAmount(a value.Amount) wire.Amount {
	return wire.Amount(a.Fixed(a.Digits()).String())
}

// post makes the simulated card processor post a hold, by default in full. A posting with an amount
// may come after the hold has ended.
func (s *Controls) post(ctx context.Context, c *call) (wire.Posted, error) {
	of, err := s.hold(ctx, c.params["holdId"])
	if err != nil {
		return wire.Posted{}, err
	}
	m := of.posting
	m.ID, err = s.newID("postings")
	if err != nil {
		return wire.Posted{}, err
	}
	given := false
	err = c.readOptional(func(o *strictjson.Object) {
		m, given = authorization.ReadPostingBody(o, m)
	})
	if err != nil {
		return wire.Posted{}, err
	}
	if !of.stands && !given {
		return wire.Posted{}, web.Conflict("The hold has ended: a late posting needs an amount.")
	}
	return s.move(ctx, c, m)
}

// held is what the posting of a hold needs.
type held struct {
	posting authorization.PostingRequest // of the whole hold; no amount if it has ended
	stands  bool
}

// hold returns a hold, which may have ended.
func (s *Controls) hold(ctx context.Context, id string) (held, error) {
	if problems := problem.Check(authorization.ReleaseRequest{HoldID: id}); len(problems) > 0 {
		return held{}, noHold(id)
	}
	of, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (held, error) { return holdIn(r, id) })
	if errors.Is(err, store.ErrNotFound) {
		err = noHold(id)
	}
	return of, err
}

// holdIn returns an open or ended hold.
func holdIn(r store.Tx, id string) (held, error) {
	view, err := r.Holds().FindView(id)
	if err == nil {
		h := view.Hold
		return held{authorization.PostingRequest{
			HoldID: id, CardID: h.CardID, Kind: h.Kind, Amount: h.Amount,
			Decimals: h.Amount.Digits(),
		}, true}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return held{}, err
	}
	end, err := r.Holds().FindEnd(id)
	return held{authorization.PostingRequest{HoldID: id, CardID: end.CardID, Kind: end.Kind}, false}, err
}

func noHold(holdID string) error { return missing(fmt.Sprintf("There is no hold %q.", holdID)) }

// release makes the simulated card processor release a hold.
func (s *Controls) release(ctx context.Context, c *call) (wire.Released, error) {
	if err := c.readNothing(); err != nil {
		return wire.Released{}, err
	}
	holdID := c.params["holdId"]
	if problems := problem.Check(authorization.ReleaseRequest{HoldID: holdID}); len(problems) > 0 {
		return wire.Released{}, noHold(holdID)
	}
	end, err := s.Service.Transfers.Release(ctx, c.processor(), holdID)
	if err != nil {
		return wire.Released{}, err
	}
	return wire.Released{HoldID: holdID, Result: string(end)}, nil
}

// newID returns an id such as a card processor would choose.
func (s *Controls) newID(purpose string) (string, error) {
	id, err := uuid.NewRandomFromReader(s.Chance.For("identifiers of " + purpose))
	if err != nil {
		return "", fmt.Errorf("generate an identifier: %w", err)
	}
	return id.String(), nil
}
