package jsonbody

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDateTimes(t *testing.T) {
	accepted := map[string]string{
		"2015-06-01":                        "2015-06-01T00:00:00Z",
		"2016-02-29":                        "2016-02-29T00:00:00Z",
		"2015-06-01T12:34":                  "2015-06-01T12:34:00Z",
		"2015-06-01 12:34Z":                 "2015-06-01T12:34:00Z",
		"2015-06-01T12:34:56.1":             "2015-06-01T12:34:56.1Z",
		"2015-06-01 12:34:56.1234567+05:30": "2015-06-01T12:34:56.1234567+05:30",
		"2015-06-01T12:34:56-0800":          "2015-06-01T12:34:56-08:00",
		"2015-06-01T12:34:56+14":            "2015-06-01T12:34:56+14:00",
		"2015-06-01T12:34:56 Z":             "2015-06-01T12:34:56Z",
		"2015-06-01T12:34:56-00:00":         "2015-06-01T12:34:56Z",
		"2015-06-30T24:00:00":               "2015-07-01T00:00:00Z",
	}
	for text, want := range accepted {
		got, ok := parseDateTime([]byte(text))
		if !ok || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %v (%v), want %s", text, got, ok, want)
		}
	}
}

func TestNoDateTimes(t *testing.T) {
	for _, text := range []string{
		"", " ", "now", "2015", "2015-06", "2015-6-1", "20150601", "2015-W23-1", "2015-152",
		"2015/06/01", "06/01/2015", "01-Jun-2015", "0000-01-01", "12015-01-01", "-2015-01-01",
		"2015-00-01", "2015-13-01", "2015-01-00", "2015-01-32", "2015-02-29", "2015-04-31",
		" 2015-06-01", "2015-06-01 ", "2015-06-01Z", "2015-06-01T", "2015-06-01T12",
		"2015-06-01t12:34", "2015-06-01T12:34z", "2015-06-01T12:60", "2015-06-01T12:34:60",
		"2015-06-01T24:00:01", "2015-06-01T25:00", "2015-06-01T12:34.5", "2015-06-01T12:34:56.",
		"2015-06-01T12:34:56.12345678", "2015-06-01T12:34:56,5", "2015-06-01T12:34:56+14:01",
		"2015-06-01T12:34:56+99:00", "2015-06-01T12:34:56+01:60", "2015-06-01T12:34:56+1",
		"2015-06-01T12:34:56+01:", "2015-06-01T12:34:56+010", "2015-06-01T12:34:56  Z",
		"2015-06-01T12:34:56ZZ", "9999-12-31T24:00", "12:34", "/Date(1433160000000)/",
		"Mon, 01 Jun 2015 12:34:56 GMT", "2015-06-01T12:34:56 ",
	} {
		if got, ok := parseDateTime([]byte(text)); ok {
			t.Errorf("%q is accepted as %v", text, got)
		}
	}
}

// TestCalendarDateIsTheOneWritten checks that a date-time keeps its calendar date as written,
// whatever the offset: a customer's birth date is that date.
func TestCalendarDateIsTheOneWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.IntRange(-maxOffsetMinutes, maxOffsetMinutes).Draw(t, "offset")
		zone := time.FixedZone("", minutes*60)
		seconds := rapid.Int64Range(0, 4_000_000_000).Draw(t, "seconds")
		want := time.Unix(seconds, 0).In(zone)
		got, ok := parseDateTime([]byte(want.Format(time.RFC3339)))
		if !ok || !got.Equal(want) {
			t.Fatalf("%v is read as %v (%v)", want, got, ok)
		}
		if got.Format(time.DateOnly) != want.Format(time.DateOnly) {
			t.Fatalf("%v has the date %s", want, got.Format(time.DateOnly))
		}
	})
}
