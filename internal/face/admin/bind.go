package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
)

// maxReason is the maximum length of a reason for the audit, in characters.
const maxReason = 500

// bind parses the body, and the reason for the audit, which is in the body or in the header. In
// addition to the problems, it returns the members that could be parsed.
func bind[Q any](c *call) (Q, error) {
	text, problems := c.takeReason(reflect.TypeFor[Q]())
	body, wrong := strictjson.Decode[Q](text)
	return body, c.refuseBody(append(problems, wrong...))
}

// merged applies the body, a merge patch, to a resource.
func merged[A any](c *call, before A) (A, error) {
	if len(bytes.TrimSpace(c.body)) == 0 {
		var none A
		return none, web.Invalid(problem.List{{Text: "must be an object"}})
	}
	patch, problems := c.takeReason(reflect.TypeFor[A]())
	after, wrong, err := strictjson.Merge(before, patch, c.row.fixed...)
	if err != nil {
		return after, err
	}
	return after, c.refuseBody(append(problems, wrong...))
}

// refuseBody returns the problem of a body and of its reason, nil if both are valid.
func (c *call) refuseBody(problems problem.List) error {
	problems = withNew(problems, c.reasonProblems())
	if len(problems) == 0 {
		return nil
	}
	return web.Invalid(problems)
}

// withRules adds to the problems of a body's form those of rules on the valid members: it tries the
// act as a dry run, which changes nothing.
func (c *call) withRules(ctx context.Context, err error, act bound) error {
	shape := (*web.Problem)(nil)
	if act == nil || !errors.As(err, &shape) || slices.ContainsFunc(shape.Errors, isOfWholeBody) {
		return err
	}
	dry := *c
	dry.who.DryRun = true
	_, refusal := act(ctx, &dry)
	ruled := (*web.Problem)(nil)
	if !errors.As(problemOf(refusal), &ruled) || ruled.Status != shape.Status {
		return err
	}
	for _, other := range ruled.Errors {
		unread := func(known web.BodyError) bool {
			return strings.HasPrefix(other.Pointer+"/", known.Pointer+"/") ||
				strings.HasPrefix(known.Pointer, other.Pointer+"/")
		}
		if !isOfWholeBody(other) && !slices.ContainsFunc(shape.Errors, unread) {
			shape.Errors = append(shape.Errors, other)
		}
	}
	return err
}

func isOfWholeBody(e web.BodyError) bool { return e.Pointer == "" }

// withNew adds the problems of members that have none yet.
func withNew(problems, others problem.List) problem.List {
	for _, other := range others {
		known := func(p problem.Problem) bool { return p.Path == other.Path }
		if !slices.ContainsFunc(problems, known) {
			problems = append(problems, other)
		}
	}
	return problems
}

// takeReason removes the reason from the body, unless the type has a field for it, and returns the
// body. An empty body becomes an empty object.
func (c *call) takeReason(t reflect.Type) ([]byte, problem.List) {
	body := bytes.TrimSpace(c.body)
	if len(body) == 0 {
		body = []byte("{}")
	}
	var members map[string]json.RawMessage
	if !utf8.Valid(body) || json.Unmarshal(body, &members) != nil || members == nil {
		return body, nil // the decoder of the body reports the error too
	}
	raw, given := members["reason"]
	if !given {
		return body, nil
	}
	var problems problem.List
	reason := ""
	if json.Unmarshal(raw, &reason) != nil {
		problems.Add("reason", "must be a text")
	}
	if reason != "" && !c.approved {
		c.who.Reason = reason
	}
	if _, ok := strictjson.Fields(t)["reason"]; !ok {
		return withoutMember(body, "reason"), problems
	}
	return body, nil
}

// withoutMember returns a JSON object without one of its members.
func withoutMember(object []byte, name string) []byte {
	return strictjson.Rename(object, func(other string) (string, bool) {
		return other, other != name
	})
}

// reasonProblems returns the problems of the reason, if one is required or given.
func (c *call) reasonProblems() problem.List {
	var problems problem.List
	if c.approved {
		return nil // it was valid when the act was requested
	}
	c.who.Reason = strings.TrimSpace(c.who.Reason)
	switch reason := c.who.Reason; {
	case reason == "" && c.row.Reason:
		problems.Add("reason", "is required: the audit log records it")
	case utf8.RuneCountInString(reason) > maxReason:
		problems.Add("reason", "must have at most %d characters", maxReason)
	case !strictjson.AreLines(reason):
		problems.Add("reason", "must have no control characters")
	case pan.MayContain(reason):
		problems.Add("reason", "must not hold a card number: the audit log records it")
	}
	return problems
}
