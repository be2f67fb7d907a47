package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
)

func (d *Desk) bins() *Resource {
	return &Resource{
		Noun: "bin", Path: "programs/{id}/bins", Item: "programs/{id}/bins/{binId}",
		In: ofProgram, ID: Param{Name: "binId", Help: "Number of the BIN.", Number: true},
		Help:  "Ranges of card numbers.",
		Nav:   Nav{"Set-up", "Bins"},
		Empty: "Cards can be issued once the program has a bin.",
		Roles: configuratorRoles,
		Columns: []string{
			"id", "vendorTypeCode", "firstBody", "lastBody", "validMonths", "isActive",
			"description",
		},
		Fields: []Field{
			{Name: "id", Label: "Number", On: Typed, Help: "The next number when left out."},
			{Name: "vendorTypeCode", Flag: "vendor", Label: "Card vendor", On: Creating,
				Required: true, Default: "VS", Choices: []Choice{
					{Value: "VS", Label: "VS", Help: "Visa"},
					{Value: "MC", Label: "MC", Help: "Mastercard"},
				}},
			{Name: "firstBody", Label: "Lowest number", On: Creating, Required: true,
				Help: "15 digits: the number without its check digit."},
			{Name: "lastBody", Label: "Highest number", On: Creating, Required: true,
				Help: "15 digits, too; part of the range."},
			{Name: "description", Label: "Description"},
			{Name: "validMonths", Label: "Card validity (months)", Required: true,
				Default: "48"},
			{Name: "isActive", Label: "In use", Default: "true",
				Help: "Cards ordered without binId are issued under the vendor's first BIN in use, " +
					"even a full one. Existing cards stay as they are."},
		},
		List: list(Op{
			Summary: "List the BINs of a program", Example: "mintmark bin list --program 1",
			Filters: []Field{searched},
		}, d.listBins),
		Show: get(Op{
			Summary: "Read a BIN", Example: "mintmark bin get 1 --program 1",
		}, d.readBin),
		Create: create(Op{
			Summary: "Create a BIN",
			Example: "mintmark bin create --program 1 --vendor VS --first-body 499999000000000 " +
				"--last-body 499999999999999 --valid-months 36",
			Title: "Add a bin", Button: "Add the bin",
			Effect: "Its numbers cannot be changed later.",
		}, d.createBin),
		Change: patch(Op{
			Summary: "Change a BIN",
			Example: `mintmark bin update 1 --program 1 --set description="debit cards"`,
			Button:  "Change bin {id}",
		}, d.readBin, d.changeBin),
	}
}

func binOf(b program.Bin) wire.Bin {
	return wire.Bin{
		ID: b.ID, Revision: b.Revision, ProgramID: b.ProgramID, VendorTypeCode: b.Vendor,
		Description: b.Description, IsActive: b.IsActive, FirstBody: b.FirstBody,
		LastBody: b.LastBody, ValidMonths: b.ValidMonths,
	}
}

func (d *Desk) listBins(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Bin, string, error) {
	return convertAll(binOf)(
		d.acts.Programs.Bins(ctx, c.who, c.id("id"), c.query.Get("q"), page))
}

func (d *Desk) readBin(ctx context.Context, c *call) (wire.Bin, error) {
	return convert(binOf)(d.acts.Programs.Bin(ctx, c.who, c.id("id"), c.id("binId")))
}

func (d *Desk) createBin(ctx context.Context, c *call, b wire.NewBin) (wire.Bin, error) {
	validMonths := program.DefaultValidMonths
	if b.ValidMonths != nil {
		validMonths = *b.ValidMonths
	}
	bin, err := d.acts.Programs.CreateBin(ctx, c.who, program.Bin{
		ID: b.ID, ProgramID: c.id("id"), Vendor: b.VendorTypeCode, Description: b.Description,
		IsActive: b.IsActive, FirstBody: b.FirstBody, LastBody: b.LastBody,
		ValidMonths: validMonths,
	})
	return convert(binOf)(bin, renamed(err, "binId", "id"))
}

func (d *Desk) changeBin(ctx context.Context, c *call, after wire.Bin) (wire.Bin, error) {
	changed, err := d.acts.Programs.ChangeBin(ctx, c.who, c.revision, program.Bin{
		ID: c.id("binId"), ProgramID: c.id("id"), Vendor: after.VendorTypeCode,
		Description: after.Description, IsActive: after.IsActive, FirstBody: after.FirstBody,
		LastBody: after.LastBody, ValidMonths: after.ValidMonths,
	})
	return convert(binOf)(changed, renamed(err, "binId", "id"))
}
