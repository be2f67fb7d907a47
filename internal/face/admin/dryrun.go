package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
)

// readBefore reads the resource that a dry run is about, with the row that answers with it: the
// path itself, or the path without the name of the act. A resource that is made has none.
func (f *Face) readBefore(ctx context.Context, c *call) {
	if c.row.Status == http.StatusCreated || c.row.Method == http.MethodPatch {
		return
	}
	path := c.row.segments()
	row := f.reader(path)
	if row == nil && c.row.Method == http.MethodPost && !strings.HasPrefix(path[len(path)-1], "{") {
		row = f.reader(path[:len(path)-1])
	}
	if row == nil || !row.allows(c.Roles) {
		return
	}
	asked := *c
	asked.row, asked.who.DryRun, asked.query = row, false, nil
	response, err := row.answer(ctx, &asked)
	if err == nil {
		c.before = bytes.TrimSpace(response.Body)
		c.partial = c.row.Reply != nil && row.Reply != c.row.Reply
	}
}

// reader returns the row that answers with the resource at a path.
func (f *Face) reader(path []string) *Op {
	for i, row := range f.routes {
		if row.Method == http.MethodGet && !row.List && row.Reply != nil &&
			slices.Equal(row.segments(), path) {
			return f.routes[i]
		}
	}
	return nil
}

// withChanges adds to a resource what it is that a dry run would have changed. Of a partial answer
// the members count that it has.
func withChanges(before, after []byte, partial bool) ([]byte, error) {
	var found []wire.Change
	differences("", before, after, partial, &found)
	if found == nil {
		found = []wire.Change{}
	}
	return withMember(after, "changes", found)
}

// withMember adds a member to an object.
func withMember(object []byte, name string, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil || len(object) == 0 || object[0] != '{' {
		return object, err
	}
	object = bytes.TrimSuffix(object, []byte("}"))
	if len(object) > 1 {
		object = append(object, ',')
	}
	object = append(append(object, `"`+name+`":`...), text...)
	return append(object, '}'), nil
}

// differences notes each member of an object that is another one than before. Lists are compared as
// a whole.
func differences(pointer string, before, after []byte, partial bool, found *[]wire.Change) {
	var was, is map[string]json.RawMessage
	if len(before) > 0 && json.Unmarshal(before, &was) != nil ||
		json.Unmarshal(after, &is) != nil {
		return
	}
	names := slices.Collect(maps.Keys(is))
	for name := range was {
		if _, has := is[name]; !has && !partial {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		from, to := was[name], is[name]
		switch {
		case at == "/revision" || strictjson.Same(from, to):
		case isObject(from) && isObject(to):
			differences(at, from, to, partial, found)
		default:
			*found = append(*found, wire.Change{Pointer: at, From: from, To: to})
		}
	}
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
