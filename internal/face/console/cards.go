package console

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	rules "mintmark/internal/domain/card"
)

func cardRows() []row {
	return append(cardActRows(),
		page("cards", "cards", "cards", cards),
		page("cards/{id}", "cards", "card", card))
}

type cardsData struct {
	Items    []wire.Card
	Next     string
	Filtered bool
	Wrong    []string // problems of the filters
	Statuses []option
	Locks    []option
	Many     []manyAct
	total
}

// lockFilters returns the lock filter's options as pairs of value and label.
func lockFilters() []string {
	all := []string{"", "Any", "UNL", "Unlocked", "CST", "CST, by a customer", "SYS",
		"SYS, by the system"}
	for _, lock := range []string{
		"CST/TMP", "CST/LST", "CST/STL", "CST/FRD", "CST/DMG", "SYS/ADM", "SYS/FRD", "SYS/LST", "SYS/STL",
		"SYS/PIN",
	} {
		_, reason, _ := strings.Cut(lock, "/")
		all = append(all, lock, lock+", "+lockReason(reason))
	}
	return all
}

func choices(chosen string, valuesAndLabels ...string) []option {
	var all []option
	for i := 0; i+1 < len(valuesAndLabels); i += 2 {
		all = append(all, option{Value: valuesAndLabels[i], Label: valuesAndLabels[i+1]})
	}
	return choose(all, chosen)
}

// cards lists cards by the filters in the address.
func cards(ctx context.Context, v *visit) (cardsData, error) {
	v.crumbs("Cards")
	data := cardsData{
		Statuses: choices(v.Asked("status"), "", "All statuses", "Verified", "Verified",
			"PendingVerification", "Pending verification", "Initiated", "Initiated",
			"ReissuePendingVerification", "Reissue pending", "Expired", "Expired",
			"Denied", "Denied", "Reissued", "Reissued", "Archived", "Archived"),
		Locks: choices(v.Asked("lock"), lockFilters()...),
	}
	filters := []string{"status", "lock", "customerId", "tag", "lastFour", "q"}
	data.Filtered = v.filtered(filters...)
	query := v.filter(append(filters, "limit", "sort", "count")...)
	if v.Program != nil {
		query.Set("programId", itoa(v.Program.ID))
	}
	list, err := readPage[wire.Card](ctx, v, "cards", query)
	if err != nil {
		p := pages{Resource: resourceAt("cards")}
		fields := p.filterFields(v, filters)
		err = v.refuseFilters(fields, err)
		for _, c := range fields {
			for _, text := range c.Problems {
				data.Wrong = append(data.Wrong, c.Label+" "+text)
			}
		}
	}
	v.command("card list", v.programFlag(), v.flags(resourceAt("cards").List, append(filters, "sort")...))
	data.Items, data.Next, data.total = list.Items, list.Next, v.totalOf(list.Total, list.Next)
	data.Many = manyActs(v, "cards", list.Items)
	return data, err
}

type cardData struct {
	Card  wire.CardDetail
	Slots []slotGroup
	Story []day
	Dead  bool   // the card can no longer be used
	Next  string // cursor of the history
	Newer int    // entries added since the page was opened
	Show  string
	Tabs  []option
	Asked []wire.Approval // waiting approvals about this card
	Acts  []possibleAct

	Transfers []transfer // latest

	Simulation *simulation // nil in production
}

// possibleAct is an act on the card, with the approval that it waits for, or 0.
type possibleAct struct {
	wire.CardAct
	Approval int
}

// slotGroup holds the accounts of one type, in the order in which they pay.
type slotGroup struct {
	ID, Title string
	Accounts  []slot
	Empty     string // slots without an account: "4" or "2–4"
}

// slot is an account in one of the card's slots.
type slot struct {
	wire.CardAccount
	First bool   // first of those that can pay
	Says  string // its role in a payment
	Tone  string
	Shape string
}

func card(ctx context.Context, v *visit) (cardData, error) {
	var err error
	data := cardData{Show: cmp.Or(v.Asked("show"), actsKind)}
	data.Card, err = readNamed[wire.CardDetail](ctx, v, "cards/{id}")
	if err != nil {
		return data, err
	}
	id := data.Card.ID
	v.crumbs("Card "+itoa(id), "Cards", "cards")
	v.command("card", "get", itoa(id))
	v.command("card", "history", itoa(id))
	if v.console.Sandbox != nil {
		v.command("sandbox story hotel --card", itoa(id))
		data.Simulation = v.simulation()
	}
	data.Slots, data.Dead = slots(data.Card), isDead(data.Card)
	data.Tabs = choices(data.Show, actsKind, "Acts", transfersKind, "Transfers", readsKind, "Reads",
		everything, "Everything")
	path := "cards/" + itoa(id) + "/history"
	history, newer, err := v.acts(ctx, path, v.filter("limit"))
	if err != nil {
		return data, err
	}
	for _, entry := range filterKind(newer, data.Show) {
		if kindOf(entry) != readsKind || data.Show == readsKind { // this page is itself a read
			data.Newer++
		}
	}
	entries := filterKind(history.Items, data.Show)
	for range mostPages {
		if history.Next == "" || len(entries) >= fewEntries {
			break
		}
		history, err = readPage[wire.Entry](ctx, v, path, url.Values{
			"cursor": {history.Next}, "limit": {"50"}, // of acts, 50 KB
		})
		if err != nil {
			return data, err
		}
		entries = append(entries, filterKind(history.Items, data.Show)...)
	}
	if data.Show == actsKind || data.Show == everything {
		entries, err = v.withApprovals(ctx, "card:"+itoa(id), entries, history.Next != "")
		if err != nil {
			return data, err
		}
	}
	why, err := v.sentences(ctx, id, entries)
	if err != nil {
		return data, err
	}
	data.Story, data.Next = v.story(data.Show, entries), history.Next
	for _, day := range data.Story {
		for i := range day.Events {
			day.Events[i].setDeclineReason(why)
		}
	}
	if data.Transfers, err = v.lastTransfers(ctx, id); err != nil {
		return data, err
	}
	data.Asked = v.Waits()
	for _, c := range data.Card.Acts {
		data.Acts = append(data.Acts, possibleAct{c, waitsFor(data.Asked, c.Name)})
	}
	return data, nil
}

// A timeline reads at most mostPages pages until it shows fewEntries entries of its kind.
const fewEntries, mostPages = 20, 10

// withApprovals adds to the entries, by time, the requests for approval about a subject and those
// that were rejected or withdrawn. Approved acts already have an entry.
func (v *visit) withApprovals(
	ctx context.Context, subject string, entries []wire.Entry, more bool,
) ([]wire.Entry, error) {
	if v.Asked("cursor") != "" {
		return entries, nil
	}
	list, err := readPage[wire.Approval](ctx, v, "approvals", url.Values{"subject": {subject}})
	if err != nil {
		return nil, err
	}
	for _, a := range list.Items {
		if more && len(entries) > 0 && a.Asked.Before(entries[len(entries)-1].At) {
			continue
		}
		after, err := json.Marshal(map[string]string{"act": a.Act})
		if err != nil {
			return nil, err
		}
		e := wire.Entry{
			At: a.Asked, Actor: a.Requester, Act: "ask for approval", Outcome: a.State,
			Reason: a.Reason, After: after, Subject: "approval:" + itoa(a.ID),
		}
		entries = append(entries, e)
		if ended := map[string]string{"rejected": "reject", "withdrawn": "withdraw"}[a.State]; ended != "" {
			e.At, e.Actor, e.Act, e.Reason = *a.Ended, *a.Decider, ended, a.Why
			entries = append(entries, e)
		}
	}
	slices.SortStableFunc(entries, func(a, b wire.Entry) int { return b.At.Compare(a.At) })
	return entries, nil
}

// isDead reports whether a card can no longer be used.
func isDead(c wire.CardDetail) bool {
	return c.Lock != nil && c.Lock.Permanent || rules.Status(c.Status).FreesNickname()
}

// slots groups the accounts of a card by type. Checking accounts pay if the request names no
// category.
func slots(card wire.CardDetail) []slotGroup {
	const places = 4
	var groups []slotGroup
	for _, kind := range []struct{ name, title string }{
		{"Checking", "Checking, also if no category is requested"}, {"Savings", "Savings"},
	} {
		group := slotGroup{ID: "slots-" + kind.name, Title: kind.title}
		payer := false
		for _, account := range card.Accounts {
			if account.Type != kind.name {
				continue
			}
			s := slot{CardAccount: account}
			switch {
			case isDead(card), card.CustomerObstacle != "": // none pays
			case account.Status != "Open":
				s.Says, s.Tone, s.Shape = "Skipped while not Open", "mute", "glass"
			case !payer:
				s.Says, s.Tone, s.Shape, s.First = "Pays first", "ok", "bare", true
				payer = true
			default:
				s.Says = "Then this one"
			}
			group.Accounts = append(group.Accounts, s)
		}
		free := places - len(group.Accounts)
		switch {
		case free == 1:
			group.Empty = itoa(places)
		case free > 1:
			group.Empty = itoa(places-free+1) + "–" + itoa(places)
		}
		if len(group.Accounts) > 0 || kind.name == "Checking" {
			groups = append(groups, group)
		}
	}
	return groups
}

// lockNote describes the lock of a card.
type lockNote struct {
	Of   wire.Lock
	At   moment
	Ago  string
	Open *wire.Order // lock or hotlist order that the processor has not carried out
}

// Lock returns the lock of a card, which must have one.
func (f *frame) Lock(card wire.CardDetail) lockNote {
	of := card.Lock
	note := lockNote{Of: *of}
	i := slices.IndexFunc(card.Orders, func(o wire.Order) bool { return o.Urgent })
	if i >= 0 {
		note.Open = &card.Orders[i]
	}
	if of.At != nil {
		note.At, note.Ago = f.When(*of.At), f.Ago(*of.At)
	}
	return note
}
