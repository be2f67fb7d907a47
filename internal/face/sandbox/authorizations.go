package sandbox

import (
	"context"
	"errors"
	"fmt"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

// authorization returns the authorization of the path.
func (s *Controls) authorization(
	ctx context.Context, c *call,
) (authorization.Authorization, error) {
	id := c.params["authorizationId"]
	none := missing(fmt.Sprintf("There is no authorization %q.", id))
	if problems := problem.Check(authorization.ReleaseRequest{HoldID: id}); len(problems) > 0 {
		return authorization.Authorization{}, none // the rules for hold ids apply
	}
	a, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (authorization.Authorization, error) {
		return r.Authorizations().Find(id)
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && a.IsMark() {
		err = none
	}
	return a, err
}

// increment makes the simulated card processor request an incremental authorization.
func (s *Controls) increment(ctx context.Context, c *call) (wire.Authorized, error) {
	of, err := s.authorization(ctx, c)
	if err != nil {
		return wire.Authorized{}, err
	}
	id, err := s.newID("authorizations")
	if err != nil {
		return wire.Authorized{}, err
	}
	a := authorization.Request{
		ID: id, CardID: of.CardID, IncrementOf: of.ID, At: s.Clock.Now().UTC(),
		Transfer: authorization.Transfer{Kind: of.Kind, Category: of.Category},
	}
	err = c.read(func(o *strictjson.Object) { a = authorization.ReadIncrement(o, a) })
	if err != nil {
		return wire.Authorized{}, err
	}
	return s.ask(ctx, c, a)
}

// reverse makes the simulated card processor reverse an authorization, which may not have arrived
// yet.
func (s *Controls) reverse(ctx context.Context, c *call) (wire.Reversed, error) {
	id, err := s.newID("reversals")
	if err != nil {
		return wire.Reversed{}, err
	}
	taking := authorization.ReversalRequest{
		ID: id, AuthorizationID: c.params["authorizationId"], Amount: authorization.Everything,
		At: s.Clock.Now().UTC(),
	}
	err = c.readOptional(func(o *strictjson.Object) { taking = authorization.ReadReversalBody(o, taking) })
	if err != nil {
		return wire.Reversed{}, err
	}
	r, err := s.Service.Transfers.Reverse(ctx, c.processor(), taking)
	if err != nil {
		return wire.Reversed{}, err
	}
	return wire.Reversed{ID: r.ID, Result: string(r.Result)}, nil
}

// postAuthorization makes the simulated card processor post an authorization.
func (s *Controls) postAuthorization(ctx context.Context, c *call) (wire.Posted, error) {
	of, err := s.authorization(ctx, c)
	if err != nil {
		return wire.Posted{}, err
	}
	m := authorization.PostingRequest{
		AuthorizationID: of.ID, CardID: of.CardID, Kind: of.Kind, Amount: of.Held(),
		Decimals: of.Held().Digits(),
	}
	if m.ID, err = s.newID("postings"); err != nil {
		return wire.Posted{}, err
	}
	given := false
	err = c.readOptional(func(o *strictjson.Object) {
		m, given = authorization.ReadPostingBody(o, m)
	})
	if err != nil {
		return wire.Posted{}, err
	}
	if !given && of.Held().TenThousandths == 0 {
		return wire.Posted{}, web.Conflict("Nothing is held: a posting needs an amount.")
	}
	return s.move(ctx, c, m)
}

// refund makes the simulated card processor post a refund to a card, without an authorization.
func (s *Controls) refund(ctx context.Context, c *call) (wire.Posted, error) {
	of, err := s.card(ctx, c)
	if err != nil {
		return wire.Posted{}, err
	}
	m := authorization.PostingRequest{CardID: of.ID, Kind: authorization.Deposit}
	if m.ID, err = s.newID("postings"); err != nil {
		return wire.Posted{}, err
	}
	err = c.read(func(o *strictjson.Object) { m = authorization.ReadRefund(o, m) })
	if err != nil {
		return wire.Posted{}, err
	}
	return s.move(ctx, c, m)
}

// move performs a posting.
func (s *Controls) move(
	ctx context.Context, c *call, m authorization.PostingRequest,
) (wire.Posted, error) {
	posting, err := s.Service.Transfers.Post(ctx, c.processor(), m)
	if err != nil {
		return wire.Posted{}, err
	}
	p, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (program.Program, error) {
		return r.Programs().Find(posting.ProgramID)
	})
	return wire.Posted{
		ID: posting.ID, Result: string(authorization.Posted), AccountID: posting.AccountID,
		HoldID: posting.HoldID, Amount: wire.Amount(posting.Amount.Fixed(p.Settings.DecimalCount).String()),
	}, err
}

// advise makes the simulated card processor send an advice of a decision it made on its own.
func (s *Controls) advise(ctx context.Context, c *call) (wire.Advised, error) {
	of, err := s.card(ctx, c)
	if err != nil {
		return wire.Advised{}, err
	}
	id, err := s.newID("authorizations")
	if err != nil {
		return wire.Advised{}, err
	}
	var a authorization.AdviceRequest
	err = c.read(func(o *strictjson.Object) {
		a = authorization.ReadAdviceBody(o, authorization.AdviceRequest{
			Request: authorization.Request{ID: id, CardID: of.ID, At: s.Clock.Now().UTC()},
		})
	})
	if err != nil {
		return wire.Advised{}, err
	}
	advice, err := s.Service.Transfers.Advise(ctx, c.processor(), a)
	if err != nil {
		return wire.Advised{}, err
	}
	return wire.Advised{
		ID: advice.ID, Result: "booked", AccountID: advice.AccountID, HoldID: advice.HoldID,
		WouldHave: string(advice.WouldHave),
	}, nil
}
