package console

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/admin"
)

// isAbsent reports whether a member is omitted from the JSON of a resource.
func isAbsent(item any, name string) bool {
	field, ok := strictjson.Fields(reflect.TypeOf(item))[name]
	return ok && strings.Contains(field.Tag.Get("json"), ",omitempty") &&
		reflect.ValueOf(item).FieldByIndex(field.Index).IsZero()
}

// idOf returns the identifier of a resource in an address.
func idOf(item any) string { return plain(strictjson.Member(item, "id")) }

// revisionOf returns the revision that an act on an item must name, 0 for none. Orders have none
// here: each attempt to send one changes its revision, so acts on orders depend on the state.
func revisionOf(item any) int {
	if _, ok := item.(wire.Order); ok {
		return 0
	}
	revision, _ := strictjson.Member(item, "revision").(int)
	return revision
}

// nameOf returns the name of a resource for people.
func nameOf(item any) string {
	if job, ok := item.(wire.Job); ok {
		return capital(job.ID)
	}
	for _, name := range []string{"name", "title", "number", "sequence"} {
		text := plain(strictjson.Member(item, name))
		if text != "" && !strings.Contains(text, "://") {
			return text
		}
	}
	return idOf(item)
}

// plain formats a string or a number as an operator would type it.
func plain(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	case int:
		return strconv.Itoa(value)
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case bool:
		return onOff(value)
	}
	return ""
}

func onOff(on bool) string {
	if on {
		return "true"
	}
	return ""
}

// texts returns the entries of a list, or a single value, as strings.
func texts(value any) []string {
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		if text := plain(value); text != "" {
			return []string{text}
		}
		return nil
	}
	var all []string
	for i := range list.Len() {
		if text := plain(list.Index(i).Interface()); text != "" { // structs have their own panel
			all = append(all, text)
		}
	}
	return all
}

// memberDisplay describes how a member is displayed, beyond what follows from its type.
type memberDisplay struct {
	none string // text for an absent value
	to   string // path of the page that the value identifies
	code bool   // shown as code
	copy bool   // shown as code, with a button that copies it
	long bool   // long text, shown only on a form
}

// memberDisplays are the manners of members by name, for all resources.
var memberDisplays = map[string]memberDisplay{
	"programId": {to: "programs/"}, "bankId": {to: "banks/"}, "cardId": {to: "cards/"},
	"customerId": {to: "customers/"}, "webhookId": {to: "webhooks/"}, "holdId": {to: "holds/"},
	"authorizationId": {to: "authorizations/"},
	"expires":         {none: "never"}, "lastUsed": {none: "never"}, "lastSuccess": {none: "never"},
	"lastSignIn": {none: "never"}, "expireDate": {none: "never"}, "published": {none: "not yet"},
	"ratePerSecond": {none: "no limit"}, "compatibility": {none: "none"}, "types": {none: "all"},
	"allow": {code: true}, "url": {copy: true}, "key": {copy: true}, "kind": {code: true},
	"firstBody": {code: true}, "lastBody": {code: true}, "type": {code: true},
	"id": {copy: true}, "sha256": {copy: true}, "html": {long: true}, "owner": {none: "not known"},
}

// fact returns a member of a resource as a fact.
func (v *visit) fact(f admin.Field, item any) fact {
	how := memberDisplays[f.Name]
	shown := fact{Name: f.Label, Code: how.code || how.copy, Copy: how.copy}
	value := strictjson.Member(item, f.Name)
	if isAbsent(item, f.Name) {
		value = nil
	}
	switch value := value.(type) {
	case time.Time:
		shown.At, shown.Ago = v.When(value), v.Ago(value)
	case bool:
		shown.Mark = &mark{"mute", "ring", "No"}
		if value {
			shown.Mark = &mark{"ok", "", "Yes"}
		}
	case json.RawMessage:
		shown.Text, shown.Block = indented(value), true
	case wire.Actor:
		shown.Text = value.Name
		if value.Kind == "load" {
			shown.Text = "the machine"
		}
	case []int:
		shown.Text = v.scopeWords(value)
	case wire.Progress:
		shown.Text = count(int(value.Done)) + " of " + count(int(value.Total))
	case wire.Merchant:
		shown.Text = joinNonEmpty(value.Name, value.City, value.Country)
	case wire.Original:
		shown.Text = money(value.Amount) + " " + value.Currency
	case wire.Address:
		shown.Text = inLine(value)
	case wire.Limit:
		shown.Text = bounds(value.MinimumAmount.String(), value.MaximumAmount.String())
	case json.Number:
		shown.Text = money(value)
	case int, int64, float64:
		shown.Text, shown.Number = plain(value), how.to == "" && len(f.Choices) == 0
		if shown.Number && !strings.HasSuffix(f.Name, "Id") {
			shown.Text = money(json.Number(shown.Text))
		}
	default:
		shown.Text = strings.Join(texts(value), ", ")
	}
	if all, _ := strictjson.Member(item, "allBanks").(bool); all && f.Name == "banks" {
		shown.Text = "All banks"
	}
	if len(f.Choices) > 0 {
		shown.Text = strings.Join(labels(f.Choices, texts(value)), ", ")
	}
	if shown.Text == "" {
		shown.Text, shown.Code, shown.Copy = how.none, false, false
		return shown
	}
	if how.to != "" {
		shown.To = v.To(v.Named(how.to, shown.Text))
	}
	if f.Name == "bankId" {
		id, _ := strictjson.Member(item, f.Name).(int)
		shown.Text = v.scopeWords([]int{id})
	}
	return shown
}

// labels returns the labels of values. A value without a label is returned unchanged.
func labels(choices []admin.Choice, values []string) []string {
	all := slices.Clone(values)
	for i, value := range values {
		for _, c := range choices {
			if c.Value == value {
				all[i] = c.Label
			}
		}
	}
	return all
}

// facts returns the facts about an item: the members that have a field and are not shown elsewhere.
func (p *pages) facts(v *visit, item any) []fact {
	members := strictjson.Fields(reflect.TypeOf(item))
	var facts []fact
	for _, f := range p.Fields {
		if _, ok := members[f.Name]; !ok || p.isSecret(f.Name, item) ||
			f.Name == "id" && p.ID.Number ||
			slices.Contains(markMembers, f.Name) || p.isMasked(f) ||
			memberDisplays[f.Name].long || f.Name == "allBanks" || f.Name == "title" ||
			f.Name == "name" && nameOf(item) == plain(strictjson.Member(item, "name")) {
			continue
		}
		shown := v.fact(f, item)
		if f.On&(admin.Shown|admin.WireOnly) != 0 && shown.Text == "" && shown.At.ISO == "" && shown.Mark == nil {
			continue
		}
		facts = append(facts, shown)
	}
	if revision := revisionOf(item); revision != 0 && !isOver(item) { // for the next change
		facts = append(facts, fact{Name: "Revision", Text: itoa(revision)})
	}
	return facts
}

// isMasked reports whether a member is write-only, and another member with the same label shows it
// masked.
func (p *pages) isMasked(f admin.Field) bool {
	return f.On == 0 && slices.ContainsFunc(p.Fields, func(other admin.Field) bool {
		return other.On == admin.Shown && other.Label == f.Label
	})
}

// isSecret reports whether a member was shown once and is empty now.
func (p *pages) isSecret(name string, item any) bool {
	if plain(strictjson.Member(item, name)) != "" {
		return false
	}
	return slices.ContainsFunc(p.Ops(), func(op *admin.Op) bool {
		return slices.Contains(op.Once, name)
	})
}

// mark returns the state of a resource, nil if it has none.
func (p *pages) mark(v *visit, item any) *mark {
	var shown mark
	switch item := item.(type) {
	case wire.Key:
		shown = v.keyMark(item)
	case wire.EncryptionKey:
		shown = encryptionMarks[item.Status]
	case wire.Order:
		shown = orderMark(item)
	case wire.BankKey:
		shown = bankKeyMark(item)
	case wire.Card:
		shown = state("card", item.Status)
	case wire.CardDetail:
		shown = state("card", item.Status)
	case wire.Customer:
		shown = customerState(item)
	case wire.Reconciliation:
		shown = reconciliationMark(item)
	case wire.Authorization:
		shown = state("authorization", item.Outcome)
	case wire.AuthorizationDetail:
		shown = state("authorization", item.Outcome)
	default:
		name, ok := strictjson.Member(item, "state").(string)
		active, isSwitch := strictjson.Member(item, "isActive").(bool)
		switch {
		case ok:
			shown = state(p.Noun, name)
		case isSwitch && active:
			shown = mark{"ok", "", "In use"}
		case isSwitch:
			shown = mark{"mute", "square", "Not in use"}
		default:
			return nil
		}
	}
	return &shown
}

// markMembers are the members that the mark shows.
var markMembers = []string{"state", "isActive", "status", "different", "outcome"}

// keyMark returns the mark of an API key, which says when an expiring key ends.
func (v *visit) keyMark(k wire.Key) mark {
	shown := state("key", k.State)
	if k.State == "expiring" && k.Expires != nil {
		shown.Text = "Ends " + v.Ago(*k.Expires)
	}
	return shown
}

// isOver reports whether a resource is in a final state.
func isOver(item any) bool {
	if d, ok := item.(wire.Document); ok {
		return d.State != "draft"
	}
	name, _ := strictjson.Member(item, "state").(string)
	return slices.Contains([]string{"revoked", "ended", "retired"}, name)
}

// scopeWords returns the names of the banks in a scope.
func (v *visit) scopeWords(banks []int) string {
	var names []string
	for _, id := range banks {
		name := "bank " + itoa(id)
		for _, bank := range v.Banks {
			if bank.ID == id {
				name = bank.Name
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// indented formats JSON for people.
func indented(raw json.RawMessage) string {
	var text bytes.Buffer
	if json.Indent(&text, raw, "", "  ") != nil {
		return string(raw)
	}
	return text.String()
}
