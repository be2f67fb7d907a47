package console

import (
	"context"
	"encoding/json"

	wire "mintmark/client/admin"
)

func programRows() []row {
	edit := form("programs/{id}/edit", "programs", "form", showProgramForm, changeProgram)
	return append(reserved(edit, "configurator"),
		page("programs", "programs", "programs", showPrograms),
		page("programs/{id}", "programs", "program", showProgram))
}

type programList struct{ Items []programLine }

type programLine struct {
	wire.Program
	BankName string
	Current  bool
}

func showPrograms(_ context.Context, v *visit) (programList, error) {
	list := programList{}
	for _, p := range v.Programs {
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
	p, err := wire.Get[wire.Program](ctx, v.api, "programs/"+itoa(id))
	if err == nil {
		v.choose(p.ID)
	}
	return p, err
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
		{"Documents", "", "documents", "configurator"},
		{"Webhooks", "", "webhooks", "configurator"}, {"Keys", "", "keys", "security"},
	} {
		shown := fact{Name: one.name, Text: "open", To: v.To(one.path)}
		if one.setting != "" {
			shown.Text = lists(one.setting)
		}
		if v.May(one.role, "auditor") {
			parts = append(parts, shown)
		}
	}
	for _, one := range []struct{ name, setting string }{
		{"Products", "products"}, {"Own accounts", "accounts"},
		{"External accounts", "externalAccounts"},
	} {
		parts = append(parts, fact{Name: one.name, Text: lists(one.setting)})
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
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	path := "programs/" + itoa(p.ID)
	if len(body) == 0 {
		return lead(v.To(path)), nil
	}
	_, err = amends[wire.Program](ctx, v, path, body)
	return lead(v.To(path)), err
}
