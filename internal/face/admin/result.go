package admin

import (
	"encoding/json"
	"fmt"
	"net/http"

	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
)

// result returns the result for the value of an act or a read. In a dry run it includes the changes
// that the act would have made.
func (c *call) result(value any) (Result, error) {
	if raw, ok := value.(web.Response); ok {
		return Result{Status: raw.Status, Raw: &raw}, nil
	}
	if c.who.DryRun {
		changes, err := c.changesTo(value)
		return Result{Status: http.StatusOK, Value: value, Changes: changes}, err
	}
	if c.row.Status == http.StatusNoContent {
		return Result{Status: c.row.Status}, nil
	}
	r := Result{Status: c.row.Status, Value: value, Revision: revisionOf(value)}
	if id := idOf(value); id != "" && c.row.Status == http.StatusCreated {
		r.Location = c.location(id)
	}
	return r, nil
}

// revisionOf returns the revision of a resource, 0 if it has none.
func revisionOf(value any) int {
	revision, _ := strictjson.Member(value, "revision").(int)
	return revision
}

// idOf returns the id of a resource, empty if it has none.
func idOf(value any) string {
	id := strictjson.Member(value, "id")
	if id == nil || id == 0 {
		return ""
	}
	return fmt.Sprint(id)
}

// Response returns the result as a response.
func (r *Result) Response() (web.Response, error) {
	switch {
	case r.Raw != nil:
		return *r.Raw, nil
	case r.Value == nil:
		return web.Response{Status: r.Status}, nil
	case r.text != nil:
		return web.JSONText(r.Status, r.text), nil
	}
	var err error
	r.text, err = json.Marshal(r.Value)
	if err == nil && r.Changes != nil {
		r.text, err = withMember(r.text, "changes", r.Changes)
	}
	if err != nil {
		return web.Response{}, err
	}
	return web.JSONText(r.Status, r.text), nil
}

// withMember adds a member to a JSON object.
func withMember(object []byte, name string, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil || len(object) == 0 || object[0] != '{' {
		return object, err
	}
	object = object[:len(object)-1]
	if len(object) > 1 {
		object = append(object, ',')
	}
	object = append(append(object, `"`+name+`":`...), text...)
	return append(object, '}'), nil
}
