package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	wire "mintmark/client/sandbox"
)

// changeSandbox carries out a form of the page, which the field do names.
func changeSandbox(ctx context.Context, v *visit) (outcome, error) {
	var err error
	moved := ""
	switch v.typed("do") {
	case "clock":
		if v.typed("frozen") == "" {
			moved = v.typed("from")
		}
		err = v.moveClock(ctx)
	case "processor":
		mode := wire.Processor{Mode: wire.Mode(v.typed("mode"))}
		err = v.control(ctx, http.MethodPut, "processor", mode)
	case "snapshot":
		name := v.typed("name")
		switch {
		case name == "":
			return outcome{}, incomplete("name", "is required")
		case strings.Contains(name, "/") || name[0] == '.': // it would change the path of the request
			return outcome{}, incomplete("name", "must begin with a letter or digit, and have no slash")
		}
		err = v.control(ctx, http.MethodPut, "snapshots/"+url.PathEscape(name), nil)
	case "fault":
		err = v.control(ctx, http.MethodDelete, "faults/"+url.PathEscape(v.typed("id")), nil)
	case "faults":
		err = v.control(ctx, http.MethodDelete, "faults", nil)
	default:
		return outcome{}, notFound()
	}
	return redirectTo(v.To("sandbox", "moved", moved)), err
}

// control sends a change to the sandbox controls and discards the response.
func (v *visit) control(ctx context.Context, method, path string, body any) error {
	_, err := wire.Do[struct{}](ctx, v.controls(), method, path, body)
	return err
}

// moveClock sets, advances, freezes or thaws the clock.
func (v *visit) moveClock(ctx context.Context) error {
	change := wire.ClockChange{Advance: v.typed("advance")}
	if v.typed("to") != "" {
		f := ask(&control{Name: "now", Kind: momentField}).fill(v.form)
		change.Now, change.Advance = f.moment("now", v.Zone), ""
		if err := f.problem(); err != nil {
			return err
		}
		if change.Now == nil {
			return incomplete("now", "is required")
		}
	}
	if frozen := v.typed("frozen"); frozen != "" {
		on := frozen == "true"
		change = wire.ClockChange{Frozen: &on}
	}
	if change == (wire.ClockChange{}) {
		return incomplete("advance", "is required")
	}
	return v.control(ctx, http.MethodPut, "clock", change)
}

// stay begins a new session for the operator after a reset or restore has ended the previous one.
func (v *visit) stay(ctx context.Context) error {
	return v.console.Sessions.Begin(ctx, v.who)
}

func showReset(_ context.Context, v *visit) (actPage, error) {
	v.crumbs("Reset the sandbox", "Sandbox controls", "sandbox")
	v.command("sandbox reset")
	return v.sandboxAct("Reset the sandbox", "Everything returns to the state after the start, "+
		"with the same seed. Cards, webhooks, operators, fault rules and the present time are "+
		"lost; only snapshots stay.", nil), nil
}

// sandboxAct returns the page of an act on the whole sandbox.
func (v *visit) sandboxAct(title, effect string, facts []fact) actPage {
	return actPage{
		formPage: formPage{
			Confirm: noSecond, Fields: ask(), Facts: facts, Button: title, Back: v.To("sandbox"),
			BackText: "Back to the sandbox",
		},
		Risky: true, Effect: effect,
	}
}

func reset(ctx context.Context, v *visit) (outcome, error) {
	if err := v.control(ctx, http.MethodPost, "reset", nil); err != nil {
		return outcome{}, err
	}
	return v.backToSandbox(ctx)
}

// backToSandbox keeps the session and returns to the controls. The program of the page may be gone
// with the data of before.
func (v *visit) backToSandbox(ctx context.Context) (outcome, error) {
	v.programID = 0
	return redirectTo(v.To("sandbox")), v.stay(ctx)
}

func showRestore(ctx context.Context, v *visit) (actPage, error) {
	snapshot, err := v.snapshotOf(ctx)
	if err != nil {
		return actPage{}, err
	}
	title := "Restore snapshot " + snapshot.Name
	v.crumbs(title, "Sandbox controls", "sandbox")
	v.command("sandbox snapshot restore", quoted(snapshot.Name))
	return v.sandboxAct(title, "Everything returns to the state of the snapshot, the clock "+
		"included. Later changes are lost.", v.snapshotFacts(snapshot)), nil
}

func (v *visit) snapshotFacts(snapshot wire.Snapshot) []fact {
	return []fact{
		{Name: "Snapshot", Text: snapshot.Name}, {Name: "Time in it", At: v.When(snapshot.Now)},
		{Name: "Made, real time", At: v.When(snapshot.Made)},
	}
}

func restore(ctx context.Context, v *visit) (outcome, error) {
	path := "snapshots/" + url.PathEscape(v.Asked("name")) + "/restore"
	if err := v.control(ctx, http.MethodPost, path, nil); err != nil {
		return outcome{}, err
	}
	return v.backToSandbox(ctx)
}

func showDrop(ctx context.Context, v *visit) (actPage, error) {
	snapshot, err := v.snapshotOf(ctx)
	if err != nil {
		return actPage{}, err
	}
	title := "Drop snapshot " + snapshot.Name
	v.crumbs(title, "Sandbox controls", "sandbox")
	v.command("sandbox snapshot drop", quoted(snapshot.Name))
	return v.sandboxAct(title, "It can no longer be restored.", v.snapshotFacts(snapshot)), nil
}

func drop(ctx context.Context, v *visit) (outcome, error) {
	path := "snapshots/" + url.PathEscape(v.Asked("name"))
	return redirectTo(v.To("sandbox")), v.control(ctx, http.MethodDelete, path, nil)
}

// faultFields returns the fields of a fault rule.
func (v *visit) faultFields(keys []wire.Key) []*control {
	routes := []option{{Value: "*", Label: "every route"}}
	for _, path := range v.console.Sandbox.Routes {
		routes = append(routes, option{Value: path, Label: path})
	}
	named := []option{{Value: "", Label: "every key"}}
	for _, key := range keys {
		named = append(named, option{Value: key.Name, Label: key.Name})
	}
	return []*control{
		{Name: "route", Label: "Route", Kind: choiceField, Required: true,
			Options: choose(routes, "*")},
		{Name: "key", Label: "Key", Kind: choiceField, MayBeEmpty: true, Options: choose(named, "")},
		{Name: "code", Label: "Returns error code", Kind: numberField,
			Help: "Of the catalogue, such as 50503. Applied where that check runs."},
		{Name: "delay", Label: "Delay", Kind: textField, Help: "Real time, such as 2s or 250ms."},
		{Name: "drop", Label: "Closes the connection", Kind: choiceField, MayBeEmpty: true,
			Options: choose([]option{
				{Value: "", Label: "no"}, {Value: "before", Label: "before the act"},
				{Value: "after", Label: "after the act, to test Idempotency-Key"},
			}, "")},
		{Name: "times", Label: "Times", Kind: numberField,
			Help: "How many requests it applies to; all when left empty."},
		{Name: "probability", Label: "Probability", Kind: numberField,
			Help: "Such as 0.1; always when left empty."},
	}
}

func showNewFault(ctx context.Context, v *visit) (formPage, error) {
	w, err := wire.Get[wire.World](ctx, v.controls(), "world")
	if err != nil {
		return formPage{}, err
	}
	v.crumbs("Add a fault rule", "Sandbox controls", "sandbox")
	v.command("sandbox fault add --route /card/lock --code 50503 --times 3")
	return formPage{
		Fields: ask(v.faultFields(w.Keys)...).afterRefusal(v), Button: "Add the fault rule",
		Back: v.To("sandbox"), BackText: "Back to the sandbox",
		Note: "It makes requests fail, so that you can test how callers handle failures.",
	}, nil
}

func addFault(ctx context.Context, v *visit) (outcome, error) {
	f := ask(v.faultFields(nil)...).fill(v.form)
	rule := wire.Fault{
		Route: f.value("route"), Key: f.value("key"), Code: f.number("code"),
		Delay: f.value("delay"), Drop: f.value("drop"), Times: f.number("times"),
		Probability: f.rate("probability"),
	}
	err := f.problem()
	if err == nil && rule.Times == 0 && f.value("times") != "" {
		err = incomplete("times", "must be positive")
	}
	if err == nil && rule.Probability == 0 && f.value("probability") != "" {
		err = incomplete("probability", "must be positive")
	}
	if err != nil {
		return outcome{}, err
	}
	return redirectTo(v.To("sandbox")), v.control(ctx, http.MethodPost, "faults", rule)
}
