package value

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func TestAmountText(t *testing.T) {
	for _, test := range []struct {
		text   string
		scaled int64
		want   string
	}{
		{"0", 0, "0"},
		{"12", 120000, "12"},
		{"12.5", 125000, "12.5"},
		{"12.50", 125000, "12.50"},
		{"-12.50", -125000, "-12.50"},
		{"-0.05", -500, "-0.05"},
		{"0.0001", 1, "0.0001"},
		{"1.500000", 15000, "1.5000"},
		{"1e3", 10000000, "1000"},
		{"1.25E1", 125000, "12.5"},
		{"922337203685477.5807", 9223372036854775807, "922337203685477.5807"},
	} {
		got, err := ParseAmount(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got.TenThousandths != test.scaled || got.String() != test.want {
			t.Errorf("%s is %d, written %s", test.text, got.TenThousandths, got)
		}
	}
}

func TestAmountRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "not a decimal number",
		"twelve":               "not a decimal number",
		`"12.50"`:              "not a decimal number",
		"0.00001":              "more than 4 decimal digits",
		"922337203685477.5808": "too large",
		"1e20":                 "too large",
		"1e999999999":          "not a decimal number",
		"1e-999999999":         "not a decimal number",
	} {
		_, err := ParseAmount(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, test := range []struct {
		text   string
		digits int
		want   string
	}{
		{"12.5", 2, "12.50"},
		{"12.5", 0, "12"},
		{"12.5", 4, "12.5000"},
		{"12.5", 9, "12.5000"},
		{"12.5", -1, "12"},
		{"-12.5", 2, "-12.50"},
		{"-12.559", 2, "-12.55"},
		{"-0.001", 2, "0.00"},
		{"0", 2, "0.00"},
	} {
		amount, err := ParseAmount(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := amount.Fixed(test.digits).String(); got != test.want {
			t.Errorf("%s with %d digits is %s, want %s", test.text, test.digits, got, test.want)
		}
	}
}

func TestDigits(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "12.00": 0, "12.10": 1, "12.05": 2, "-12.005": 3, "0.0001": 4, "100": 0,
	} {
		amount, err := ParseAmount(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := amount.Digits(); got != want {
			t.Errorf("%s needs %d digits, want %d", text, got, want)
		}
	}
}

// TestAmountRoundTrip checks that a written amount is read as the same amount, with the same
// digits.
func TestAmountRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scaled := rapid.Int64Range(-9223372036854775807, 9223372036854775807).Draw(t, "scaled")
		amount := Amount{TenThousandths: scaled}.Fixed(AmountDigits)
		text, err := json.Marshal(amount)
		if err != nil {
			t.Fatal(err)
		}
		_, fraction, _ := strings.Cut(string(text), ".")
		if len(fraction) != AmountDigits {
			t.Fatalf("%d is written %s", scaled, text)
		}
		var back Amount
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if back != amount {
			t.Fatalf("%s is read as %s", text, back)
		}
		fewer := rapid.IntRange(amount.Digits(), AmountDigits).Draw(t, "digits")
		again, err := ParseAmount(amount.Fixed(fewer).String())
		if err != nil || again.TenThousandths != scaled {
			t.Fatalf("%s with %d digits is read as %s: %v", amount, fewer, again, err)
		}
	})
}

func TestRate(t *testing.T) {
	for text, want := range map[string]string{
		"0.05":          "0.05",
		"0.12345678901": "0.12345678901",
		"-1.5":          "-1.5",
		"0.0500":        "0.05",
		"2":             "2",
		"1e-11":         "0.00000000001",
	} {
		var rate Rate
		if err := json.Unmarshal([]byte(text), &rate); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := json.Marshal(rate)
		if err != nil || string(got) != want {
			t.Errorf("%s is written %s, want %s: %v", text, got, want, err)
		}
	}
	for _, text := range []string{"0.123456789012", `"0.05"`, "1e-999999999", "true"} {
		var rate Rate
		if err := json.Unmarshal([]byte(text), &rate); err == nil {
			t.Errorf("%s is a rate", text)
		}
	}
}

func TestTimeText(t *testing.T) {
	moment := time.Date(2026, time.March, 4, 5, 6, 7, 8_999_999, time.UTC)
	for _, test := range []struct {
		zone *time.Location
		want string
	}{
		{time.UTC, "2026-03-04T05:06:07.008+00:00"},
		{time.FixedZone("", -5*3600), "2026-03-04T00:06:07.008-05:00"},
		{time.FixedZone("", -(9*3600 + 30*60)), "2026-03-03T19:36:07.008-09:30"},
		{time.FixedZone("", 5*3600+45*60), "2026-03-04T10:51:07.008+05:45"},
	} {
		written := Time{moment.In(test.zone)}
		encoded, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		text, err := written.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		got := []string{written.String(), string(encoded), string(text)}
		want := []string{test.want, `"` + test.want + `"`, test.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("string, JSON and text (-want +got):\n%s", diff)
		}
	}
	if got := (Time{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}).String(); got !=
		"2026-01-02T03:04:05.000+00:00" {
		t.Errorf("a whole second is written %s", got)
	}
}

func TestTimeReads(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-03-04T05:06:07.008-05:00"`: "2026-03-04T05:06:07.008-05:00",
		`"2026-03-04T05:06:07Z"`:          "2026-03-04T05:06:07.000+00:00",
		`"2026-03-04T05:06:07"`:           "2026-03-04T05:06:07.000+00:00",
		`"2026-03-04"`:                    "2026-03-04T00:00:00.000+00:00",
	} {
		var read Time
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if read.String() != want {
			t.Errorf("%s is read as %s", text, read)
		}
	}
	for _, text := range []string{`"04.03.2026"`, `""`, `"2026-02-30"`, "17"} {
		var read Time
		if err := json.Unmarshal([]byte(text), &read); err == nil {
			t.Errorf("%s is read as %s", text, read)
		}
	}
}

// TestTimeRoundTrip checks that a written time is read as the same time, to the millisecond.
func TestTimeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.IntRange(-14*60, 14*60).Draw(t, "offset")
		millis := rapid.Int64Range(-2e12, 4e12).Draw(t, "millis")
		written := Time{time.UnixMilli(millis).In(time.FixedZone("", minutes*60))}
		text, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		var read Time
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if !read.Equal(written.Time) || read.String() != written.String() {
			t.Fatalf("%s is read as %s", text, read)
		}
	})
}

// TestAmountLikeDecimal compares an amount's text with decimal arithmetic.
func TestAmountLikeDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scaled := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-20000, 20000),
			rapid.Just(int64(math.MinInt64))).Draw(t, "ten-thousandths")
		digits := rapid.IntRange(0, 4).Draw(t, "digits")
		want := decimal.New(scaled, -4).Truncate(int32(digits)).StringFixed(int32(digits))
		got := Amount{TenThousandths: scaled}.Fixed(digits).String()
		if got != want {
			t.Errorf("%d ten-thousandths with %d digits are %s, want %s", scaled, digits, got, want)
		}
	})
}
