package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
)

// maxReason is the length of a reason for the audit, in characters.
const maxReason = 500

// bind reads a body, and the reason for the audit, which stands in it or in the header. All that is
// wrong with its shape is told at once, and the members that can be read are returned beside it.
func bind[Q any](c *call) (Q, error) {
	var asked Q
	body, found := c.object(reflect.TypeFor[Q]())
	found = append(found, strictjson.CheckShape(body, reflect.TypeFor[Q]())...)
	found = withNew(found, c.reasonProblems(c.row.Reason))
	err := json.Unmarshal(body, &asked) // goes on behind a member that it cannot read
	if len(found) > 0 {
		return asked, web.Invalid(found)
	}
	if err != nil {
		return asked, web.Invalid(problem.List{{Text: "cannot be read: " + err.Error()}})
	}
	return asked, nil
}

// merged applies the body, a merge patch, to a resource.
func merged[A any](c *call, before A) (A, error) {
	var after A
	if len(bytes.TrimSpace(c.body)) == 0 {
		return after, web.Invalid(problem.List{{Text: "must be an object"}})
	}
	patch, found := c.object(reflect.TypeFor[A]())
	found = append(found, strictjson.CheckShape(patch, reflect.TypeFor[A]())...)
	text, err := json.Marshal(before)
	if err != nil {
		return after, err
	}
	found = append(found, fixedProblems(text, patch)...)
	found = withNew(found, c.reasonProblems(c.row.Reason))
	text, err = jsonpatch.MergePatch(text, patch)
	if err == nil {
		err = json.Unmarshal(text, &after)
	}
	if len(found) > 0 {
		return after, web.Invalid(found)
	}
	if err != nil {
		return after, web.Invalid(problem.List{{Text: "cannot be read: " + err.Error()}})
	}
	return after, nil
}

// withRules adds to the problems of a body's shape what the rules refuse of the members that can be
// read: the act is tried as a dry run, which keeps nothing.
func (c *call) withRules(err error, try func(dry *call) error) error {
	shape := (*web.Problem)(nil)
	if !errors.As(err, &shape) || slices.ContainsFunc(shape.Errors, ofWholeBody) {
		return err
	}
	dry := *c
	dry.who.DryRun = true
	ruled := (*web.Problem)(nil)
	if !errors.As(problemOf(try(&dry)), &ruled) || ruled.Status != shape.Status {
		return err
	}
	for _, other := range ruled.Errors {
		unread := func(known web.BodyError) bool {
			return other.Pointer == known.Pointer ||
				strings.HasPrefix(other.Pointer, known.Pointer+"/")
		}
		if !ofWholeBody(other) && !slices.ContainsFunc(shape.Errors, unread) {
			shape.Errors = append(shape.Errors, other)
		}
	}
	return err
}

func ofWholeBody(e web.BodyError) bool { return e.Pointer == "" }

// withNew adds problems of members that have none yet.
func withNew(found, others problem.List) problem.List {
	for _, other := range others {
		known := func(p problem.Problem) bool { return p.Path == other.Path }
		if !slices.ContainsFunc(found, known) {
			found = append(found, other)
		}
	}
	return found
}

// object returns the body as an object, and takes the reason out of it that a type has no field
// for. An empty body is an object without members.
func (c *call) object(t reflect.Type) ([]byte, problem.List) {
	body := bytes.TrimSpace(c.body)
	if len(body) == 0 {
		body = []byte("{}")
	}
	var members map[string]json.RawMessage
	if !utf8.Valid(body) || json.Unmarshal(body, &members) != nil || members == nil {
		return body, nil // which CheckShape finds as well
	}
	raw, given := members["reason"]
	if !given {
		return body, nil
	}
	var found problem.List
	reason := ""
	if json.Unmarshal(raw, &reason) != nil {
		found.Add("reason", "must be a text")
	}
	if reason != "" && !c.approved {
		c.who.Reason = reason
	}
	if _, ok := strictjson.Fields(t)["reason"]; !ok {
		return withoutMember(body, "reason"), found
	}
	return body, nil
}

// withoutMember returns an object without one of its members. The others stay as they stand, those
// that stand twice among them.
func withoutMember(body []byte, name string) []byte {
	var kept bytes.Buffer
	kept.WriteByte('{')
	for other, value := range strictjson.Members(body) {
		if other == name {
			continue
		}
		if kept.Len() > 1 {
			kept.WriteByte(',')
		}
		member, err := json.Marshal(other)
		if err != nil {
			panic(err) // a text
		}
		kept.Write(member)
		kept.WriteByte(':')
		kept.Write(value)
	}
	kept.WriteByte('}')
	return kept.Bytes()
}

// fixed are the members of a resource that no patch changes.
var fixed = []string{"id", "revision", "programId", "bankId"}

func fixedProblems(before, patch []byte) problem.List {
	var was, shall map[string]json.RawMessage
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(patch, &shall) != nil {
		return nil
	}
	var found problem.List
	for _, name := range fixed {
		value, given := shall[name]
		if given && !sameJSON(value, was[name]) {
			found.Add(name, "cannot be changed")
		}
	}
	return found
}

// wantReason is the problem of a row that demands a reason and has none in the header.
func (c *call) wantReason() error {
	found := c.reasonProblems(c.row.Reason)
	if len(found) == 0 {
		return nil
	}
	return web.Invalid(found)
}

func (c *call) reasonProblems(demanded bool) problem.List {
	var found problem.List
	if c.approved {
		return nil // it was right when the act was asked for
	}
	c.who.Reason = strings.TrimSpace(c.who.Reason)
	switch reason := c.who.Reason; {
	case reason == "" && demanded:
		found.Add("reason", "is required: the audit keeps it")
	case utf8.RuneCountInString(reason) > maxReason:
		found.Add("reason", "must have at most %d characters", maxReason)
	case !strictjson.AreLines(reason):
		found.Add("reason", "must have no control characters")
	case pan.Holds(reason):
		found.Add("reason", "must not hold a card number: the audit keeps it")
	}
	return found
}
