package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// decided is what a second operator decides about: the object as it stands now, and what becomes of
// it. It is empty where the operator may not read the object, or the act makes a new one.
type decided struct {
	Card    *wire.CardDetail
	Facts   []fact // of anything else
	Changes []change
	Effect  string // what the act does, as the page of the act says
}

// decidedOf reads the object of an approval that waits.
func (v *visit) decidedOf(ctx context.Context, a wire.Approval) (decided, error) {
	if a.State != "waiting" {
		return decided{}, nil
	}
	path := strings.TrimPrefix(a.Path, wire.Prefix)
	op := opOf(a.Method, path)
	reported := struct {
		ID int `json:"compromiseId"`
	}{}
	switch {
	case json.Unmarshal(a.Body, &reported) == nil && reported.ID != 0:
		path += "/" + itoa(reported.ID)
	case a.Method == http.MethodPost: // an act on the object; a list is not an object
		path = path[:max(0, strings.LastIndex(path, "/"))]
	}
	p := pagesOf(path)
	if p == nil {
		return decided{}, nil
	}
	result, err := v.do(ctx, admin.Request{Method: http.MethodGet, Path: path})
	refused := (*wire.Problem)(nil)
	if errors.As(err, &refused) && (refused.Name() == wire.NotFound || refused.Name() == wire.NotAllowed) {
		return decided{}, nil
	}
	if err != nil {
		return decided{}, err
	}
	now, err := json.Marshal(result.Value)
	if err != nil {
		return decided{}, err
	}
	object := decided{}
	if a.Method != http.MethodPost {
		object.Changes = differing("", now, a.Body)
	}
	if card, ok := result.Value.(wire.CardDetail); ok {
		object.Card = &card
		if strings.HasSuffix(a.Path, "/unlock") && locked(card.Card) {
			object.Changes = append(object.Changes, change{
				"lock", card.LockTypeCode + "/" + card.LockReasonTypeCode, "unlocked",
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

// opOf returns the operation that a request asks for, nil for none.
func opOf(method, path string) *admin.Op {
	for _, r := range admin.Resources() {
		for _, op := range r.Ops() {
			if _, fits := web.Match(op.Path, web.Segments(path)); fits && op.Method == method {
				return op
			}
		}
	}
	return nil
}

// pagesOf returns what is known of the resource that a path names, nil for none.
func pagesOf(path string) *pages {
	for _, r := range admin.Resources() {
		if _, fits := web.Match(r.Item, web.Segments(path)); fits && r.Show != nil {
			return &pages{Resource: r}
		}
	}
	return nil
}

// differing lists the members of a merge patch that differ from an object. A member of a member has
// both names.
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
