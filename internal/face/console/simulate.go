package console

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	wire "mintmark/client/sandbox"
	"mintmark/internal/domain/order"
)

// simulation holds the forms that control the simulated card processor on the page of a card.
type simulation struct {
	Forms   []simulationForm
	Outcome *mark // result of the form that was sent
	Steps   []wire.Step
}

type simulationForm struct {
	Do, Button string
	Fields     *fieldset
}

// stories are the scenarios that the sandbox controls can play.
var stories = []option{
	{Value: "hotel", Label: "Hotel"}, {Value: "fuelPump", Label: "Fuel pump"},
	{Value: "restaurantTip", Label: "Restaurant tip"}, {Value: "lostAnswer", Label: "Lost answer"},
	{Value: "refundWithoutAuthorization", Label: "Refund without authorization"},
}

func (v *visit) simulation() *simulation {
	var reports []option
	for _, kind := range order.ReportKinds {
		reports = append(reports, option{
			Value: string(kind), Label: actWordsByName["report "+string(kind)].done,
		})
	}
	shown := &simulation{Forms: []simulationForm{
		{"purchase", "Simulate a purchase", ask(
			&control{Name: "amount", Label: "Amount", Kind: numberField, Required: true},
			&control{Name: "merchant", Label: "Merchant name", Kind: textField, Required: true,
				Value: "Corner Shop"},
			&control{Name: "partial", Label: "Allow partial approval", Kind: switchField},
		)},
		{"story", "Play the story", ask(&control{
			Name: "story", Label: "Story", Kind: choiceField, Required: true, Options: stories,
		})},
		{"report", "Send the report", ask(
			&control{Name: "kind", Label: "Report of the processor", Kind: choiceField,
				Required: true, Options: reports},
			&control{Name: "reason", Label: "Reason", Kind: textField},
		)},
	}}
	for _, s := range shown.Forms {
		if s.Do == v.typed("do") {
			s.Fields.afterRefusal(v)
		}
	}
	return shown
}

// simulate carries out a form of the simulation, and shows the card with the outcome.
func simulate(ctx context.Context, v *visit) (outcome, error) {
	id, err := strconv.Atoi(v.params["id"])
	if err != nil {
		return outcome{}, notFound()
	}
	var became mark
	var steps []wire.Step
	switch v.typed("do") {
	case "purchase":
		became, err = v.purchase(ctx, id)
	case "story":
		var told wire.StoryResult
		told, err = wire.Do[wire.StoryResult](ctx, v.controls(), http.MethodPost,
			"stories/"+url.PathEscape(v.typed("story")), wire.Story{CardID: id})
		became, steps = mark{"info", "", "The story was played"}, told.Steps
	case "report":
		became, err = v.report(ctx, id)
	default:
		return outcome{}, notFound()
	}
	if err != nil {
		return outcome{}, err
	}
	data, err := card(ctx, v)
	if err != nil {
		return outcome{}, err
	}
	data.Simulation.Outcome, data.Simulation.Steps = &became, steps
	return once("card", data), nil
}

// purchase requests an authorization at a merchant.
func (v *visit) purchase(ctx context.Context, cardID int) (mark, error) {
	amount := ungrouped(v.typed("amount"))
	body := properties{"amount": numberJSON(amount)}
	body.set("partial", v.typed("partial") == "true")
	body.set("merchant", wire.Merchant{Name: v.typed("merchant"), Country: "US", MCC: "5411"})
	authorized, err := wire.Do[wire.Authorized](ctx, v.controls(), http.MethodPost,
		"cards/"+itoa(cardID)+"/authorizations", body)
	if err != nil {
		return mark{}, err
	}
	if !authorized.Approved {
		return mark{"bad", "cross", "Declined: " + declineText(authorized.Reason)}, nil
	}
	return mark{"ok", "", "Approved: " + money(cmp.Or(authorized.Amount, json.Number(amount))) +
		" from account " + itoa(authorized.AccountID)}, nil
}

// report sends a report about a card.
func (v *visit) report(ctx context.Context, cardID int) (mark, error) {
	reported, err := wire.Do[wire.Reported](ctx, v.controls(), http.MethodPost,
		"cards/"+itoa(cardID)+"/reports", wire.Report{Kind: v.typed("kind"), Reason: v.typed("reason")})
	if err != nil {
		return mark{}, err
	}
	if reported.Result != string(order.Applied) {
		return mark{"warn", "tri", "The report was ignored: " + reported.Reason}, nil
	}
	return mark{"ok", "", "The report was applied"}, nil
}
