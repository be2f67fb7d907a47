package sandbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
)

// stories are real-world sequences of card processor messages.
var stories = map[string]func(*story) error{
	"hotel":                      hotel,
	"fuelPump":                   fuelPump,
	"restaurantTip":              restaurantTip,
	"lostAnswer":                 lostAnswer,
	"refundWithoutAuthorization": refundWithoutAuthorization,
}

// story is a story in progress.
type story struct {
	*Controls
	ctx    context.Context
	call   *call
	card   card.Card
	result wire.StoryResult
}

// tell plays a story with a card.
func (s *Controls) tell(ctx context.Context, c *call) (wire.StoryResult, error) {
	name := c.params["name"]
	play, known := stories[name]
	if !known {
		return wire.StoryResult{}, missing(fmt.Sprintf("There is no story %q, but %s.", name,
			strings.Join(slices.Sorted(maps.Keys(stories)), ", ")))
	}
	id := 0
	err := c.read(func(o *strictjson.Object) {
		if id = o.Int("cardId"); id < 1 {
			o.Reject("cardId", "a value is required")
		}
	})
	if err != nil {
		return wire.StoryResult{}, err
	}
	of, err := s.findCard(ctx, id)
	if err != nil {
		return wire.StoryResult{}, err
	}
	playing := &story{s, ctx, c, of, wire.StoryResult{Name: name, CardID: id}}
	err = play(playing)
	return playing.result, err
}

// step records what was done and its result.
func (s *story) step(does, result string) error {
	account, err := store.ViewOf(s.ctx, s.Store, func(r store.Tx) (authorization.Account, error) {
		return r.Balances().Find(s.card.PrimaryAccount())
	})
	if err != nil {
		return err
	}
	s.result.Steps = append(s.result.Steps, wire.Step{
		Does: does, Result: result, AccountBalance: shownAmount(account.Balance),
		AvailableBalance: shownAmount(account.Available),
	})
	return nil
}

// units returns an amount in whole currency units.
func units(n int64) value.Amount { return value.Amount{TenThousandths: n * 10_000} }

// newPurchase returns a purchase at a merchant with a new id.
func (s *story) newPurchase(amount int64, merchant authorization.Merchant) (authorization.Request, error) {
	id, err := s.newID("authorizations")
	return authorization.Request{
		ID: id, CardID: s.card.ID, At: s.Clock.Now().UTC(), Merchant: &merchant,
		Transfer: authorization.Transfer{Kind: authorization.Purchase, Amount: units(amount)},
	}, err
}

func (s *story) ask(does string, a authorization.Request) (bool, error) {
	authorized, err := s.Controls.ask(s.ctx, s.call, a)
	if err != nil {
		return false, err
	}
	result := "declined: " + authorized.Reason
	if authorized.Approved {
		result = "approved"
	}
	if authorized.Amount != "" {
		result += ", " + string(authorized.Amount)
	}
	return authorized.Approved, s.step(does, result)
}

func (s *story) reverse(does, authorizationID string, amount value.Amount) error {
	id, err := s.newID("reversals")
	if err != nil {
		return err
	}
	r, err := s.Service.Transfers.Reverse(s.ctx, s.call.processor(), authorization.ReversalRequest{
		ID: id, AuthorizationID: authorizationID, Amount: amount, At: s.Clock.Now().UTC(),
	})
	if err != nil {
		return err
	}
	return s.step(does, string(r.Result))
}

func (s *story) post(does string, m authorization.PostingRequest) error {
	var err error
	if m.ID, err = s.newID("postings"); err != nil {
		return err
	}
	m.CardID = s.card.ID
	if m.Kind == "" {
		m.Kind = authorization.Purchase
	}
	if _, err := s.move(s.ctx, s.call, m); err != nil {
		return err
	}
	return s.step(does, string(authorization.Posted))
}

// hotel holds money on arrival and more during the stay, and posts less than was held.
func hotel(s *story) error {
	at := authorization.Merchant{Name: "Grand Hotel", City: "Springfield", Country: "US", MCC: "7011"}
	arrival, err := s.newPurchase(200, at)
	if err != nil {
		return err
	}
	arrival.HoldUntil = s.Clock.Now().UTC().AddDate(0, 0, 14)
	if fine, err := s.ask("On arrival the hotel holds 200 for 14 days.", arrival); err != nil || !fine {
		return err
	}
	more, err := s.newPurchase(80, at)
	if err != nil {
		return err
	}
	more.IncrementOf = arrival.ID
	if _, err := s.ask("A night more: the same hold grows by 80.", more); err != nil {
		return err
	}
	err = s.reverse("The minibar was not used: 30 are taken back.", arrival.ID, units(30))
	if err != nil {
		return err
	}
	return s.post("On departure 225 are posted, and the hold ends.",
		authorization.PostingRequest{AuthorizationID: arrival.ID, Amount: units(225)})
}

// fuelPump requests more than needed, and posts what was filled.
func fuelPump(s *story) error {
	a, err := s.newPurchase(150, authorization.Merchant{
		Name: "Corner Fuel", City: "Springfield", Country: "US", MCC: "5542",
	})
	if err != nil {
		return err
	}
	a.Partial = true
	if fine, err := s.ask("The pump asks for 150, or what there is.", a); err != nil || !fine {
		return err
	}
	return s.post("42 were filled: they are posted, and the rest is given back.",
		authorization.PostingRequest{AuthorizationID: a.ID, Amount: units(42)})
}

// restaurantTip posts more than was held.
func restaurantTip(s *story) error {
	a, err := s.newPurchase(60, authorization.Merchant{
		Name: "Chez Ada", City: "Springfield", Country: "US", MCC: "5812",
	})
	if err != nil {
		return err
	}
	if fine, err := s.ask("The bill of 60 is authorized.", a); err != nil || !fine {
		return err
	}
	return s.post("With the tip 72 are posted: more than was held.",
		authorization.PostingRequest{AuthorizationID: a.ID, Amount: units(72)})
}

// lostAnswer makes the processor reverse an authorization that has not arrived, and then decide on
// its own.
func lostAnswer(s *story) error {
	at := authorization.Merchant{Name: "Corner Shop", City: "Springfield", Country: "US", MCC: "5411"}
	late, err := s.newPurchase(40, at)
	if err != nil {
		return err
	}
	err = s.reverse("A request for 40 is lost on the way. The processor takes it back.", late.ID,
		authorization.Everything)
	if err != nil {
		return err
	}
	if _, err := s.ask("The request arrives late, and holds nothing.", late); err != nil {
		return err
	}
	again, err := s.newPurchase(25, at)
	if err != nil {
		return err
	}
	fine, err := s.ask("A request for 25 arrives. Its answer is lost.", again)
	if err != nil || !fine {
		return err
	}
	advice, err := s.Service.Transfers.Advise(s.ctx, s.call.processor(), authorization.AdviceRequest{
		Request: again, Decision: authorization.Decisions[0], By: authorization.StandIn,
	})
	if err != nil {
		return err
	}
	return s.step("The processor has approved it alone, and says so: 25 are held once.",
		"booked, would have been "+string(advice.WouldHave))
}

// refundWithoutAuthorization posts a refund without an authorization.
func refundWithoutAuthorization(s *story) error {
	return s.post("The shop pays 19 back: nothing was asked before.", authorization.PostingRequest{
		Kind: authorization.Deposit, Amount: units(19), Merchant: &authorization.Merchant{
			Name: "Corner Shop", City: "Springfield", Country: "US", MCC: "5411",
		},
	})
}
