package console

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	wire "mintmark/client/admin"
	"mintmark/internal/base/value"
	rules "mintmark/internal/domain/card"
	"mintmark/internal/face/admin"
)

// day holds the entries of one day of a timeline, newest first.
type day struct {
	Date   string // such as "9 February 2026, Monday"
	Events []event
}

// event is an audit entry in a timeline.
type event struct {
	wire.Entry
	Time    moment
	Tone    string // empty for ordinary events
	What    string
	Detail  string
	Link    crumb // to the result
	Strong  bool
	Who     string // kind of actor
	Changes []change
}

// change is the value of a property before and after an act.
type change struct{ Name, From, To string }

// The kinds of entries, one per tab of a timeline. The tab with everything sums up the reads of a
// day in one line.
const (
	actsKind      = "acts"
	transfersKind = "transfers"
	readsKind     = "reads"
	everything    = "everything"
)

var transferActs = []string{
	"authorize", "advise", "reverse", "post", "release", "release hold", "hold expired",
}

func kindOf(entry wire.Entry) string {
	switch {
	case slices.Contains(transferActs, entry.Act):
		return transfersKind
	case entry.Outcome == "read" || strings.HasPrefix(entry.Act, "read ") ||
		strings.HasPrefix(entry.Act, "find "):
		return readsKind
	}
	return actsKind
}

// filterKind returns the entries that a tab shows.
func filterKind(entries []wire.Entry, kind string) []wire.Entry {
	if kind == everything {
		return entries
	}
	var shown []wire.Entry
	for _, entry := range entries {
		if kindOf(entry) == kind {
			shown = append(shown, entry)
		}
	}
	return shown
}

// story groups entries by day. Except on the tab of reads, the reads of a day are one line after
// its other events.
func (v *visit) story(tab string, entries []wire.Entry) []day {
	var days []day
	reads := map[string][]wire.Entry{}
	for _, entry := range entries {
		date := entry.At.In(v.Zone).Format("2 January 2006, Monday")
		if len(days) == 0 || days[len(days)-1].Date != date {
			days = append(days, day{Date: date})
		}
		if tab != readsKind && kindOf(entry) == readsKind {
			reads[date] = append(reads[date], entry)
			continue
		}
		last := &days[len(days)-1]
		last.Events = append(last.Events, v.tell(entry))
	}
	for i, d := range days {
		if rows := reads[d.Date]; len(rows) > 0 {
			days[i].Events = append(d.Events, v.tellReads(rows))
		}
	}
	return days
}

// tellReads sums up the reads of a day in one line: how many there were, and by whom.
func (f *frame) tellReads(entries []wire.Entry) event {
	first := entries[0]
	e := event{Entry: wire.Entry{At: first.At}, Time: f.Clock(first.At)}
	counted := map[string]map[string]bool{} // reader -> request IDs
	requests := 0
	for _, entry := range entries {
		if counted[actorName(entry.Actor)] == nil {
			counted[actorName(entry.Actor)] = map[string]bool{}
		}
		if !counted[actorName(entry.Actor)][entry.RequestID] || entry.RequestID == "" {
			requests++
		}
		counted[actorName(entry.Actor)][entry.RequestID] = true
	}
	e.What = "Read " + plural(requests, "time", "times")
	e.Detail = "by " + strings.Join(slices.Sorted(maps.Keys(counted)), ", ")
	return e
}

// tell describes one entry.
func (f *frame) tell(entry wire.Entry) event {
	e := event{Entry: entry, Time: f.Clock(entry.At), Who: actorKind(entry.Actor.Kind)}
	e.Changes = changes(entry)
	before, after := members(entry.Before), members(entry.After)
	known := actWordsOf(entry.Act)
	e.What = known.done
	switch {
	case kindOf(entry) == transfersKind:
		e.tellTransfer(before, after, f.decimalsOf(entry.ProgramID))
	case entry.Act == "ask for approval":
		e.Tone, e.What, e.Strong = "warn", "Approval asked: "+after["act"], true
		if entry.Outcome == "waiting" {
			e.Detail = "waits for a second operator"
		}
		e.Link, e.Changes = f.On(entry.Subject, entry.ProgramID), nil
	case slices.Contains([]string{"approve", "reject", "withdraw"}, entry.Act) && after["act"] != "":
		e.Detail, e.Link, e.Changes = after["act"], f.On(entry.Subject, entry.ProgramID), nil
	case entry.Outcome == "created":
		e.Strong = true
		e.Detail = state("card", after["status"]).Text
		if after["primaryAccountId"] != "" {
			e.Detail += ", pays from account " + after["primaryAccountId"]
		}
		if after["status"] == "" {
			e.Detail = ""
		}
		if known == actWordsByName["/card/reissue"] {
			e.What = "Made to replace another card"
		}
	case after["status"] != "" && before["status"] != "":
		e.Detail, e.Strong = state("card", before["status"]).Text+" → "+
			state("card", after["status"]).Text, true
		if reason := after["lockReasonTypeCode"]; reason != "" {
			e.Detail += ", " + lockReason(reason)
		}
	case before["lockTypeCode"] != "" && after["lockTypeCode"] != before["lockTypeCode"],
		before["lockReasonTypeCode"] != "" &&
			after["lockReasonTypeCode"] != before["lockReasonTypeCode"]:
		e.tellLock(before, after)
	default:
		e.tellAccounts(before, after)
	}
	e.tellOutcome(known)
	return e
}

// tellOutcome describes an act that was refused, ignored, failed or without effect.
func (e *event) tellOutcome(known actWords) {
	outcome, why, _ := strings.Cut(e.Outcome, ": ")
	switch {
	case strings.HasPrefix(outcome, "refused"):
		e.Tone, e.What, e.Strong, e.Detail = "warn", known.name()+" refused", true, ""
		if why != "" {
			e.Detail = strings.ReplaceAll(why, "-", " ")
		}
		if outcome == "refused without looking" {
			e.Detail = "too many wrong answers in a day"
		}
	case outcome == "ignored":
		e.Tone, e.What = "warn", known.name()+" ignored"
		e.Detail = "it contradicts the state of the card"
	case outcome == "order failed":
		e.Tone, e.What, e.Strong = "bad", "Order to the processor failed", true
	case outcome == "PIN expired":
		e.Tone, e.What, e.Strong = "bad", "PIN destroyed before it was sent", true
	case outcome == "PIN ordered":
		e.What = "New PIN ordered"
	case outcome == "unchanged" && e.Actor.Kind != "processor":
		e.What, e.Detail = known.name(), "there was nothing to do"
	case outcome == "not found":
		e.Detail = "nothing was found"
	}
}

// tellLock describes a change of a card's lock.
func (e *event) tellLock(before, after map[string]string) {
	e.Detail = lockCodes(before["lockTypeCode"], before["lockReasonTypeCode"]) + " → " +
		lockCodes(after["lockTypeCode"], after["lockReasonTypeCode"])
	e.Strong = true
	switch kind := after["lockTypeCode"]; {
	case kind == "UNL":
		e.Tone, e.What = "ok", "Unlocked"
		return
	case kind == "SYS":
		e.Tone, e.What = "bad", "Locked by the system, "
	case kind == "CST" && e.Actor.Kind == "key":
		e.Tone, e.What = "bad", "Locked by a customer, "
	case kind == "CST": // with the reissue of an operator or a compromise list
		e.Tone, e.What = "bad", "Locked, "
	default: // the type is unchanged
		e.Tone, e.What = "bad", "Lock changed, "
	}
	e.What += lockReason(after["lockReasonTypeCode"])
}

// tellAccounts describes changes to the accounts of a card.
func (e *event) tellAccounts(before, after map[string]string) {
	list := func(text string) string {
		if ids := strings.Fields(strings.Trim(text, "[]")); len(ids) > 0 {
			return strings.Join(ids, ", ")
		}
		return "none"
	}
	for _, slots := range []struct{ member, name string }{
		{"checking", "Checking"}, {"savings", "Savings"},
	} {
		if was, now := before[slots.member], after[slots.member]; was != now {
			e.Detail, e.Strong = slots.name+": "+list(was)+" → "+list(now), true
		}
	}
}

// tellTransfer describes the decision on an authorization, or what became of its hold.
// Its amounts have the decimals of the program.
func (e *event) tellTransfer(before, after map[string]string, decimals int) {
	money := func(text string) string {
		_, fraction, _ := strings.Cut(text, ".")
		if sum, err := value.ParseAmount(text); err == nil && len(fraction) < decimals {
			text = sum.Fixed(decimals).String()
		}
		return money(json.Number(text))
	}
	amount := ""
	if after["amount"] != "" {
		amount = " of " + money(after["amount"])
	}
	switch e.Act {
	case "post":
		e.What = "Posting" + amount
	case "release", "release hold":
		e.What = "Hold" + amount + " released"
	case "hold expired":
		e.What = "Hold" + amount + " expired"
	case "reverse":
		e.What, e.Detail = "Reversal"+amount, reversals[e.Outcome]
	}
	if after["accountId"] != "" {
		e.Detail = "account " + after["accountId"]
		was, now := before["availableBalance"], after["availableBalance"]
		if was != "" && now != "" && was != now {
			e.Detail += ", available " + money(was) + " → " + money(now)
		}
	}
	if !slices.Contains(decidingActs, e.Act) {
		return
	}
	kind := cmp.Or(after["kind"], "transfer")
	e.What = capital(kind) + amount
	by := ""
	if after["by"] != "" {
		by = " by the " + cmp.Or(deciders[after["by"]], after["by"])
	}
	if after["approved"] == "true" {
		e.Tone, e.What = "ok", e.What+" approved"+by
		return
	}
	e.Tone, e.What, e.Strong = "bad", e.What+" declined"+by, true
	if by == "" {
		e.Detail = declineText(after["reason"])
	}
}

// setDeclineReason sets the detail of a decline to its reason: the part of the sentence in why
// after "Declined: ", or after "declined: " for one followed by an advice.
func (e *event) setDeclineReason(why map[string]string) {
	id := members(e.After)["authorizationId"]
	if _, because, ok := strings.Cut(why[id], "eclined: "); ok && e.Outcome == "declined" {
		e.Detail = because
	}
}

// deciders are the parties that decide instead of Mintmark.
var deciders = map[string]string{"standIn": "processor", "network": "card network"}

// reversals are the texts for the outcomes of reversals.
var reversals = map[string]string{
	"nothingHeld": "no money was held", "unknown": "the authorization has not arrived yet",
}

// lockReason returns the reason for a lock in words.
func lockReason(code string) string { return rules.Reason(code).Words() }

var actors = map[string]string{
	"key": "key", "operator": "operator", "token": "token", "processor": "card processor",
	"job": "job", "load": "command line",
}

// actorKind returns the name of a kind of actor.
func actorKind(kind string) string { return cmp.Or(actors[kind], kind) }

// actWords names an act in words: what was done, and a noun for it, if they differ.
type actWords struct{ done, noun string }

func (t actWords) name() string { return cmp.Or(t.noun, t.done) }

// title returns the name for use on its own.
func (t actWords) title() string { return strings.TrimSuffix(t.name(), ":") }

// actsNamed expands a text that acts are filtered by: it adds the acts with this title whose names
// do not contain the text.
func actsNamed(text string) string {
	acts := []string{text}
	for _, table := range []map[string]actWords{actWordsByName, routesOfOperators()} {
		for act, known := range table {
			if strings.EqualFold(known.title(), text) && !strings.Contains(act, strings.ToLower(text)) {
				acts = append(acts, act)
			}
		}
	}
	slices.Sort(acts[1:])
	return strings.Join(acts, ",")
}

// actWordsByName names the acts in the audit. Acts of callers are the paths of their routes.
var actWordsByName = map[string]actWords{
	"/card/initiate":            {"Ordered", "Order"},
	"/card/createdigital":       {"Made without plastic", "Digital card"},
	"/card/verify":              {"Verified", "Verification"},
	"/card/lock":                {"Locked", "Lock"},
	"/card/unlock":              {"Unlocked", "Unlock"},
	"/card/hotlist":             {"Locked for good", "Lock for good"},
	"/card/lostOrStolen":        {"Locked for good", "Lock for good"},
	"/card/archive":             {"Archived", "Archiving"},
	"/card/reissue":             {"Reissued", "Reissue"},
	"/card/addAccount":          {"Account added", "Adding an account"},
	"/card/removeAccount":       {"Account removed", "Removing an account"},
	"/card/reprioritizeAccount": {"Account moved", "Moving an account"},
	"/card/resetpin":            {"New PIN ordered", "New PIN"},

	"report taken":            {"The processor took the order", "Report of a taken order"},
	"report shipped":          {"Shipped", "Report of a shipment"},
	"report delivered":        {"Delivered", "Report of a delivery"},
	"report returned":         {"Returned to sender", "Report of a return"},
	"report refused":          {"The processor refused to make the card", "Report of a refusal"},
	"report pinSet":           {"PIN set", "Report of a set PIN"},
	"report pinTriesExceeded": {"PIN tries exceeded", "Report of exceeded PIN tries"},
	"report compromised":      {"Compromised", "Report of a compromised card"},

	"authorize": {"Authorization", ""}, "advise": {"Advice", ""}, "reverse": {"Reversal", ""},
	"post": {"Posting", ""}, "release": {"Hold released", ""}, "hold expired": {"Hold expired", ""},
	"release hold": {"Hold released", "Release of a hold"}, "read authorization": {"Authorization read", ""},

	"lock card": {"Locked", "Lock"}, "unlock card": {"Unlocked", "Unlock"},
	"reissue card": {"Reissued", "Reissue"}, "archive card": {"Archived", "Archiving"},
	"read card": {"Card read", ""}, "read card history": {"Timeline of the card read", ""},
	"read customer":  {"Customer read", ""},
	"list customers": {"Shown in a list of customers", ""},
	"list cards":     {"Shown in a list of cards", ""}, "search": {"Found by a search", ""},
	"find card by number": {"Found by its number", "Search by a number"},
	"erase customer":      {"Customer erased", ""},

	"expire": {"Expired", "Expiry"}, "renew": {"Renewed", "Renewal"}, "load": {"Loaded", ""},
	"deliver orders": {"Order sent", "Order to the processor"},
	"retry order":    {"Order retried", ""}, "hold order": {"Order held back", ""},
	"release order": {"Order released", ""}, "drop order": {"Order dropped", ""},

	"approve": {"Approved", "Approval"}, "reject": {"Rejected", "Rejection"},
	"withdraw": {"Request withdrawn", ""}, "sign in": {"Signed in", "Sign-in"},
	"sign out": {"Signed out", ""}, "replay": {"Events replayed", ""},
	"resend": {"Event sent again", ""},
}

// actWordsOf returns an act in words. An act that no table contains keeps its name.
func actWordsOf(act string) actWords {
	for _, name := range []string{act, strings.TrimPrefix(act, "POST "), strings.TrimPrefix(act, "GET ")} {
		if known, ok := actWordsByName[name]; ok {
			return known
		}
	}
	if known, ok := routesOfOperators()[act]; ok {
		return known
	}
	if act == "" {
		return actWords{"Act", ""}
	}
	return actWords{capital(act), ""}
}

// routesOfOperators names the routes of the operators' interface: entries about refused requests
// name the route instead of an act.
var routesOfOperators = sync.OnceValue(func() map[string]actWords {
	all := map[string]actWords{}
	for _, r := range admin.Resources() {
		for _, op := range r.Ops() {
			known, ok := actWordsByName[op.Name+" "+r.Noun]
			if !ok {
				known = actWords{op.Summary, op.Summary + ":"}
			}
			all[op.Method+" "+wire.Prefix+op.Path] = known
		}
	}
	return all
})

// submittedBody returns the members of a JSON object as strings.
func members(object json.RawMessage) map[string]string {
	raw := map[string]json.RawMessage{}
	if json.Unmarshal(object, &raw) != nil {
		return nil
	}
	read := map[string]string{}
	for name, value := range raw {
		read[name] = text(value)
	}
	return read
}

// changes returns the properties in an entry, sorted by name.
func changes(entry wire.Entry) []change {
	before, after := members(entry.Before), members(entry.After)
	seen := map[string]bool{}
	var all []change
	for _, side := range []map[string]string{before, after} {
		for name := range side {
			if !seen[name] {
				all = append(all, change{name, before[name], after[name]})
			}
			seen[name] = true
		}
	}
	slices.SortFunc(all, func(a, b change) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// quoted quotes a word for a shell if necessary.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r == '-' || r == '.' || r == '_' || r == ':' || r == '/' || '0' <= r && r <= '9' ||
			'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
