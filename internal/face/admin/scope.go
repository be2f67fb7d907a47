package admin

import (
	"context"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// locate returns the program and the bank of what the path of a change names, so that an operator
// without that bank in scope is answered before the body is read. A path that names nothing of a
// bank has no place.
func (f *Face) locate(ctx context.Context, c *call) (issuing.Place, error) {
	noun := c.row.segments()[0]
	if len(c.row.segments()) < 2 || !issuing.IsPlaced(noun) || c.row.segments()[1] != "{id}" {
		return issuing.Place{}, nil
	}
	if noun == "orders" {
		return f.acts.LocateOrder(ctx, c.who, c.params["id"])
	}
	id, err := c.number("id")
	if err != nil {
		return issuing.Place{}, web.NotFound()
	}
	return f.acts.Locate(ctx, c.who, noun, id)
}
