package admin

import (
	"context"

	"mintmark/internal/issuing"
)

// locate finds the program and bank of the resource in the path of a change, so that an operator
// without that bank is rejected before the body is read. A path without a resource of a bank has no
// place.
func (d *Desk) locate(ctx context.Context, c *call) error {
	noun := c.row.segments()[0]
	if !c.row.Changes() || len(c.row.segments()) < 2 || c.row.segments()[1] != "{id}" {
		return nil
	}
	var err error
	switch {
	case noun == "orders":
		c.place, err = d.acts.LocateOrder(ctx, c.who, c.params["id"])
		return err
	case noun == "holds":
		c.place, err = d.acts.LocateHold(ctx, c.who, c.params["id"])
		return err
	case !issuing.IsLocated(noun):
		return nil
	}
	id, err := c.parameter("id")
	if err == nil {
		c.place, err = d.acts.Locate(ctx, c.who, noun, id)
	}
	return err
}
