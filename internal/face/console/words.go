package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mintmark/internal/base/value"
)

// words are the functions of the templates.
var words = template.FuncMap{
	"icon":  func() string { return icon.Path },
	"state": state, "count": count, "money": money, "itoa": strconv.Itoa, "join": strings.Join,
	"short": short, "plural": plural, "text": text, "lag": lag, "field": field, "label": label,
	"locked": locked, "lastFour": lastFour, "lockTone": lockTone, "expiry": expiry,
	"lockReason": lockReason, "actText": actText, "actButton": actButton, "actEffect": actEffect,
	"actors": actorKinds, "actorName": actorName, "customerState": customerState,
	"accessText": accessText,
}

// mark is how a state is shown: a shape, a colour and a word, so that none is needed alone.
type mark struct {
	Tone  string // ok, warn, bad, info or mute
	Shape string // "" for a full circle
	Text  string
}

// marks are those of each kind of thing, by the name of the state in the interface.
var marks = map[string]map[string]mark{
	"card": {
		"Verified":                   {"ok", "", "Verified"},
		"PendingVerification":        {"warn", "half", "Pending verification"},
		"ReissuePendingVerification": {"warn", "half", "Reissue pending"},
		"Initiated":                  {"info", "ring", "Initiated"},
		"Denied":                     {"bad", "cross", "Denied"},
		"Expired":                    {"mute", "glass", "Expired"},
		"Reissued":                   {"mute", "loop", "Reissued"},
		"Archived":                   {"mute", "square", "Archived"},
	},
	"authorization": {
		"approved": {"ok", "", "Approved"},
		"declined": {"bad", "cross", "Declined"},
	},
	"hold": {
		"open":     {"warn", "half", "Open"},
		"posted":   {"ok", "", "Posted"},
		"released": {"mute", "square", "Released"},
		"expired":  {"mute", "glass", "Expired"},
	},
	"try": {
		"done":      {"ok", "", "Done"},
		"accepted":  {"ok", "half", "Accepted"},
		"refused":   {"bad", "cross", "Refused"},
		"unreached": {"bad", "cross", "Not reached"},
		"failed":    {"bad", "cross", "Failed"},
	},
	"order": {
		"done":    {"ok", "", "Done"},
		"sent":    {"warn", "half", "Sent, awaiting result"},
		"waiting": {"warn", "ring", "Waiting"},
		"held":    {"info", "square", "Held back"},
		"failed":  {"bad", "cross", "Failed"},
		"dropped": {"mute", "square", "Dropped"},
	},
	"compromise": {
		"waiting": {"warn", "half", "Waits for approval"},
		"running": {"info", "half", "Running"},
		"paused":  {"mute", "square", "Paused"},
		"done":    {"ok", "", "Done"},
	},
	"delivery": {
		"delivered": {"ok", "", "Delivered"},
		"waiting":   {"warn", "ring", "Waiting"},
		"dead":      {"bad", "cross", "Failed"},
	},
	"webhook": {
		"delivering": {"ok", "", "Delivering"},
		"behind":     {"warn", "half", "Behind"},
		"failing":    {"bad", "cross", "Failing"},
		"paused":     {"mute", "square", "Paused"},
	},
	"key": {
		"active":   {"ok", "", "Active"},
		"expiring": {"warn", "tri", "Ends soon"},
		"expired":  {"mute", "glass", "Ended"},
		"revoked":  {"bad", "cross", "Revoked"},
	},
	"bankKey": {
		"active":       {"ok", "", "Active"},
		"decrypt-only": {"warn", "half", "Decrypts only"},
		"compromised":  {"bad", "tri", "Compromised"},
		"retired":      {"mute", "square", "Retired"},
		"keyset":       {"mute", "ring", "Keyset"},
	},
	"document": {
		"draft":     {"mute", "ring", "Draft"},
		"scheduled": {"info", "half", "Published, not yet in force"},
		"inForce":   {"ok", "", "In force"},
		"ended":     {"mute", "glass", "Ended"},
	},
	"operator": {
		"invited": {"info", "ring", "Invited"},
		"active":  {"ok", "", "Active"},
		"ended":   {"mute", "square", "Ended"},

		"withdrawn": {"bad", "cross", "Withdrawn by the provider"},
	},
	"token": {
		"active":  {"ok", "", "Active"},
		"expired": {"mute", "glass", "Ended"},
		"ended":   {"mute", "square", "Ended with its owner"},
		"revoked": {"bad", "cross", "Revoked"},
	},
	"approval": {
		"waiting":   {"warn", "half", "Waiting"},
		"approved":  {"warn", "half", "Approved, not begun"},
		"done":      {"ok", "", "Done"},
		"refused":   {"bad", "cross", "Approved, then refused by a rule"},
		"rejected":  {"bad", "cross", "Rejected"},
		"withdrawn": {"mute", "square", "Withdrawn"},
		"lapsed":    {"mute", "glass", "Expired"},
	},
	"customer": {
		"Verified":      {"ok", "", "Verified"},
		"Initiated":     {"info", "ring", "Initiated"},
		"Manual Review": {"warn", "half", "Manual review"},
		"Denied":        {"bad", "cross", "Denied"},
		"Archived":      {"mute", "square", "Archived"},
	},
	"account": {
		"Open":          {"ok", "", "Open"},
		"PendingOpen":   {"info", "ring", "Pending open"},
		"Dormant":       {"mute", "glass", "Dormant"},
		"PendingClosed": {"warn", "half", "Pending closed"},
		"Closed":        {"mute", "square", "Closed"},
	},
	"job": {
		"running": {"info", "half", "Running"},
		"waiting": {"mute", "ring", "Idle"},
		"failing": {"bad", "cross", "Failing"},
	},
}

// state returns how the state of a kind of thing is shown. One that the table does not have is
// shown by its name.
func state(kind, name string) mark {
	if known, ok := marks[kind][name]; ok {
		return known
	}
	return mark{"mute", "ring", name}
}

// actorKinds names a kind of actor.
func actorKinds(kind string) string {
	return cmp.Or(map[string]string{
		"key": "Keys", "operator": "Operators", "token": "Tokens", "processor": "Card processor",
		"job": "Jobs", "load": "Command line",
	}[kind], kind)
}

// count writes a number with its thousands apart.
func count(number int) string { return value.Grouped(strconv.Itoa(number)) }

// money writes an amount with its thousands apart, with the digits it has.
func money(amount json.Number) string { return value.Grouped(amount.String()) }

// short is the end of an identifier, enough to tell a few apart: many begin with their time.
func short(id string) string {
	const shown = 8
	if len(id) > shown {
		return "…" + id[len(id)-shown:]
	}
	return id
}

// jobTitles say to people what some jobs do, in the terms of the field. Any other has the name under which
// it acts.
var jobTitles = map[string]string{
	"digest numbers under the next key": "Re-hash card numbers",
	"end old holds":                     "Expire holds",
	"forget people in old rows":         "Erase old personal data",
	"warn of keys that expire":          "Warn about expiring keys",
}

func jobTitle(name string) string { return cmp.Or(jobTitles[name], capital(name)) }

// lowered is a text within a sentence.
func lowered(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:size]) + text[size:]
}

// answerText is the last answer of a receiver: an HTTP status, or what went wrong before one.
func answerText(answer string) string {
	if _, err := strconv.Atoi(answer); err == nil {
		return "HTTP " + answer
	}
	return answer
}

// requestText is a request for an approval within a sentence: its act and, behind that, the kind and the
// identifier of its subject. An act on "a card" is one on "card 10040".
func requestText(request string) string {
	at := strings.LastIndexByte(request, ' ')
	kind, id, ok := strings.Cut(request[at+1:], ":")
	if at < 0 || !ok {
		return lowered(request)
	}
	act, _, _ := strings.Cut(lowered(request[:at]), ";")
	noun := strings.ReplaceAll(kind, "-", " ")
	if before, after, named := strings.Cut(act+" ", " "+article(noun)+" "); named {
		return strings.TrimSpace(before + " " + noun + " " + id + " " + after)
	}
	return act + ", " + noun + " " + id
}

// plural writes a number and its noun.
func plural(number int, singular, many string) string {
	if number == 1 {
		return "1 " + singular
	}
	return count(number) + " " + many
}

// text is a JSON value as a person reads it: a text without its quotes.
func text(value json.RawMessage) string {
	var plain string
	if json.Unmarshal(value, &plain) == nil {
		return plain
	}
	return string(value)
}

// moment is a point in time as a page shows it. The zero value is shown as a dash.
type moment struct {
	ISO  string
	Text string
	UTC  string // on hover
}

// When shows a moment in the zone of the program.
func (f *frame) When(at time.Time) moment {
	if at.IsZero() {
		return moment{}
	}
	local := at.In(f.Zone)
	const second = "2006-01-02 15:04:05"
	return moment{
		local.Format(isoMillis), local.Format(second), at.UTC().Format(second) + " UTC",
	}
}

// inZone is a text, or the moment that it writes as the page shows it.
func (f *frame) inZone(text string) string {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return f.When(at).Text
	}
	return text
}

const isoMillis = "2006-01-02T15:04:05.000Z07:00"

// Maybe shows a moment that need not be set.
func (f *frame) Maybe(at *time.Time) moment {
	if at == nil {
		return moment{}
	}
	return f.When(*at)
}

// Clock shows the time of day of a moment.
func (f *frame) Clock(at time.Time) moment {
	shown := f.When(at)
	if len(shown.Text) > len("2006-01-02 ") {
		shown.Text = shown.Text[len("2006-01-02 "):]
	}
	return shown
}

// Day shows the date of a moment.
func (f *frame) Day(at *time.Time) moment {
	shown := f.Maybe(at)
	shown.Text, _, _ = strings.Cut(shown.Text, " ")
	return shown
}

// Recent shows a moment of a list: today and yesterday by name.
func (f *frame) Recent(at time.Time) moment {
	shown := f.When(at)
	today := f.Now.In(f.Zone)
	switch local := at.In(f.Zone); {
	case local.Format(time.DateOnly) == today.Format(time.DateOnly):
		shown.Text = "Today " + local.Format("15:04")
	case local.Format(time.DateOnly) == today.AddDate(0, 0, -1).Format(time.DateOnly):
		shown.Text = "Yesterday " + local.Format("15:04")
	default:
		shown.Text = local.Format("2006-01-02 15:04")
	}
	return shown
}

// Ago is how long ago a moment was, in one unit.
func (f *frame) Ago(at time.Time) string {
	since := f.Now.Sub(at)
	switch {
	case since.Abs() < time.Second:
		return "just now"
	case since < 0:
		return "in " + span(-since)
	}
	return span(since) + " ago"
}

// span writes a duration in its greatest unit.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return plural(int(d/time.Second), "second", "seconds")
	case d < time.Hour:
		return plural(int(d/time.Minute), "minute", "minutes")
	case d < 2*day:
		return plural(int(d/time.Hour), "hour", "hours")
	}
	return plural(int(d/day), "day", "days")
}

// lag writes a short time in seconds.
func lag(seconds float64) string { return fmt.Sprintf("%.1f s", seconds) }

// field is the identifier of the field of a form that a pointer names.
func field(pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return name
}

// label names a member of a body for people.
func label(pointer string) string {
	switch name := strings.TrimPrefix(pointer, "/"); {
	case name == "":
		return "The form"
	case name == "reason":
		return "Reason, for the audit"
	case strings.HasSuffix(name, "ReasonTypeCode"):
		return "Code of the reason"
	default:
		return capital(strings.ReplaceAll(name, "/", " "))
	}
}
