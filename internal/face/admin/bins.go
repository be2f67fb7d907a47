package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
)

func (f *Face) binRoutes() []*Op {
	const bins = "programs/{id}/bins"
	return []*Op{
		list(Op{
			Path: bins, Summary: "List the BINs of a program", Roles: configurators,
			Filters: []Field{searched},
		}, f.bins),
		get(Op{
			Path: bins + "/{binId}", Summary: "Read a BIN", Roles: configurators,
		}, f.bin),
		create(Op{Path: bins, Summary: "Make a BIN", Roles: configurators}, f.createBin),
		patch(Op{
			Path: bins + "/{binId}", Summary: "Change a BIN", Roles: configurators,
		}, f.bin, f.changeBin),
	}
}

func binOf(b program.Bin) wire.Bin {
	return wire.Bin{
		ID: b.ID, Revision: b.Revision, ProgramID: b.ProgramID, VendorTypeCode: b.Vendor,
		Description: b.Description, IsActive: b.IsActive, FirstBody: b.FirstBody,
		LastBody: b.LastBody, ValidMonths: b.ValidMonths,
	}
}

func (f *Face) bins(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Bin, string, error) {
	id, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	items, last, err := f.acts.Programs.Bins(ctx, c.who, id, c.query.Get("q"), page)
	return each(items, last, err, binOf)
}

func (f *Face) bin(ctx context.Context, c *call) (wire.Bin, error) {
	programID, id, err := c.numbers("id", "binId")
	if err != nil {
		return wire.Bin{}, err
	}
	found, err := f.acts.Programs.Bin(ctx, c.who, programID, id)
	return binOf(found), err
}

func (f *Face) createBin(ctx context.Context, c *call, asked wire.NewBin) (wire.Bin, error) {
	programID, err := c.number("id")
	if err != nil {
		return wire.Bin{}, err
	}
	made, err := f.acts.Programs.CreateBin(ctx, c.who, program.Bin{
		ID: asked.ID, ProgramID: programID, Vendor: asked.VendorTypeCode,
		Description: asked.Description, IsActive: asked.IsActive, FirstBody: asked.FirstBody,
		LastBody: asked.LastBody, ValidMonths: asked.ValidMonths,
	})
	return binOf(made), binProblems(err)
}

func (f *Face) changeBin(ctx context.Context, c *call, after wire.Bin) (wire.Bin, error) {
	programID, id, err := c.numbers("id", "binId")
	if err != nil {
		return wire.Bin{}, err
	}
	changed, err := f.acts.Programs.ChangeBin(ctx, c.who, c.revision, program.Bin{
		ID: id, ProgramID: programID, Vendor: after.VendorTypeCode,
		Description: after.Description, IsActive: after.IsActive, FirstBody: after.FirstBody,
		LastBody: after.LastBody, ValidMonths: after.ValidMonths,
	})
	return binOf(changed), binProblems(err)
}

func binProblems(err error) error {
	return renamed(err, "binId", "id")
}
