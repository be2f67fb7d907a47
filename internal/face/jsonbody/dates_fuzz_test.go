package jsonbody

import (
	"testing"
	"time"
)

// FuzzDateTime parses any string as a date-time. An accepted one keeps its time and calendar date
// when it is formatted and parsed again.
func FuzzDateTime(f *testing.F) {
	for _, text := range []string{
		"1985-03-14", "2015-06-01 12:34:56.1234567+05:30", "2015-06-30T24:00:00", "2016-02-30",
		"0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.9999999-14:00", "2015-06-01T12:34:56 Z",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, ok := parseDateTime([]byte(text))
		if !ok {
			return
		}
		plain := read.Format("2006-01-02T15:04:05.9999999-07:00")
		again, ok := parseDateTime([]byte(plain))
		if !ok || !again.Equal(read) || again.Format(time.DateOnly) != read.Format(time.DateOnly) {
			t.Errorf("%q is %s, which reads as %v (%v)", text, plain, again, ok)
		}
	})
}
