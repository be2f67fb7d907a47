package admin

import (
	"context"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/issuing"
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
	result, err := d.acts.Cards.Search(ctx, c.who, c.query.Get("q"), c.number("programId"))
	if err != nil {
		return wire.Found{}, err
	}
	shown := wire.Found{
		Cards: forms(result.Cards, showSummary), Customers: forms(result.Customers, showCustomer),
		MoreCards: result.MoreCards, MoreCustomers: result.MoreCustomers,
	}
	return shown, d.noteShown(ctx, c, "search", shown.Customers, shown.Cards)
}

// noteShown records in the audit how many customers and cards an answer shows, and the names of the
// filters, but not their values, which may name a person. A single customer or card is the subject.
func (d *Desk) noteShown(
	ctx context.Context, c *call, act string, customers []wire.Customer, cards []wire.Card,
) error {
	entry := audit.Entry{Actor: c.who.Actor, Act: act, Outcome: issuing.OutcomeRead}
	var programs []int
	for _, shown := range customers {
		programs = append(programs, shown.ProgramID)
		entry.Subject = audit.Of(audit.Customer, shown.ID)
	}
	for _, shown := range cards {
		programs = append(programs, shown.ProgramID)
		entry.Subject = audit.Of(audit.Card, shown.ID)
	}
	if len(programs) != 1 {
		entry.Subject = audit.Subject{}
	}
	var filters []string
	for _, f := range c.row.Filters {
		if c.query.Get(f.Name) != "" {
			filters = append(filters, f.Name)
		}
	}
	entry.After = audit.Members("customers", strconv.Itoa(len(customers)),
		"cards", strconv.Itoa(len(cards)), "filters", strings.Join(filters, ", "))
	return d.acts.PutRead(ctx, entry, programs)
}
