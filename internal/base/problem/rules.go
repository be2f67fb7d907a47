package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mintmark/internal/base/pan"
)

// Ruled is a value whose members have rules.
type Ruled interface {
	// Rules calls the rules of each member, in any order.
	Rules(r *Rules)
}

// Check returns the problems of a value's members, each checked alone. Only the first problem of a
// member is reported.
func Check(value Ruled) List {
	var problems List
	value.Rules(&Rules{problems: &problems})
	return problems
}

// Member describes in words what a member must be.
type Member struct {
	Name     string
	Required bool     // must be present
	Computed bool     // set by the service, and must be absent
	Demands  []string // such as "at most 50 characters"
}

// Describe returns the members of values with rules, by name. Empty values suffice.
func Describe(values ...Ruled) map[string]Member {
	members := make(map[string]Member)
	for _, value := range values {
		value.Rules(&Rules{problems: new(List), members: members})
	}
	return members
}

// Rules receives the rules of a value, one call per rule. It either records problems or describes
// the rules.
type Rules struct {
	problems *List
	at       string            // path of the value
	members  map[string]Member // nil when a value is checked
}

// In returns the rules of the value in a member.
func (r *Rules) In(name string) *Rules {
	return &Rules{problems: r.problems, at: Join(r.at, name)}
}

// Entry returns the rules of an entry of a list.
func (r *Rules) Entry(list string, index int) *Rules {
	return r.In(fmt.Sprintf("%s[%d]", list, index))
}

// Add records a problem with a member, unless the member already has one.
func (r *Rules) Add(name, format string, args ...any) {
	path := Join(r.at, name)
	for _, earlier := range *r.problems {
		if earlier.Path == path {
			return
		}
	}
	r.problems.Add(path, format, args...)
}

// tell describes one rule of a member.
func (r *Rules) tell(name string, required bool, demand string) {
	if r.members == nil {
		return
	}
	told := r.members[name]
	told.Name = name
	told.Required = told.Required || required
	if demand != "" {
		told.Demands = append(told.Demands, demand)
	}
	r.members[name] = told
}

// Computed is the rule of a member that the service sets.
func (r *Rules) Computed(name string) {
	if r.members != nil {
		r.members[name] = Member{Name: name, Computed: true}
	}
}

// Given is the rule of a member that must be present and may be zero. Only the reader of a file or
// a request can detect that it is absent.
func (r *Rules) Given(name string) { r.tell(name, true, "") }

// Require is the rule of a member that must be present.
func (r *Rules) Require(name string, given bool) {
	r.tell(name, true, "")
	if !given {
		r.Add(name, "a value is required")
	}
}

// Must is a rule in custom words: demand says what the member must be, wrong what is wrong with
// this value. Wrong is empty for a valid member.
func (r *Rules) Must(name, demand, wrong string) {
	r.tell(name, false, demand)
	if wrong != "" {
		r.Add(name, "%s", wrong)
	}
}

// MaxID is the greatest identifier: identifiers of the interface have 32 bits.
const MaxID = math.MaxInt32

// MaxGivenID is the greatest identifier that a file may assign to records that the service also
// numbers: the service continues above it, with half of all identifiers left.
const MaxGivenID = 1 << 30

// EachID describes the entries of a list of identifiers.
var EachID = fmt.Sprintf("each from 1 to %d", MaxID)

// ID is the rule of a number from 1 to MaxID.
func (r *Rules) ID(name string, id int) { r.Number(name, id, 1, MaxID) }

// Number is the rule of a whole number within a range.
func (r *Rules) Number(name string, n, least, most int) {
	r.Given(name)
	r.within(name, &n, least, most)
}

// OptionalNumber is Number for an optional member.
func (r *Rules) OptionalNumber(name string, n *int, least, most int) {
	r.tell(name, false, "")
	r.within(name, n, least, most)
}

func (r *Rules) within(name string, n *int, least, most int) {
	if r.members != nil {
		r.tell(name, false, fmt.Sprintf("from %d to %d", least, most))
	}
	if n != nil && (*n < least || *n > most) {
		r.Add(name, "must be a whole number from %d to %d", least, most)
	}
}

// Text is the rule of a string of at most the given number of characters. A string that the audit
// shows is a Name.
func (r *Rules) Text(name, text string, most int) {
	r.Require(name, text != "")
	r.OptionalText(name, text, most)
}

// OptionalText is Text for an optional member.
func (r *Rules) OptionalText(name, text string, most int) {
	if r.members != nil {
		r.tell(name, false, fmt.Sprintf("at most %d characters", most))
	}
	if len(text) > most && utf8.RuneCountInString(text) > most {
		r.Add(name, "must have at most %d characters", most)
	}
}

// Name is Text for a string that logs and the audit store in the clear.
func (r *Rules) Name(name, text string, most int) {
	r.Require(name, text != "")
	r.OptionalName(name, text, most)
}

// OptionalName is Name for an optional member.
func (r *Rules) OptionalName(name, text string, most int) {
	r.OptionalText(name, text, most)
	r.WithoutPAN(name, text)
}

// WithoutPAN is the rule of a string that contains no card number.
func (r *Rules) WithoutPAN(name, text string) {
	wrong := ""
	if pan.MayContain(text) {
		wrong = "must not hold a card number"
	}
	r.Must(name, "without a card number", wrong)
}

// Without is the rule of a string that does not contain another.
func (r *Rules) Without(name, text, other string) {
	wrong := ""
	if strings.Contains(text, other) {
		wrong = fmt.Sprintf("must not contain %q", other)
	}
	r.Must(name, fmt.Sprintf("without %q", other), wrong)
}

const decimalDigits = "0123456789"

// Digits is the rule of a string of digits with a minimum and maximum length.
func (r *Rules) Digits(name, text string, least, most int) {
	demand := fmt.Sprintf("%d to %d digits and nothing else", least, most)
	if least == most {
		demand = fmt.Sprintf("%d digits and nothing else", least)
	}
	r.Require(name, text != "")
	wrong := ""
	if strings.Trim(text, decimalDigits) != "" || len(text) < least || len(text) > most {
		wrong = "must have " + demand
	}
	r.Must(name, demand, wrong)
}

// Count is the rule of a list with a minimum and maximum number of entries.
func (r *Rules) Count(name string, entries, least, most int) {
	demand := fmt.Sprintf("%d to %d entries", least, most)
	wrong := ""
	if entries < least || entries > most {
		wrong = "must have " + demand
	}
	if least > 0 {
		r.Given(name)
	}
	r.Must(name, demand, wrong)
}

// Zone is the rule of the name of a time zone.
func (r *Rules) Zone(name, zone string) {
	const example = "such as America/New_York"
	wrong := ""
	// Local is the zone of the machine, so it may differ between nodes.
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		wrong = fmt.Sprintf("%q is not a known time zone, %s", zone, example)
	}
	r.Must(name, "of the time zone database, "+example, wrong)
}

// OptionalDate is the rule of an optional calendar date: a time without a time of day.
func (r *Rules) OptionalDate(name string, date time.Time) {
	const demand = "a date without a time, such as 1985-03-14"
	_, offset := date.Zone()
	wrong := ""
	if offset != 0 || !date.Equal(date.Truncate(24*time.Hour)) {
		wrong = "must be " + demand
	}
	r.Must(name, demand, wrong)
}

// OneOf is the rule of a string that is one of a list, in the same spelling.
func OneOf[T ~string](r *Rules, name string, text T, allowed []T) {
	r.Require(name, text != "")
	AllOneOf(r, name, []T{text}, allowed)
}

// AllOneOf is the rule of a list whose entries are all in another list.
func AllOneOf[T ~string](r *Rules, name string, texts, allowed []T) {
	for _, text := range texts {
		if !slices.Contains(allowed, text) {
			r.Add(name, "%q is not one of: %s", string(text), Names(allowed))
			break
		}
	}
	if r.members != nil {
		r.tell(name, false, "one of "+Names(allowed))
	}
}

// Distinct is the rule of a list without duplicates.
func Distinct[T comparable](r *Rules, name string, list []T) {
	r.tell(name, false, "none twice")
	for i, entry := range list {
		if slices.Contains(list[:i], entry) {
			r.Add(name, "%v appears twice", entry)
			return
		}
	}
}

// Names joins strings for use in a sentence.
func Names[T ~string](texts []T) string {
	names := make([]string, len(texts))
	for i, text := range texts {
		names[i] = string(text)
	}
	return strings.Join(names, ", ")
}
