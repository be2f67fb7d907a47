package console

import (
	"context"

	wire "mintmark/client/admin"
)

func binRows() []row {
	rows := reserved(form("bins/new", "bins", "form", showNewBin, addBin), "configurator")
	rows = append(rows, page("bins", "bins", "bins", showBins))
	return append(rows, form("bins/{id}", "bins", "form", showBin, changeBin)...)
}

type binList struct {
	Items []binLine
	Next  string
}

type binLine struct {
	wire.Bin
	Mark mark
}

func showBins(ctx context.Context, v *visit) (binList, error) {
	path, err := v.ofProgram("bins")
	if err != nil {
		return binList{}, err
	}
	found, err := readPage[wire.Bin](ctx, v, path, v.filter("q"))
	if err != nil {
		return binList{}, err
	}
	list := binList{Next: found.Next}
	for _, bin := range found.Items {
		line := binLine{bin, mark{"mute", "square", "Not in use"}}
		if bin.IsActive {
			line.Mark = mark{"ok", "", "In use"}
		}
		list.Items = append(list.Items, line)
	}
	v.crumbs("Bins")
	v.command("bin list", v.programFlag())
	return list, nil
}

// binFields ask for what can be changed of a bin: its numbers stay as they were made.
func binFields(b wire.Bin) []*control {
	months := ""
	if b.ValidMonths > 0 {
		months = itoa(b.ValidMonths)
	}
	return []*control{
		{Name: "description", Label: "Description", Kind: textField, Value: b.Description},
		{Name: "validMonths", Label: "Months that a card is valid", Kind: numberField,
			Required: true, Value: months},
		{Name: "isActive", Label: "In use", Kind: switchField, Value: onOff(b.IsActive),
			Help: "New cards are issued under it. Cards that it has stay as they are."},
	}
}

func binBody(f *fieldset) properties {
	body := properties{}
	body.set("description", f.value("description"))
	body.set("isActive", f.on("isActive"))
	body.set("validMonths", f.number("validMonths"))
	return body
}

func showNewBin(_ context.Context, v *visit) (asking, error) {
	if v.Program == nil {
		return asking{}, notFound()
	}
	v.crumbs("Add a bin", "Bins", "bins")
	v.command("bin create", v.programFlag(), "--vendor VS --first-body 499999000000000 "+
		"--last-body 499999999999999 --valid-months 48")
	fields := append([]*control{
		{Name: "vendorTypeCode", Label: "Card vendor", Kind: pickField, Required: true,
			Options: choose([]option{
				{Value: "VS", Label: "VS", Help: "Visa"},
				{Value: "MC", Label: "MC", Help: "Mastercard"},
			}, "VS")},
		{Name: "firstBody", Label: "Lowest number", Kind: textField, Required: true,
			Help: "Without its check digit."},
		{Name: "lastBody", Label: "Highest number", Kind: textField, Required: true,
			Help: "Without its check digit; it belongs to the bin."},
	}, binFields(wire.Bin{IsActive: true, ValidMonths: 48})...)
	return asking{
		Fields: ask(fields...).refused(v), Once: v.once(), Button: "Add the bin",
		Note: "Its numbers cannot be changed later.", Back: v.To("bins"),
		BackText: "Back to the bins",
	}, nil
}

func addBin(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram("bins")
	if err != nil {
		return outcome{}, err
	}
	f := ask(append(binFields(wire.Bin{}), &control{Name: "firstBody"},
		&control{Name: "lastBody"})...).fill(v.form)
	asked := wire.NewBin{
		VendorTypeCode: v.typed("vendorTypeCode"), Description: f.value("description"),
		IsActive: f.on("isActive"), FirstBody: f.value("firstBody"),
		LastBody: f.value("lastBody"), ValidMonths: f.number("validMonths"),
	}
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	_, err = create[wire.Bin](ctx, v, path, asked)
	return lead(v.To("bins")), err
}

func showBin(ctx context.Context, v *visit) (asking, error) {
	path, err := v.ofProgram("bins/" + v.param("id"))
	if err != nil {
		return asking{}, err
	}
	bin, err := read[wire.Bin](ctx, v, path)
	if err != nil {
		return asking{}, err
	}
	id := itoa(bin.ID)
	v.crumbs("Bin "+id, "Bins", "bins")
	v.command("bin update", id, v.programFlag(), "--set isActive=false --revision",
		itoa(bin.Revision))
	asks := asking{
		Fields: ask(binFields(bin)...).refused(v), Revision: bin.Revision, Back: v.To("bins"),
		BackText: "Back to the bins",
		Facts: []fact{
			{Name: "Card vendor", Text: bin.VendorTypeCode},
			{Name: "Lowest number", Text: bin.FirstBody, Code: true},
			{Name: "Highest number", Text: bin.LastBody, Code: true},
			{Name: "Revision", Text: itoa(bin.Revision)},
		},
	}
	if v.May("configurator") {
		asks.Button = "Change bin " + id
	}
	return asks, nil
}

func changeBin(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram("bins/" + v.param("id"))
	if err != nil {
		return outcome{}, err
	}
	f := ask(binFields(wire.Bin{})...).fill(v.form)
	body := binBody(f)
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	_, err = patch[wire.Bin](ctx, v, path, body)
	return lead(v.To("bins")), err
}
