package sandbox

import (
	"context"
	"errors"
	"fmt"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

// authorization finds the authorization that a path names.
func (s *Controls) authorization(
	ctx context.Context, c *call,
) (authorization.Authorization, error) {
	id := c.params["authorizationId"]
	none := missing(fmt.Sprintf("There is no authorization %q.", id))
	if found := problem.Check(authorization.Ending{HoldID: id}); len(found) > 0 {
		return authorization.Authorization{}, none // the same rules as for the name of a hold
	}
	var found authorization.Authorization
	err := s.Store.View(ctx, func(r store.Tx) (err error) {
		found, err = r.Authorizations().Find(id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && found.IsMark() {
		err = none
	}
	return found, err
}

// increment has the simulated card processor ask for more under an authorization.
func (s *Controls) increment(ctx context.Context, c *call) (wire.Authorized, error) {
	of, err := s.authorization(ctx, c)
	if err != nil {
		return wire.Authorized{}, err
	}
	id, err := s.newID("authorizations")
	if err != nil {
		return wire.Authorized{}, err
	}
	asked := authorization.Asked{
		ID: id, CardID: of.CardID, IncrementOf: of.ID, At: s.Clock.Now().UTC(),
		Transfer: authorization.Transfer{Kind: of.Kind, Category: of.Category},
	}
	err = c.read(func(o *strictjson.Object) { asked = authorization.ReadIncrement(o, asked) })
	if err != nil {
		return wire.Authorized{}, err
	}
	return s.ask(ctx, c, asked)
}

// reverse has the simulated card processor take an authorization back, also one that has not come.
func (s *Controls) reverse(ctx context.Context, c *call) (wire.Reversed, error) {
	id, err := s.newID("reversals")
	if err != nil {
		return wire.Reversed{}, err
	}
	asked := authorization.Taking{
		ID: id, AuthorizationID: c.params["authorizationId"], Amount: authorization.Everything,
		At: s.Clock.Now().UTC(),
	}
	err = c.readOptional(func(o *strictjson.Object) { asked = authorization.ReadTaken(o, asked) })
	if err != nil {
		return wire.Reversed{}, err
	}
	made, err := s.Service.Transfers.Reverse(ctx, c.processor(), asked)
	if err != nil {
		return wire.Reversed{}, err
	}
	return wire.Reversed{ID: made.ID, Result: string(made.Result)}, nil
}

// postAuthorization has the simulated card processor move the money of an authorization.
func (s *Controls) postAuthorization(ctx context.Context, c *call) (wire.Posted, error) {
	of, err := s.authorization(ctx, c)
	if err != nil {
		return wire.Posted{}, err
	}
	asked := authorization.Movement{
		AuthorizationID: of.ID, CardID: of.CardID, Kind: of.Kind, Amount: of.Held(),
		Decimals: of.Held().Digits(),
	}
	if asked.ID, err = s.newID("postings"); err != nil {
		return wire.Posted{}, err
	}
	given := false
	err = c.readOptional(func(o *strictjson.Object) {
		asked, given = authorization.ReadPosted(o, asked)
	})
	if err != nil {
		return wire.Posted{}, err
	}
	if !given && of.Held().TenThousandths == 0 {
		return wire.Posted{}, web.Conflict("Nothing is held: a posting needs an amount.")
	}
	return s.move(ctx, c, asked)
}

// refund has the simulated card processor pay money back to a card, without an authorization.
func (s *Controls) refund(ctx context.Context, c *call) (wire.Posted, error) {
	of, err := s.card(ctx, c)
	if err != nil {
		return wire.Posted{}, err
	}
	asked := authorization.Movement{CardID: of.ID, Kind: authorization.Deposit}
	if asked.ID, err = s.newID("postings"); err != nil {
		return wire.Posted{}, err
	}
	err = c.read(func(o *strictjson.Object) { asked = authorization.ReadRefund(o, asked) })
	if err != nil {
		return wire.Posted{}, err
	}
	return s.move(ctx, c, asked)
}

// move has the service make a posting.
func (s *Controls) move(
	ctx context.Context, c *call, asked authorization.Movement,
) (wire.Posted, error) {
	made, err := s.Service.Transfers.Post(ctx, c.processor(), asked)
	if err != nil {
		return wire.Posted{}, err
	}
	decimals := 0
	err = s.Store.View(ctx, func(r store.Tx) error {
		program, err := r.Programs().Find(made.ProgramID)
		decimals = program.Settings.DecimalCount
		return err
	})
	return wire.Posted{
		ID: made.ID, Result: string(authorization.Posted), AccountID: made.AccountID,
		HoldID: made.HoldID, Amount: wire.Amount(made.Amount.Fixed(decimals).String()),
	}, err
}

// advise has the simulated card processor tell of a decision that it made alone.
func (s *Controls) advise(ctx context.Context, c *call) (wire.Advised, error) {
	of, err := s.card(ctx, c)
	if err != nil {
		return wire.Advised{}, err
	}
	id, err := s.newID("authorizations")
	if err != nil {
		return wire.Advised{}, err
	}
	var asked authorization.Advised
	err = c.read(func(o *strictjson.Object) {
		asked = authorization.ReadAdvisedTransfer(o, authorization.Advised{
			Asked: authorization.Asked{ID: id, CardID: of.ID, At: s.Clock.Now().UTC()},
		})
	})
	if err != nil {
		return wire.Advised{}, err
	}
	made, err := s.Service.Transfers.Advise(ctx, c.processor(), asked)
	if err != nil {
		return wire.Advised{}, err
	}
	return wire.Advised{
		ID: made.ID, Result: "booked", AccountID: made.AccountID, HoldID: made.HoldID,
		WouldHave: string(made.WouldHave),
	}, nil
}
