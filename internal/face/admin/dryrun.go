package admin

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
)

// readBefore reads the resource of a dry run before the act. It uses the row that shows the
// resource: the same path, or the path without the act's name. A resource that is being created has
// no such row.
func (d *Desk) readBefore(ctx context.Context, c *call) {
	if c.row.Status == http.StatusCreated || c.row.Method == http.MethodPatch {
		return
	}
	path := c.row.segments()
	row := d.reader(path)
	if row == nil && c.row.Method == http.MethodPost && !strings.HasPrefix(path[len(path)-1], "{") {
		row = d.reader(path[:len(path)-1])
	}
	if row == nil || !row.allows(c.Roles) {
		return
	}
	requested := *c
	requested.row, requested.who.DryRun, requested.query = row, false, nil
	result, err := requested.run(ctx)
	if err == nil {
		c.before = result.Value
		c.partial = c.row.Reply != nil && row.Reply != c.row.Reply
	}
}

// reader returns the row that shows the resource at a path.
func (d *Desk) reader(path []string) *Op {
	for _, row := range d.routes {
		if row.Method == http.MethodGet && !row.List && row.Reply != nil &&
			slices.Equal(row.segments(), path) {
			return row
		}
	}
	return nil
}

// changesTo returns the changes that a dry run would have made. A partial answer is compared only
// in the members that it has.
func (c *call) changesTo(after any) ([]wire.Change, error) {
	if c.changes != nil {
		return c.changes, nil
	}
	var was []byte
	var err error
	if c.before != nil {
		was, err = json.Marshal(c.before)
		if err != nil {
			return nil, err
		}
	}
	now, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	changes := []wire.Change{}
	differences("", was, now, c.partial, &changes)
	return changes, nil
}

// differences appends the members of an object that differ from before. Arrays are compared as a
// whole.
func differences(pointer string, before, after []byte, partial bool, changes *[]wire.Change) {
	var was, now map[string]json.RawMessage
	if len(before) > 0 && json.Unmarshal(before, &was) != nil ||
		json.Unmarshal(after, &now) != nil {
		return
	}
	names := slices.Collect(maps.Keys(now))
	for name := range was {
		if _, has := now[name]; !has && !partial {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		from, to := was[name], now[name]
		switch {
		case at == "/revision" || strictjson.Same(from, to):
		case isObject(from) && isObject(to):
			differences(at, from, to, partial, changes)
		default:
			*changes = append(*changes, wire.Change{Pointer: at, From: from, To: to})
		}
	}
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
