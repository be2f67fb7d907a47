package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
)

func programRows() []row {
	edit := form("programs/{id}/edit", "programs", "form", showProgramForm, changeProgram)
	rows := form("programs/new", "programs", "form", showNewProgram, addProgram)
	return append(reserved(append(rows, edit...), "configurator"),
		page("programs", "programs", "list", showPrograms),
		page("programs/{id}", "programs", "program", showProgram))
}

// showPrograms lists programs. Configurators with all banks in scope can also add a bank there.
func showPrograms(ctx context.Context, v *visit) (listPage, error) {
	shown, err := pagesAt("programs").list(ctx, v)
	add := crumb{"Add a bank", v.To("banks/new")}
	switch {
	case !v.Me.Scope.All || !v.May(string(operator.Configurator)):
	case len(v.Banks) == 0:
		shown.New, shown.NewText = add.To, add.Text
	default:
		shown.More = add
	}
	return shown, err
}

// programPage is a program with its settings.
type programPage struct {
	wire.Program
	Groups []settingGroup
	Parts  []fact
}

type settingGroup struct {
	Name     string
	Settings []settingLine
}

type settingLine struct {
	fact
	Member string
}

func findProgram(ctx context.Context, v *visit) (wire.Program, settings, error) {
	p, err := readNamed[wire.Program](ctx, v, "programs/{id}")
	if err != nil {
		return wire.Program{}, settings{}, err
	}
	v.choose(p.ID)
	s, err := settingsOf(p)
	return p, s, err
}

func showProgram(ctx context.Context, v *visit) (programPage, error) {
	p, s, err := findProgram(ctx, v)
	if err != nil {
		return programPage{}, err
	}
	shown := programPage{Program: p, Parts: v.programParts(p)}
	for _, g := range settingGroupsOf(s) {
		lines := settingGroup{Name: g.name}
		for _, f := range g.fields {
			lines.Settings = append(lines.Settings, settingLine{v.fact(f, s), f.Name})
		}
		shown.Groups = append(shown.Groups, lines)
	}
	v.crumbs(p.Name, "Programs", "programs")
	v.command("program get", itoa(p.ID))
	return shown, nil
}

// programParts returns links to the parts of a program.
func (v *visit) programParts(p wire.Program) []fact {
	lists := func(name string) string {
		var items []json.RawMessage
		// A member that is not a list counts as 0.
		_ = json.Unmarshal(p.Settings[name], &items)
		return count(len(items))
	}
	parts := []fact{{
		Name: "Bank", Text: v.scopeWords([]int{p.BankID}),
		To: v.To("banks/" + itoa(p.BankID)),
	}}
	for _, e := range []struct{ name, setting, path, role string }{
		{"Bins", "bin", "bins", "configurator"},
		{"Products", "products", "products", "configurator"},
		{"Own accounts", "accounts", "program-accounts", "configurator"},
		{"External accounts", "externalAccounts", "external-accounts", "configurator"},
		{"Documents", "", "documents", "configurator"},
		{"Webhooks", "", "webhooks", "configurator"}, {"Keys", "", "keys", "security"},
	} {
		shown := fact{Name: e.name, Text: "open", To: v.To(e.path)}
		if e.setting != "" {
			shown.Text = lists(e.setting)
		}
		may := v.May(e.role, "auditor")
		if !may {
			shown.To = ""
		}
		if may || e.setting != "" {
			parts = append(parts, shown)
		}
	}
	return parts
}

func showProgramForm(ctx context.Context, v *visit) (formPage, error) {
	p, s, err := findProgram(ctx, v)
	if err != nil {
		return formPage{}, err
	}
	id := itoa(p.ID)
	v.crumbs("Change "+p.Name, "Programs", "programs", p.Name, "programs/"+id)
	v.command("program update", id, "--set NAME=VALUE --revision",
		itoa(p.Revision))
	confirm := ""
	if p.FourEyes {
		confirm = "Only switching four eyes off needs a second operator."
	}
	_, fields := v.settingInputs(s)
	return formPage{
		Fields: fields.afterRefusal(v), Revision: p.Revision,
		Note: "Callers see a change within 5 minutes.", Confirm: confirm,
		Button: "Change " + p.Name, Review: true, Back: v.To("programs/" + id),
		BackText: "Back to the program",
	}, nil
}

func changeProgram(ctx context.Context, v *visit) (outcome, error) {
	p, s, err := findProgram(ctx, v)
	if err != nil {
		return outcome{}, err
	}
	all, _ := v.settingInputs(s)
	body := all.mergePatch(v)
	if zone, changed := body["timeZone"]; changed { // the bank's days begin with the program's
		body.set("bank", map[string]json.RawMessage{"timeZone": zone})
	}
	path := "programs/" + itoa(p.ID)
	if len(body) == 0 {
		return redirectTo(v.To(path)), nil
	}
	after, r := redirectTo(v.To(path)), v.changeRequest(http.MethodPatch, path)
	amounts := all.checkAmounts(v.decimals(value.AmountDigits))
	switch {
	case amounts != nil:
		_, err = v.change(ctx, v.dryRun(r), body)
		err = addProblems(amounts, err)
	case v.wasReviewed():
		_, err = patch[wire.Program](ctx, v, path, body)
	default:
		after, err = v.review(ctx, showProgramForm, r, body)
	}
	return after, withOneZone(err)
}

// withOneZone removes problems with the time zone of the bank: the form has one field for both
// zones.
func withOneZone(err error) error {
	refused := (*wire.Problem)(nil)
	if errors.As(err, &refused) {
		refused.Errors = slices.DeleteFunc(refused.Errors, func(e wire.MemberError) bool {
			return e.Pointer == "/bank/timeZone"
		})
	}
	return err
}

// newProgramInputs returns the inputs for the bank and all settings.
func (v *visit) newProgramInputs() (inputs, *fieldset) {
	all, f := v.settingInputs(newSettings())
	bank := v.inputsOf([]admin.Field{resourceAt("programs").Field("bankId")}, admin.Creating,
		reflect.TypeFor[settings](), nil)
	if v.Asked("bankId") == "" && v.Bank != nil {
		bank[0].controls[0].Options = choose(bank[0].controls[0].Options, itoa(v.Bank.ID))
	}
	f.Groups = append([]group{{Fields: bank.controls()}}, f.Groups...)
	return append(bank, all...), f
}

func showNewProgram(_ context.Context, v *visit) (formPage, error) {
	v.crumbs("Add a program", "Programs", "programs")
	v.command("program create --file program.json --set name=Fleet")
	_, fields := v.newProgramInputs()
	return formPage{
		Fields: fields.afterRefusal(v), Once: v.once(),
		Note:   "Cards can be issued when it has a bin, and callers can ask when it has a key.",
		Button: "Add the program", Back: v.To("programs"), BackText: "Back to the programs",
	}, nil
}

func addProgram(ctx context.Context, v *visit) (outcome, error) {
	all, _ := v.newProgramInputs()
	body, name := all.newBody(v), ""
	for _, bank := range v.Banks {
		if itoa(bank.ID) == v.typed("bankId") {
			name = bank.Name
		}
	}
	// Callers read the name and the time zone of the bank.
	body.set("bank", map[string]string{"name": name, "timeZone": v.typed("timeZone")})
	if amounts := all.checkAmounts(v.decimals(value.AmountDigits)); amounts != nil {
		r := v.dryRun(admin.Request{Method: http.MethodPost, Path: "programs"})
		_, err := v.change(ctx, r, body)
		return outcome{}, withOneZone(addProblems(amounts, err))
	}
	program, err := create[wire.Program](ctx, v, "programs", body)
	return redirectTo(v.To("programs/"+itoa(program.ID), "programId", itoa(program.ID))), withOneZone(err)
}
