package console

import (
	"context"
	"encoding/json"

	wire "mintmark/client/admin"
)

func programRows() []row {
	edit := form("programs/{id}/edit", "programs", "form", showProgramForm, changeProgram)
	made := form("programs/new", "programs", "form", showNewProgram, addProgram)
	return append(reserved(append(made, edit...), "configurator"),
		page("programs", "programs", "programs", showPrograms),
		page("programs/{id}", "programs", "program", showProgram))
}

type programList struct {
	Items []programLine
	Next  string
}

type programLine struct {
	wire.Program
	BankName string
	Current  bool
}

func showPrograms(ctx context.Context, v *visit) (programList, error) {
	found, err := readPage[wire.Program](ctx, v, "programs", v.filter("q"))
	if err != nil {
		return programList{}, err
	}
	list := programList{Next: found.Next}
	for _, p := range found.Items {
		list.Items = append(list.Items, programLine{
			Program: p, BankName: v.scopeWords(false, []int{p.BankID}),
			Current: v.Program != nil && v.Program.ID == p.ID,
		})
	}
	v.crumbs("Programs")
	v.command("program list")
	return list, nil
}

// programPage is what a program is set to.
type programPage struct {
	wire.Program
	Groups []settingGroup
	Parts  []fact
}

type settingGroup struct {
	Name     string
	Settings []settingLine
}

type settingLine struct{ Label, Name, Value string }

func findProgram(ctx context.Context, v *visit) (wire.Program, error) {
	id, err := v.number("id")
	if err != nil {
		return wire.Program{}, err
	}
	p, err := read[wire.Program](ctx, v, "programs/"+itoa(id))
	if err != nil {
		return p, err
	}
	v.choose(p.ID)
	return p, nil
}

func showProgram(ctx context.Context, v *visit) (programPage, error) {
	p, err := findProgram(ctx, v)
	if err != nil {
		return programPage{}, err
	}
	shown := programPage{Program: p, Parts: v.programParts(p)}
	values := settingsOf(p)
	for _, g := range programSettings {
		lines := settingGroup{Name: g.name}
		for _, one := range g.settings {
			lines.Settings = append(lines.Settings, one.line(values))
		}
		shown.Groups = append(shown.Groups, lines)
	}
	v.crumbs(p.Name, "Programs", "programs")
	v.command("program get", itoa(p.ID))
	return shown, nil
}

// programParts lead to what belongs to a program.
func (v *visit) programParts(p wire.Program) []fact {
	lists := func(name string) string {
		var items []json.RawMessage
		// A member that is no list has no count.
		_ = json.Unmarshal(p.Settings[name], &items)
		return count(len(items))
	}
	parts := []fact{{
		Name: "Bank", Text: v.scopeWords(false, []int{p.BankID}),
		To: v.To("banks/" + itoa(p.BankID)),
	}}
	for _, one := range []struct{ name, setting, path, role string }{
		{"Bins", "bin", "bins", "configurator"},
		{"Products", "products", "products", "configurator"},
		{"Own accounts", "accounts", "program-accounts", "configurator"},
		{"External accounts", "externalAccounts", "external-accounts", "configurator"},
		{"Documents", "", "documents", "configurator"},
		{"Webhooks", "", "webhooks", "configurator"}, {"Keys", "", "keys", "security"},
	} {
		shown := fact{Name: one.name, Text: "open", To: v.To(one.path)}
		if one.setting != "" {
			shown.Text = lists(one.setting)
		}
		may := v.May(one.role, "auditor")
		if !may {
			shown.To = ""
		}
		if may || one.setting != "" {
			parts = append(parts, shown)
		}
	}
	return parts
}

func showProgramForm(ctx context.Context, v *visit) (asking, error) {
	p, err := findProgram(ctx, v)
	if err != nil {
		return asking{}, err
	}
	id := itoa(p.ID)
	v.crumbs("Change "+p.Name, "Programs", "programs", p.Name, "programs/"+id)
	v.command("program update", id, "--set renewal=manual --dry-run --revision",
		itoa(p.Revision))
	confirm := ""
	if p.FourEyes {
		confirm = "Nobody else, unless it switches four eyes off: that needs a second operator."
	}
	return asking{
		Fields: programFields(settingsOf(p)).refused(v), Revision: p.Revision,
		Note: "Callers see a change within 5 minutes.", Confirm: confirm,
		Button: "Change " + p.Name, Back: v.To("programs/" + id),
		BackText: "Back to the program",
	}, nil
}

func changeProgram(ctx context.Context, v *visit) (outcome, error) {
	p, err := findProgram(ctx, v)
	if err != nil {
		return outcome{}, err
	}
	values, body := settingsOf(p), properties{}
	f := programFields(values).fill(v.form)
	for _, g := range programSettings {
		for _, one := range g.settings {
			one.into(body, f, values)
		}
	}
	if zone, changed := body["timeZone"]; changed { // the days of the bank begin with the program's
		body.set("bank", map[string]json.RawMessage{"timeZone": zone})
	}
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	path := "programs/" + itoa(p.ID)
	if len(body) == 0 {
		return lead(v.To(path)), nil
	}
	_, err = patch[wire.Program](ctx, v, path, body)
	return lead(v.To(path)), err
}

// freshProgram are the settings that a new program begins with.
var freshProgram = map[string]json.RawMessage{
	"timeZone": json.RawMessage(`"America/New_York"`), "decimalCount": json.RawMessage(`2`),
	"verificationWindowDays": json.RawMessage(`90`), "renewal": json.RawMessage(`"manual"`),
	"balances":            json.RawMessage(`"core"`),
	"publicKeyAlgorithms": json.RawMessage(`"RSA-OAEP-SHA256-MGF1"`),
	"validAccountTypes":   json.RawMessage(`["Checking","Savings"]`),
	"validProductTypes":   json.RawMessage(`["Checking","Savings"]`),
}

// bankField asks for the bank of a new program.
func (v *visit) bankField() *control {
	var options []option
	for _, bank := range v.Banks {
		options = append(options, option{Value: itoa(bank.ID), Label: bank.Name})
	}
	chosen := v.Asked("bankId")
	if chosen == "" && v.Bank != nil {
		chosen = itoa(v.Bank.ID)
	}
	return &control{
		Name: "bankId", Label: "Bank", Kind: choiceField, Required: true,
		Options: choose(options, chosen), Help: "It cannot be changed later.",
	}
}

// newProgramFields ask for a bank and for all settings.
func (v *visit) newProgramFields(values map[string]json.RawMessage) *fieldset {
	f := programFields(values)
	f.Groups = append([]group{{Fields: []*control{v.bankField()}}}, f.Groups...)
	return f
}

func showNewProgram(_ context.Context, v *visit) (asking, error) {
	v.crumbs("Add a program", "Programs", "programs")
	v.command("program create --file program.json --set name=Fleet")
	return asking{
		Fields: v.newProgramFields(freshProgram).refused(v), Once: v.once(),
		Note:   "Cards can be issued when it has a bin, and callers can ask when it has a key.",
		Button: "Add the program", Back: v.To("programs"), BackText: "Back to the programs",
	}, nil
}

func addProgram(ctx context.Context, v *visit) (outcome, error) {
	if err := v.openFrame(ctx); err != nil {
		return outcome{}, err
	}
	f, body := v.newProgramFields(map[string]json.RawMessage{}).fill(v.form), properties{}
	for _, g := range programSettings {
		for _, one := range g.settings {
			one.write(body, f)
		}
	}
	for name, value := range body {
		if string(value) == "null" {
			delete(body, name)
		}
	}
	bankID, name := f.number("bankId"), ""
	for _, bank := range v.Banks {
		if bank.ID == bankID {
			name = bank.Name
		}
	}
	body.set("bankId", bankID)
	// Callers read of the bank what it is called and where its days begin.
	body.set("bank", map[string]string{"name": name, "timeZone": f.value("timeZone")})
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	made, err := create[wire.Program](ctx, v, "programs", body)
	return lead(v.To("programs/"+itoa(made.ID), "programId", itoa(made.ID))), err
}
