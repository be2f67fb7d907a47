package admin

import (
	"context"
	"errors"
	"maps"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/program"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/programs"
	"mintmark/internal/store"
)

func (f *Face) programRoutes() []*Op {
	return []*Op{
		list(Op{
			Path: "programs", Summary: "List the programs in scope", Filters: []Field{searched},
		}, f.programs),
		get(Op{
			Path: "programs/{id}", Summary: "Read a program with its settings",
		}, f.program),
		create(Op{
			Path: "programs", Summary: "Make a program of a bank", Roles: configurators,
		}, f.createProgram),
		fourEyes(patch(Op{
			Path: "programs/{id}", Summary: "Change the settings of a program",
			Roles: configurators,
		}, f.program, f.changeProgram)),
	}
}

const (
	ownAddress = "has an address of its own"
	computed   = "is filled by the service"
)

// elsewhere are the settings that a program's resource takes none of, and why. It shows those that
// have an address of their own.
var elsewhere = map[string]string{
	"name":             "",
	"accounts":         ownAddress,
	"externalAccounts": ownAddress,
	"products":         ownAddress,
	"bin":              ownAddress,
	"filledDate":       computed,
	"checkingProducts": computed,
	"prepaidProducts":  computed,
	"savingsProducts":  computed,
	"eCodeProducts":    computed,
}

func programOf(p program.Program) (wire.Program, error) {
	shown, err := programs.AsShown(p)
	if err != nil {
		return wire.Program{}, err
	}
	shown.Bin = []program.PublishedBin{}
	for _, b := range p.Bins {
		shown.Bin = append(shown.Bin, program.PublishedBin{
			BinID: b.ID, Description: b.Description, IsActive: b.IsActive,
			VendorTypeCode: b.Vendor,
		})
	}
	members, err := membersOf(shown)
	if err != nil {
		return wire.Program{}, err
	}
	for _, name := range []string{"accounts", "externalAccounts"} {
		members[name], err = eachWithout(members[name], "accountNumber")
		if err != nil {
			return wire.Program{}, err
		}
	}
	for name, why := range elsewhere {
		if why != ownAddress {
			delete(members, name)
		}
	}
	return wire.Program{
		ID: p.ID, Revision: p.Revision, BankID: p.BankID, Name: p.Settings.Name,
		VerificationWindowDays: p.VerificationWindowDays,
		Renewal:                string(p.Renewal.OrDefault()),
		Balances:               string(p.Balances.OrDefault()),
		FourEyes:               p.FourEyes, Settings: members,
	}, nil
}

// wantedProgram reads what an operator wants of a program, which was another one before.
func wantedProgram(before, w wire.Program) (program.Program, error) {
	wanted := maps.Clone(w.Settings)
	for name := range elsewhere {
		delete(wanted, name)
	}
	read, found := settings[program.Settings](wanted)
	for _, name := range slices.Sorted(maps.Keys(elsewhere)) {
		if !sameValue(before.Settings[name], w.Settings[name]) {
			found.Add(name, "%s", elsewhere[name])
		}
	}
	if len(found) > 0 {
		return program.Program{}, web.Invalid(found)
	}
	read.Name = w.Name
	if digits := w.Settings["decimalCount"]; digits == nil || string(digits) == "null" {
		read.DecimalCount = -1 // which the rules refuse; 0 is a count
	}
	return program.Program{
		Issuing: program.Issuing{
			ID: w.ID, BankID: w.BankID, VerificationWindowDays: w.VerificationWindowDays,
			Renewal: program.Renewal(w.Renewal), Balances: program.Balances(w.Balances),
		},
		FourEyes: w.FourEyes, Settings: read,
	}, nil
}

func (f *Face) programs(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Program, string, error) {
	items, last, err := f.acts.Programs.Programs(ctx, c.who, c.query.Get("q"), page)
	if err != nil {
		return nil, "", err
	}
	var shown []wire.Program
	for _, item := range items {
		one, err := programOf(item)
		if err != nil {
			return nil, "", err
		}
		shown = append(shown, one)
	}
	return shown, last, nil
}

func (f *Face) program(ctx context.Context, c *call) (wire.Program, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Program{}, err
	}
	found, err := f.acts.Programs.Program(ctx, c.who, id)
	if err != nil {
		return wire.Program{}, err
	}
	return programOf(found)
}

func (f *Face) createProgram(
	ctx context.Context, c *call, asked wire.Program,
) (wire.Program, error) {
	wanted, err := wantedProgram(wire.Program{}, asked)
	if err != nil {
		return wire.Program{}, err
	}
	made, err := f.acts.Programs.CreateProgram(ctx, c.who, wanted)
	if errors.Is(err, store.ErrNotFound) {
		return wire.Program{}, web.Invalid(problem.List{
			{Path: "bankId", Text: "names no bank in scope"},
		})
	}
	if err != nil {
		return wire.Program{}, renamed(err, "programId", "id")
	}
	return programOf(made)
}

func (f *Face) changeProgram(
	ctx context.Context, c *call, after wire.Program,
) (wire.Program, error) {
	before, err := f.program(ctx, c)
	if err != nil {
		return wire.Program{}, err
	}
	wanted, err := wantedProgram(before, after)
	if err != nil {
		return wire.Program{}, err
	}
	wanted.ID = before.ID
	changed, err := f.acts.Programs.ChangeProgram(ctx, c.who, c.revision, wanted)
	if err != nil {
		return wire.Program{}, err
	}
	return programOf(changed)
}
