package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mintmark/internal/base/value"
)

// words are the template functions.
var words = template.FuncMap{
	"icon":  func() string { return icon.Path },
	"state": state, "count": count, "money": money, "itoa": strconv.Itoa, "join": strings.Join,
	"short": short, "plural": plural, "text": text, "lag": lag, "field": field, "label": label,
	"locked": locked, "lastFour": lastFour, "lockTone": lockTone, "expiry": expiry,
	"lockReason": lockReason, "actText": actText, "actButton": actButton, "actEffect": actEffect,
	"actors": actorKinds, "actorKind": actorKind, "actorName": actorName,
	"customerState": customerState, "accessText": accessText,
}

// mark is the display of a state: a shape, a color and a word, so that each suffices alone.
type mark struct {
	Tone  string // ok, warn, bad, info or mute
	Shape string // empty for a full circle
	Text  string
}

// marks are the marks of states by kind of object and name of the state in the interface.
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

// state returns the mark of a state. A state that the table lacks is shown by its name.
func state(kind, name string) mark {
	if known, ok := marks[kind][name]; ok {
		return known
	}
	return mark{"mute", "ring", name}
}

// actorKinds returns the plural name of a kind of actor.
func actorKinds(kind string) string {
	return cmp.Or(map[string]string{
		"key": "Keys", "operator": "Operators", "token": "Tokens", "processor": "Card processor",
		"job": "Jobs", "load": "Command line",
	}[kind], kind)
}

// count formats a number with separators between thousands.
func count(number int) string { return value.Grouped(strconv.Itoa(number)) }

// money formats an amount with separators between thousands, and keeps its decimal digits.
func money(amount json.Number) string { return value.Grouped(amount.String()) }

// short returns the end of an identifier. The beginning would tell few apart, because it is often a
// time.
func short(id string) string {
	const shown = 8
	if len(id) > shown {
		return "…" + id[len(id)-shown:]
	}
	return id
}

// lowerFirst returns a text for use within a sentence, with a small first letter.
func lowerFirst(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:size]) + text[size:]
}

// answerText describes the latest response of a receiver: an HTTP status, or why there was none.
func answerText(answer string) string {
	if _, err := strconv.Atoi(answer); err == nil {
		return "HTTP " + answer
	}
	return answer
}

// requestOn matches a request with its subject, whose identifier may contain spaces.
var requestOn = regexp.MustCompile(`^(.+) ([a-z-]+):(.+)$`)

// requestText describes a requested act within a sentence. The request consists of the act and,
// after it, the kind and identifier of its subject. An act on "a card" becomes one on "card 10040".
func requestText(request string) string {
	parts := requestOn.FindStringSubmatch(request)
	if parts == nil {
		return lowerFirst(request)
	}
	kind, id := parts[2], parts[3]
	act, _, _ := strings.Cut(lowerFirst(parts[1]), ";")
	noun := strings.ReplaceAll(kind, "-", " ")
	if before, after, named := strings.Cut(act+" ", " "+article(noun)+" "); named {
		return strings.TrimSpace(before + " " + noun + " " + id + " " + after)
	}
	return act + ", " + noun + " " + id
}

// plural formats a number with its noun.
func plural(number int, singular, many string) string {
	if number == 1 {
		return "1 " + singular
	}
	return count(number) + " " + many
}

// text returns a JSON value for people: a string without its quotes, anything else as JSON.
func text(value json.RawMessage) string {
	var plain string
	if json.Unmarshal(value, &plain) == nil {
		return plain
	}
	return string(value)
}

// moment is a formatted time. The zero value is shown as a dash.
type moment struct {
	ISO  string
	Text string
	UTC  string // on hover
}

// When formats a time in the zone of the program.
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

// inZone formats a text that is a time in the zone of the program, and returns any other unchanged.
func (f *frame) inZone(text string) string {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return f.When(at).Text
	}
	return text
}

const isoMillis = "2006-01-02T15:04:05.000Z07:00"

// Maybe formats a time that may be nil.
func (f *frame) Maybe(at *time.Time) moment {
	if at == nil {
		return moment{}
	}
	return f.When(*at)
}

// Clock formats a time as the time of day.
func (f *frame) Clock(at time.Time) moment {
	shown := f.When(at)
	if len(shown.Text) > len("2006-01-02 ") {
		shown.Text = shown.Text[len("2006-01-02 "):]
	}
	return shown
}

// Day formats the date of a time.
func (f *frame) Day(at *time.Time) moment {
	shown := f.Maybe(at)
	shown.Text, _, _ = strings.Cut(shown.Text, " ")
	return shown
}

// Recent formats a time in a list, with "Today" and "Yesterday" for recent dates.
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

// Ago returns the time since at, or until it, in one unit.
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

// span formats a duration in its largest unit.
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

// lag formats a short duration in seconds.
func lag(seconds float64) string { return fmt.Sprintf("%.1f s", seconds) }

// field returns the id of the form field that a pointer names.
func field(pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return name
}

// label returns the label of a member for people.
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
