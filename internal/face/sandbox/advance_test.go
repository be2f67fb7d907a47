package sandbox

import (
	"testing"
	"time"
)

// TestAdvance parses durations, and adds them in the time zone of New York.
func TestAdvance(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	noon := func(month time.Month, day int) time.Time {
		return time.Date(2026, month, day, 12, 0, 0, 0, zone)
	}
	for _, row := range []struct {
		text       string
		from, want time.Time
	}{
		// Daylight saving time begins on March 8.
		{"P1D", noon(3, 7), noon(3, 8)},
		{"1d", noon(3, 7), noon(3, 8).Add(time.Hour)},
		{"24h", noon(3, 7), noon(3, 8).Add(time.Hour)},
		{"PT24H", noon(3, 7), noon(3, 8).Add(time.Hour)},
		{"P2W1DT1H1M1.5S", noon(5, 1), noon(5, 16).Add(time.Hour + 61500*time.Millisecond)},
		{"P1M", noon(1, 31), noon(2, 28)},
		{"P1Y1M", noon(1, 31), time.Date(2027, 2, 28, 12, 0, 0, 0, zone)},
		{"P1M1D", noon(1, 31), noon(3, 1)},
		{"P0D", noon(1, 31), noon(1, 31)},
		{"1d12h30m", noon(5, 1), noon(5, 2).Add(12*time.Hour + 30*time.Minute)},
		{"0s", noon(5, 1), noon(5, 1)},
		{"1.5h", noon(5, 1), noon(5, 1).Add(90 * time.Minute)},
	} {
		by, err := parseAdvance(row.text)
		if got := by.from(row.from.UTC(), zone); err != nil || !got.Equal(row.want) {
			t.Errorf("%s from %s is %s (%v), want %s", row.text, row.from, got, err, row.want)
		}
	}
	for _, text := range []string{
		"", "-", "P", "PT", "P1DT", "1", "1w", "d", "P-1D", "P1H", "PT1D", "1h1d", "+1h", "1h ",
		"P1.5D", "999999d", "PT999999999H", "2562047h1000d", "--1h", "9999999999h", "soon",
	} {
		if by, err := parseAdvance(text); err == nil {
			t.Errorf("%q is read as %+v", text, by)
		}
	}
	if by, err := parseAdvance("-P1D"); err != nil || !by.back {
		t.Errorf("-P1D is read as %+v, %v", by, err)
	}
}
