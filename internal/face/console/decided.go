package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// approvalObject is the object that a second operator decides about, as it is now, and what the act
// would do to it. It is empty if the operator may not read the object, or the act creates a new
// one.
type approvalObject struct {
	Card    *wire.CardDetail
	Facts   []fact // of any object but a card
	Changes []change
	Effect  string // effect of the act, as on its own page
	Stale   bool   // it has changed since the request, whose approval is therefore refused
}

// approvalObjectOf reads the object of a waiting approval. For any other approval it returns only
// the changes: those in the audit, or the requested ones if the object has not changed since.
func (v *visit) approvalObjectOf(ctx context.Context, a wire.Approval) (approvalObject, error) {
	switch {
	case a.State == "waiting":
	case a.State == "done":
		done, err := v.doneOf(ctx, a)
		return approvalObject{Changes: v.worded(a, done)}, err
	case a.IfMatch == 0 || a.Method == http.MethodPost:
		return approvalObject{}, nil
	}
	op, path := opOf(a.Method, relativePath(a)), objectPath(a)
	p := pagesOf(path)
	if p == nil {
		return approvalObject{}, nil
	}
	result, err := v.do(ctx, admin.Request{Method: http.MethodGet, Path: path})
	refused := (*wire.Problem)(nil)
	if errors.As(err, &refused) && (refused.Name() == wire.NotFound || refused.Name() == wire.NotAllowed) {
		return approvalObject{}, nil
	}
	if err != nil {
		return approvalObject{}, err
	}
	now, err := json.Marshal(result.Value)
	if err != nil {
		return approvalObject{}, err
	}
	object := approvalObject{}
	if a.Method != http.MethodPost {
		object.Changes = v.worded(a, differing("", now, a.Body))
	}
	revision := revisionOf(result.Value) // 0 if it shows none
	isStale := a.IfMatch != 0 && revision != 0 && revision != a.IfMatch
	if a.State != "waiting" {
		if isStale {
			object.Changes = nil
		}
		return object, nil
	}
	object.Stale = isStale
	if card, ok := result.Value.(wire.CardDetail); ok {
		object.Card = &card
		if strings.HasSuffix(a.Path, "/unlock") && locked(card.Card) {
			object.Changes = append(object.Changes, change{
				"Lock", lockCodes(card.LockTypeCode, card.LockReasonTypeCode), lockCodes("UNL", ""),
			})
		}
		return object, nil
	}
	name := nameOf(result.Value)
	object.Facts = []fact{{Name: capital(p.noun()), Text: name}}
	if mark := p.mark(v, result.Value); mark != nil {
		object.Facts = append(object.Facts, fact{Name: "State", Mark: mark})
	}
	object.Facts = append(object.Facts, p.facts(v, result.Value)...)
	if op != nil {
		object.Effect = strings.ReplaceAll(op.Effect, "{id}", name)
	}
	return object, nil
}

// doneWithin is how long after an approval its act is searched for in the audit.
const doneWithin = time.Minute

// doneOf returns the changes of an approved act from the audit, if the operator may read it.
func (v *visit) doneOf(ctx context.Context, a wire.Approval) ([]change, error) {
	if !v.May("auditor") || a.Ended == nil || a.Subject == "" || a.ResultStatus >= http.StatusBadRequest {
		return nil, nil
	}
	list, err := readPage[wire.Entry](ctx, v, "audit", url.Values{
		"subject": {a.Subject}, "withoutReads": {"true"},
		"from": {a.Ended.Add(-time.Second).UTC().Format(isoMillis)},
		"to":   {a.Ended.Add(doneWithin).UTC().Format(isoMillis)},
	})
	if err != nil {
		return nil, err
	}
	for _, entry := range slices.Backward(list.Items) { // the list is newest first
		if all := changes(entry); len(all) > 0 && entry.Actor == a.Requester {
			return withLock(all), nil
		}
	}
	return nil, nil
}

// withLock merges the two lock codes into one change.
func withLock(all []change) []change {
	var kind, reason *change
	for i := range all {
		switch all[i].Name {
		case "lockTypeCode":
			kind = &all[i]
		case "lockReasonTypeCode":
			reason = &all[i]
		}
	}
	if kind == nil || reason == nil {
		return all
	}
	lock := change{"Lock", lockCodes(kind.From, reason.From), lockCodes(kind.To, reason.To)}
	return append([]change{lock}, slices.DeleteFunc(all, func(c change) bool {
		return c.Name == "lockTypeCode" || c.Name == "lockReasonTypeCode"
	})...)
}

// lockCodes formats the codes of a lock. The kind is empty if an audit entry left it unchanged.
func lockCodes(kind, reason string) string {
	switch kind {
	case "UNL":
		return "unlocked"
	case "":
		return reason
	}
	return kind + "/" + reason
}

// worded replaces the names of the fields in a request by their labels, and formats their values as
// pages do.
func (v *visit) worded(a wire.Approval, all []change) []change {
	fields := fieldsOf(a.Method, relativePath(a))
	for i, c := range all {
		name, inner, _ := strings.Cut(c.Name, " ")
		at := slices.IndexFunc(fields, func(f admin.Field) bool { return f.Name == name && f.Label != "" })
		if at < 0 {
			if name == "compromiseId" {
				all[i].Name = "Compromise"
			}
			continue
		}
		label := fields[at].Label
		if name == "banks" || name == "bankId" {
			fields[at].Choices = v.choicesOf(fields[at])
		}
		if inner != "" {
			label += ", " + cmp.Or(limitWords[inner], inner)
		}
		all[i] = change{label, v.inZone(labelledValue(fields[at], c.From)), v.inZone(labelledValue(fields[at], c.To))}
	}
	return all
}

// limitWords are the labels of the members of a limit.
var limitWords = map[string]string{"minimumAmount": "minimum", "maximumAmount": "maximum"}

func labelledValue(f admin.Field, value string) string {
	switch value {
	case "true", "false":
		return map[string]string{"true": "Yes", "false": "No"}[value]
	case "null":
		return ""
	}
	values := []string{value}
	var several []any
	if json.Unmarshal([]byte(value), &several) == nil {
		values = nil
		for _, entry := range several {
			values = append(values, fmt.Sprint(entry))
		}
	}
	return strings.Join(labels(f.Choices, values), ", ")
}

// fieldsOf returns the fields in the body of a request, followed by those of its resource.
func fieldsOf(method, path string) []admin.Field {
	r, op := matchOp(method, path)
	if op == nil {
		return nil
	}
	return append(slices.Clone(op.Fields), r.Fields...)
}

// relativePath returns the path of the request that an approval is for, below wire.Prefix.
func relativePath(a wire.Approval) string { return strings.TrimPrefix(a.Path, wire.Prefix) }

// objectPath returns the path of the object that a request is about: the item of an act, or the
// owner of the list that it adds to.
func objectPath(a wire.Approval) string {
	path := relativePath(a)
	reported := struct {
		ID int `json:"compromiseId"`
	}{}
	switch {
	case json.Unmarshal(a.Body, &reported) == nil && reported.ID != 0:
		path += "/" + itoa(reported.ID)
	case a.Method == http.MethodPost:
		path = path[:max(0, strings.LastIndex(path, "/"))]
	}
	return path
}

// subjectOf returns the kind and identifier of the object of a request. An item of a list below a
// program or bank, such as a key, is named by its path: the subject in the approval is the owner.
func subjectOf(a wire.Approval) string {
	path := web.Segments(objectPath(a))
	p := pagesOf(objectPath(a))
	if p == nil || len(path) <= 2 {
		return a.Subject
	}
	return p.Noun + ":" + path[len(path)-1]
}

// waitsFor returns the ID of the last of the waiting requests for an act, 0 if there is none.
func waitsFor(waiting []wire.Approval, act string) int {
	id := 0
	for _, a := range waiting {
		if strings.HasSuffix(a.Path, "/"+act) {
			id = a.ID
		}
	}
	return id
}

// Waits returns the waiting requests about the object of the page.
func (f *frame) Waits() []wire.Approval {
	return slices.DeleteFunc(slices.Clone(f.waiting), func(a wire.Approval) bool {
		return f.object == "" || objectPath(a) != f.object
	})
}

// opOf returns the operation of a request, nil for none.
func opOf(method, path string) *admin.Op {
	_, op := matchOp(method, path)
	return op
}

// matchOp returns the operation of a request and its resource, nil for none.
func matchOp(method, path string) (*admin.Resource, *admin.Op) {
	for _, r := range admin.Resources() {
		for _, op := range r.Ops() {
			if _, fits := web.Match(op.Path, web.Segments(path)); fits && op.Method == method {
				return r, op
			}
		}
	}
	return nil, nil
}

// pagesOf returns the pages of the resource at an item's path, nil for none.
func pagesOf(path string) *pages {
	for _, r := range admin.Resources() {
		if _, fits := web.Match(r.Item, web.Segments(path)); fits && r.Show != nil {
			return &pages{Resource: r}
		}
	}
	return nil
}

// differing returns the members of a merge patch that differ from the object, sorted by name. The
// name of a nested member includes the outer name.
func differing(above string, now, patch json.RawMessage) []change {
	var was, current map[string]json.RawMessage
	if json.Unmarshal(now, &was) != nil || json.Unmarshal(patch, &current) != nil {
		return nil
	}
	var all []change
	for name, to := range current {
		from, label := was[name], strings.TrimSpace(above+" "+name)
		var inner map[string]json.RawMessage
		switch {
		case label == "reason":
		case json.Unmarshal(to, &inner) == nil && inner != nil:
			all = append(all, differing(label, from, to)...)
		case text(from) != text(to):
			all = append(all, change{label, text(from), text(to)})
		}
	}
	slices.SortFunc(all, func(x, y change) int { return strings.Compare(x.Name, y.Name) })
	return all
}
