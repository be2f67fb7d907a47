package recording

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// normal is an exchange without the parts that differ from run to run.
type normal struct {
	test  string
	asked string // method and path, for messages
	lines []string
	times [][]string // for each time in the lines, its places in the recording
}

// varying matches what differs from run to run regardless of the program. Equal values are replaced
// by the same name, so that an identifier that should be repeated must be.
var varying = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"uuid", regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)},
	{"address", regexp.MustCompile(`(127\.0\.0\.1|\[::1\]|localhost):\d{4,5}\b`)},
	{"fingerprint", regexp.MustCompile(`"(keyset|pinKey)": "[0-9a-f]{32}"`)},
	{"key of a test", regexp.MustCompile(`\bledger-\d{19}\b`)},
	{"database", regexp.MustCompile(`\bmintmark_test_\d+_\d+\b`)},
	{"directory", regexp.MustCompile(`/[a-z/]*/pgtest\d+`)},
	{"sealed PIN", regexp.MustCompile(`"newPin":"[A-Za-z0-9+/]{100,}=*"`)},
}

var (
	dateHeader = regexp.MustCompile(`^Date: .*GMT$`)
	// Settings are cached for a second.
	filledDate = regexp.MustCompile(`"filledDate":"[^"]*"`)
	dateTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}([+-]\d\d:\d\d)`)
)

// normalise replaces what differs from run to run in the exchanges of a test.
func normalise(all []Exchange) []normal {
	names := make(map[string]string)
	replace := func(text string) string {
		text = filledDate.ReplaceAllString(text, `"filledDate":"<now>"`)
		for _, v := range varying {
			text = v.pattern.ReplaceAllStringFunc(text, func(s string) string {
				if names[s] == "" {
					names[s] = fmt.Sprintf("<%s %d>", v.name, len(names)+1)
				}
				return names[s]
			})
		}
		return text
	}
	places := placesOf(all)
	result := make([]normal, len(all))
	for i, e := range all {
		n := &result[i]
		n.test = e.Test
		_, path, _ := strings.Cut(strings.TrimPrefix(e.Target, "http://"), "/")
		n.asked = e.Method + " /" + path
		add := func(kind, text string) {
			text = dateTime.ReplaceAllStringFunc(replace(text), func(s string) string {
				at, err := time.Parse(time.RFC3339, s)
				if err != nil || at.Before(all[0].Ended.Add(-aRun)) || at.After(e.Ended.Add(aRun)) {
					return s
				}
				n.times = append(n.times, places.of(at))
				return "<time" + dateTime.FindStringSubmatch(s)[1] + ">"
			})
			n.lines = append(n.lines, kind+": "+text)
		}
		add("request", e.Method+" "+e.Target)
		for _, header := range e.Sent {
			add("request header", header)
		}
		add("request body", e.Request)
		add("status", e.Status)
		for _, header := range e.Header {
			// Replaced values in the body may vary in length.
			if header == fmt.Sprint("Content-Length: ", len(e.Body)+len(e.Bytes)) {
				header = "Content-Length: <that of the body>"
			}
			add("header", dateHeader.ReplaceAllString(header, "Date: <now>"))
		}
		add("body", e.Body+string(e.Bytes))
	}
	return result
}

// aRun is the maximum time between the start of a server and a test, and the maximum distance of a
// time in the future, for a time to count as belonging to this run.
const aRun = time.Hour

// place is a span of a recording: an exchange, or the time between two.
type place struct {
	name       string
	between    bool
	began, end time.Time
}

type places []place

// placesOf returns the places of a recording with names. The name of an exchange is its number
// within its subtest, because the order of subtests may change.
func placesOf(all []Exchange) places {
	var list places
	count := make(map[string]int)
	end, name := time.Time{}, "start"
	for _, e := range all {
		if e.Began.IsZero() {
			e.Began = end
		}
		list = append(list, place{"after " + name, true, end, e.Began})
		count[e.Test]++
		name = fmt.Sprintf("%s #%d", e.Test, count[e.Test])
		list = append(list, place{name, false, e.Began, e.Ended})
		end = e.Ended
	}
	return append(list, place{"after " + name, true, end, end.Add(2 * aRun)})
}

// of returns the exchanges that a time may fall into, or else the spans between exchanges. Answers
// have times with millisecond precision, which may touch several places.
func (p places) of(at time.Time) []string {
	var within, between []string
	for _, row := range p {
		switch {
		case at.Add(time.Millisecond).Before(row.began) || at.After(row.end):
		case row.between:
			between = append(between, row.name)
		default:
			within = append(within, row.name)
		}
	}
	if len(within) > 0 {
		return within
	}
	return between
}

// differs describes how two exchanges differ, or returns "" if they do not.
func (n normal) differs(other normal) string {
	for i := range min(len(n.lines), len(other.lines)) {
		if n.lines[i] != other.lines[i] {
			return around(n.lines[i], other.lines[i])
		}
	}
	if len(n.lines) != len(other.lines) {
		return fmt.Sprintf("%d lines, now %d:\n  before: %s\n  after:  %s", len(n.lines),
			len(other.lines), n.lines, other.lines)
	}
	for i, at := range n.times {
		common := func(name string) bool { return slices.Contains(other.times[i], name) }
		if !slices.ContainsFunc(at, common) {
			return fmt.Sprintf("time %d of the exchange was that of %q, and is that of %q",
				i+1, at, other.times[i])
		}
	}
	return ""
}

// around shows two lines from shortly before their first difference.
func around(before, after string) string {
	const kept, shown = 80, 300
	at := 0
	for at < min(len(before), len(after)) && before[at] == after[at] {
		at++
	}
	part := func(line string) string {
		begin, end := max(0, at-kept), min(len(line), at+shown)
		return fmt.Sprintf("%.20s ... %q", line, line[begin:end])
	}
	return "\n  before: " + part(before) + "\n  after:  " + part(after)
}
