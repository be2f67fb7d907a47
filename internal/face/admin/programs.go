package admin

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/program"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/programs"
	"mintmark/internal/store"
)

func (d *Desk) programs() *Resource {
	return &Resource{
		Noun: "program", Path: "programs", Item: "programs/{id}",
		ID:    Param{Name: "id", Help: "Number of the program.", Number: true},
		Help:  "Card programs and their settings.",
		Nav:   Nav{"Set-up", "Programs"},
		Empty: "Cards, BINs, API keys and webhooks belong to a program, and the program to a bank.",
		Columns: []string{
			"id", "bankId", "name", "verificationWindowDays", "renewal", "balances", "fourEyes",
			"revision",
		},
		// The settings that are in the same object are members of the program of the callers'
		// interface.
		Fields: []Field{
			{Name: "id", Label: "Number", On: WireOnly, Help: "The next number when left out."},
			{Name: "bankId", Label: "Bank", On: Creating, Required: true,
				Help: "It cannot be changed later."},
			{Name: "name", Label: "Name", Required: true},
			{Name: "verificationWindowDays", Label: "Days to verify a card", Required: true,
				Help: "A card that is not verified by then expires."},
			{Name: "renewal", Label: "Renewal", Choices: []Choice{
				{Value: "automatic", Label: "Automatic", Help: "Renewed before they expire"},
				{Value: "manual", Label: "Manual", Help: "On request only"},
			}},
			{Name: "balances", Label: "Source of balances", Choices: []Choice{
				{Value: "core", Label: "The core banking system"},
				{Value: "mintmark", Label: "Mintmark"},
			}},
			{Name: "fourEyes", Label: "Four eyes",
				Help: "A second operator confirms new keys, clearing SYS locks, changed addresses."},
			{Name: "currency", Label: "Currency",
				Help: "Such as USD. A card-based transfer in another currency is declined; empty: any."},
			{Name: "fenced", Label: "Fenced since", On: Shown,
				Help: "Callers are answered 503 until mintmark program unfence."},
		},
		List: list(Op{
			Summary: "List the programs in scope", Example: "mintmark program list",
			Filters: []Field{searched},
		}, d.listPrograms),
		Show: get(Op{
			Summary: "Read a program with its settings", Example: "mintmark program get 1",
		}, d.readProgram),
		Create: create(Op{
			Summary: "Create a program of a bank", Roles: configuratorRoles, Members: true,
			Example: "mintmark program create --file program.json --set name=Fleet",
			Title:   "Add a program", Button: "Add the program",
			Effect: "Cards can be issued once it has a BIN, and callers can send requests " +
				"once it has a key.",
		}, d.createProgram),
		Change: patch(Op{
			Summary: "Change the settings of a program", Roles: configuratorRoles, FourEyes: true,
			Example: "mintmark program update 1 --set renewal=manual --dry-run",
			Button:  "Change {id}", Effect: "Callers see a change within 5 minutes.",
		}, d.readProgram, d.changeProgram),
	}
}

const (
	ownAddress = "has its own address"
	computed   = "is filled by the service"
)

// unsettable has the settings that the resource of a program does not accept, with the reason.
// Those with their own address are shown, though.
var unsettable = map[string]string{
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
	for name, why := range unsettable {
		if why != ownAddress {
			delete(members, name)
		}
	}
	return wire.Program{
		ID: p.ID, Revision: p.Revision, BankID: p.BankID, Name: p.Settings.Name,
		VerificationWindowDays: p.VerificationWindowDays,
		Renewal:                string(p.Renewal.OrDefault()),
		Balances:               string(p.Balances.OrDefault()),
		FourEyes:               p.FourEyes, Currency: p.Currency, Fenced: moment(p.Fenced),
		Settings: members,
	}, nil
}

// wantedProgram converts the requested state of a program, given its state before.
func wantedProgram(before, w wire.Program) (program.Program, problem.List) {
	wanted := maps.Clone(w.Settings)
	for name := range unsettable {
		delete(wanted, name)
	}
	read, problems := settings[program.Settings](wanted)
	for _, name := range slices.Sorted(maps.Keys(unsettable)) {
		if !strictjson.Same(before.Settings[name], w.Settings[name]) {
			problems.Add(name, "%s", unsettable[name])
		}
	}
	if !timeOf(before.Fenced).Equal(timeOf(w.Fenced)) {
		problems.Add("fenced", "%s", computed)
	}
	read.Name = w.Name
	var digits *int
	if json.Unmarshal(w.Settings["decimalCount"], &digits) != nil || digits == nil {
		read.DecimalCount = -1 // rejected by the rules; 0 is a valid count
	}
	return program.Program{
		Issuing: program.Issuing{
			ID: w.ID, BankID: w.BankID, VerificationWindowDays: w.VerificationWindowDays,
			Renewal: program.Renewal(w.Renewal), Balances: program.Balances(w.Balances),
		},
		FourEyes: w.FourEyes, Currency: w.Currency, Settings: read,
	}, problems
}

func (d *Desk) listPrograms(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Program, string, error) {
	items, last, err := d.acts.Programs.Programs(ctx, c.who, c.query.Get("q"), page)
	if err != nil {
		return nil, "", err
	}
	shown := make([]wire.Program, len(items))
	for i, item := range items {
		shown[i], err = programOf(item)
		if err != nil {
			return nil, "", err
		}
	}
	return shown, last, nil
}

// programAnswer converts the program that an act or a read returned.
func programAnswer(p program.Program, err error) (wire.Program, error) {
	if err != nil {
		return wire.Program{}, err
	}
	return programOf(p)
}

func (d *Desk) readProgram(ctx context.Context, c *call) (wire.Program, error) {
	return programAnswer(d.acts.Programs.Program(ctx, c.who, c.id("id")))
}

func (d *Desk) createProgram(
	ctx context.Context, c *call, p wire.Program,
) (wire.Program, error) {
	wanted, problems := wantedProgram(wire.Program{}, p)
	return c.putProgram(ctx, problems, func(ctx context.Context, c *call) (program.Program, error) {
		prog, err := d.acts.Programs.CreateProgram(ctx, c.who, wanted)
		if errors.Is(err, store.ErrNotFound) {
			refused := wanted.WithDefaults()
			refused.ID = 1
			others := refused.Validate(d.acts.Programs.Sandbox()).Without("bankId")
			return prog, web.Invalid(append(problem.List{
				{Path: "bankId", Text: "names no bank in scope"},
			}, others...))
		}
		return prog, renamed(err, "programId", "id")
	})
}

func (d *Desk) changeProgram(
	ctx context.Context, c *call, after wire.Program,
) (wire.Program, error) {
	before, err := d.readProgram(ctx, c)
	if err != nil {
		return wire.Program{}, err
	}
	wanted, problems := wantedProgram(before, after)
	wanted.ID = before.ID
	return c.putProgram(ctx, problems, func(ctx context.Context, c *call) (program.Program, error) {
		return d.acts.Programs.ChangeProgram(ctx, c.who, c.revision, wanted)
	})
}

// putProgram performs an act on a program. If members could not be read, it returns their problems
// with those of the rules on the rest.
func (c *call) putProgram(
	ctx context.Context, problems problem.List,
	put func(context.Context, *call) (program.Program, error),
) (wire.Program, error) {
	if len(problems) > 0 {
		return wire.Program{}, c.withRules(ctx, web.Invalid(problems),
			func(ctx context.Context, c *call) (any, error) { return put(ctx, c) })
	}
	return programAnswer(put(ctx, c))
}
