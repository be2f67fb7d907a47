package admin

import (
	"context"

	wire "mintmark/client/admin"
)

func (d *Desk) search() *Resource {
	return &Resource{
		Item: "search", Show: get(Op{
			Summary: "Search cards and customers at once", Roles: support,
			Filters: []Field{
				{Name: "q", Label: "Text", Help: "an identifier, last four digits, words of a name, " +
					"both together, a tag, a nickname or a telephone number; a whole card number " +
					"is refused"},
				{Name: "programId", Label: "Program", Help: "of a program"},
			},
		}, d.readSearch),
		Fields: []Field{
			{Name: "cards", Label: "Cards", On: Shown,
				Help: "Those that the text names, then those that the customers hold; 25 at most."},
			{Name: "customers", Label: "Customers", On: Shown, Help: "25 at most."},
			{Name: "moreCards", Label: "There are more cards", On: Shown},
			{Name: "moreCustomers", Label: "There are more customers", On: Shown},
		},
	}
}

func (d *Desk) readSearch(ctx context.Context, c *call) (wire.Found, error) {
	programID, err := c.queryNumber("programId")
	if err != nil {
		return wire.Found{}, err
	}
	result, err := d.acts.Cards.Search(ctx, c.who, c.query.Get("q"), programID)
	return wire.Found{
		Cards: forms(result.Cards, showSummary), Customers: forms(result.Customers, showCustomer),
		MoreCards: result.MoreCards, MoreCustomers: result.MoreCustomers,
	}, err
}
