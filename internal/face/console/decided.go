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
}

// decidedOf reads the object of an approval that waits.
func (v *visit) decidedOf(ctx context.Context, a wire.Approval) (decided, error) {
	if a.State != "waiting" {
		return decided{}, nil
	}
	path := strings.TrimPrefix(a.Path, wire.Prefix)
	if a.Method == http.MethodPost { // an act of the object, or a list, which is no object
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
	object.Facts = p.facts(v, result.Value)
	if mark := p.mark(v, result.Value); mark != nil {
		object.Facts = append([]fact{{Name: "State", Mark: mark}}, object.Facts...)
	}
	return object, nil
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
