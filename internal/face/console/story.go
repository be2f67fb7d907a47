package console

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/admin"
)

// day is the entries of one day of a timeline, the newest first.
type day struct {
	Date   string // 9 February 2026, Monday
	Events []event
}

// event is an entry of the audit as a timeline tells it.
type event struct {
	wire.Entry
	Time    moment
	Tone    string // "" for what merely happened
	What    string
	Detail  string
	Strong  bool
	Who     string // kind and how
	Times   int    // that it happened again
	Changes []change
}

// change is a property before and after an act.
type change struct{ Name, From, To string }

// reads takes in an entry that tells of the same reading as the one before: by the same operator, a
// card and its history together, or again and again.
func (d *day) reads(entry wire.Entry) bool {
	last := &d.Events[len(d.Events)-1]
	again := isRead(entry) && isRead(last.Entry) && last.Actor == entry.Actor &&
		last.At.Sub(entry.At) < time.Hour
	if again && last.RequestID != entry.RequestID {
		last.Times++
		last.RequestID = entry.RequestID
		last.Detail = itoa(last.Times+1) + " times within an hour"
	}
	return again
}

func isRead(entry wire.Entry) bool { return strings.HasPrefix(entry.Act, "read card") }

// story tells entries day by day. Readings of the card that follow each other are told as one.
func (v *visit) story(entries []wire.Entry) []day {
	var days []day
	for _, entry := range entries {
		if len(days) > 0 && days[len(days)-1].reads(entry) {
			continue
		}
		date := entry.At.In(v.Zone).Format("2 January 2006, Monday")
		last := len(days) - 1
		if last < 0 || days[last].Date != date {
			days = append(days, day{Date: date})
			last++
		}
		days[last].Events = append(days[last].Events, v.tell(entry))
	}
	return days
}

// ofKind are the entries that a tab of a timeline shows: acts, transfers, reads, or all.
func ofKind(entries []wire.Entry, kind string) []wire.Entry {
	if kind == "" {
		return entries
	}
	var shown []wire.Entry
	for _, entry := range entries {
		is := "acts"
		switch {
		case slices.Contains([]string{"authorize", "post", "release", "hold expired"}, entry.Act):
			is = "transfers"
		case strings.HasPrefix(entry.Act, "read ") || strings.HasPrefix(entry.Act, "find "):
			is = "reads"
		}
		if is == kind {
			shown = append(shown, entry)
		}
	}
	return shown
}

// tell tells one entry.
func (f *frame) tell(entry wire.Entry) event {
	e := event{Entry: entry, Time: f.Clock(entry.At), Who: actors[entry.Actor.Kind]}
	e.Changes = changes(entry)
	before, after := members(entry.Before), members(entry.After)
	e.What = tale(entry.Act)
	if strings.Contains(entry.Act, "/") {
		e.Who += ", " + strings.TrimPrefix(entry.Act, "POST ")
	}
	switch {
	case after["lockTypeCode"] != "" && after["lockTypeCode"] != before["lockTypeCode"],
		after["lockReasonTypeCode"] != before["lockReasonTypeCode"]:
		e.tellLock(before, after)
	case entry.Act == "authorize":
		e.tellTransfer(after)
	case entry.Act == "post" && after["amount"] != "":
		e.What = "Posting of " + money(json.Number(after["amount"]))
		e.Detail = "account " + after["accountId"]
	case after["status"] != "" && before["status"] != "":
		was, is := state("card", before["status"]), state("card", after["status"])
		e.Detail, e.Strong = was.Text+" → "+is.Text, true
	}
	if strings.HasPrefix(entry.Outcome, "refused") {
		e.Tone, e.What, e.Strong = "warn", asked(e.What)+" refused", true
	}
	if entry.Outcome == "unchanged" {
		e.Detail = "there was nothing to do"
	}
	return e
}

// tellLock tells what has become of the lock of a card.
func (e *event) tellLock(before, after map[string]string) {
	e.Detail = lockCode(before) + " → " + lockCode(after)
	e.Strong = true
	switch after["lockTypeCode"] {
	case "", "UNL":
		e.Tone, e.What = "ok", "Unlocked"
	case "SYS":
		e.Tone, e.What = "bad", "Locked by the system, "+lockReason(after["lockReasonTypeCode"])
	default:
		e.Tone, e.What = "bad", "Locked by a customer, "+lockReason(after["lockReasonTypeCode"])
	}
}

func lockCode(of map[string]string) string {
	if of["lockTypeCode"] == "" || of["lockTypeCode"] == "UNL" {
		return "UNL"
	}
	return of["lockTypeCode"] + "/" + of["lockReasonTypeCode"]
}

// tellTransfer tells the answer to an authorization.
func (e *event) tellTransfer(after map[string]string) {
	kind := after["kind"]
	if kind == "" {
		kind = "transfer"
	}
	e.What = strings.ToUpper(kind[:1]) + kind[1:] + " of " + money(json.Number(after["amount"]))
	if after["approved"] == "true" {
		e.Tone, e.What = "ok", e.What+" approved"
		e.Detail = "account " + after["accountId"]
		return
	}
	e.Tone, e.What, e.Strong = "bad", e.What+" declined", true
	e.Detail = after["reason"]
	if known, ok := declines[after["reason"]]; ok {
		e.Detail = known
	}
}

// declines tell why an authorization was declined.
var declines = map[string]string{
	"unknownCard": "the card is unknown", "cardStatus": "the status of the card",
	"locked": "the card is locked", "expired": "the card is past its date",
	"customer": "the customer", "limit": "over a limit", "noAccount": "no account fits",
	"insufficientFunds": "not enough money",
}

// lockReason names a reason of a lock.
func lockReason(code string) string {
	if known, ok := lockReasons[code]; ok {
		return known
	}
	return code
}

var lockReasons = map[string]string{
	"ADM": "administrative", "PIN": "PIN tries exceeded", "FRD": "suspected fraud", "LST": "lost",
	"STL": "stolen", "TMP": "temporary", "DMG": "damaged", "UNK": "for an unknown reason",
}

var actors = map[string]string{
	"key": "key", "operator": "operator", "token": "token", "processor": "card processor",
	"job": "job", "load": "command line",
}

// tales tell the acts by their names in the audit.
var tales = map[string]string{
	"POST /card/initiate": "Ordered", "POST /card/createdigital": "Made without plastic",
	"POST /card/verify": "Verified", "POST /card/lock": "Locked", "POST /card/unlock": "Unlocked",
	"POST /card/hotlist": "Locked for good", "POST /card/lostOrStolen": "Locked for good",
	"POST /card/archive": "Archived", "POST /card/reissue": "Reissued",
	"POST /card/addAccount": "Account added", "POST /card/removeAccount": "Account removed",
	"POST /card/reprioritizeAccount": "Account moved", "POST /card/resetpin": "PIN ordered",
	"GET /card/archive": "Archived",
	"authorize":         "Authorization", "post": "Posting", "release": "Hold released",
	"hold expired": "Hold ended by itself", "load": "Loaded", "read card": "Card read",
	"read card history": "Card read", "read customer": "Customer read",
	"lock card": "Locked", "unlock card": "Unlocked",
	"reissue card": "Reissued", "archive card": "Archived",
	"find card by number": "Found by its number",
	"expire cards":        "Expired", "sign in": "Signed in", "sign out": "Signed out",
	"retry order": "Order retried", "hold order": "Order held back", "drop order": "Order dropped",
	"replay": "Events replayed", "resend": "Event sent again",
}

// asked names what was refused, by what would have come of it.
func asked(done string) string {
	if name, ok := map[string]string{
		"Locked": "Lock", "Unlocked": "Unlock", "Locked for good": "Lock for good",
		"Reissued": "Reissue", "Archived": "Archiving", "Verified": "Verification",
		"Ordered": "Order", "Made without plastic": "Digital card", "PIN ordered": "New PIN",
		"Account added": "Adding an account", "Account removed": "Removing an account",
		"Account moved": "Moving an account", "Signed in": "Sign-in",
	}[done]; ok {
		return name
	}
	return done + ":"
}

// tale is an act in words. One that the table does not have keeps its name.
func tale(act string) string {
	if known, ok := tales[act]; ok {
		return known
	}
	if act == "" {
		return "Act"
	}
	return strings.ToUpper(act[:1]) + act[1:]
}

// members reads a JSON object of plain values as texts.
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

// changes are the properties that an entry tells of, by name.
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

// quoted writes a word of a command so that a shell takes it as one.
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
