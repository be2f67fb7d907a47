package pan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"mintmark/internal/testkit/testrun"
)

// TestHolds tries strings as people write them.
func TestHolds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ holds, mayHold bool }{
		"4111111111111111":                                      {true, true},
		"4000001234567890":                                      {false, true},
		"99994012888888881881999":                               {true, true},
		"0f8fad5b-d9cb-469f":                                    {},
		"4000 0012-3456 7890":                                   {false, true},
		"1234567890123":                                         {false, true},
		"123456789012":                                          {false, false},
		"1234 4111111111111111":                                 {true, true},
		"99 4111.1111.1111.1111":                                {true, true},
		"4111/1111/1111/1111":                                   {true, true},
		"4111_1111_1111_1111":                                   {true, true},
		"4111 – 1111 – 1111 – 1111":                             {true, true},
		"4111, 1111, 1111, 1111":                                {true, true},
		"4111+1111+1111+1111":                                   {true, true},
		"PAN4111111111111111, please":                           {true, true},
		"４１１１ １１１１ １１１１ １１１１":                                   {true, true},
		"٤١١١١١١١١١١١١١١١":                                      {true, true},
		"4\u200b111\u00ad1111\u20601111 1111":                   {true, true},
		"3782 822463 10005":                                     {true, true},
		"41111111-1111-1111-0000-000000000000":                  {true, true},
		"":                                                      {},
		"4111 1111 and 1111 1111":                               {},
		"$411,111.11 $111,111.11":                               {},
		"card 10001 at 2026-06-01T12:00:00.123-04:00":           {},
		"from 2026-06-01 12:00:00 to 2026-06-02 12:00:00":       {},
		"on 06/01/2026 12:00:00, 10001":                         {},
		"5c4a1d2e-4111-1111-1111-111111111111":                  {},
		"amount 1,234,567.89 of account 2147483647, order 1001": {},
	} {
		if got := MayContain(text); got != want.holds {
			t.Errorf("Holds(%q) = %v", text, got)
		}
		if got := MayContainInURL(text); got != want.mayHold {
			t.Errorf("MayHold(%q) = %v", text, got)
		}
	}
}

// TestMaskAndRedact tries strings that are stored although they may contain a card number.
func TestMaskAndRedact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ masked, redacted string }{
		"a 4111-1111 11111111.":     {"a ************1111.", "a ***."},
		"4000001234567890":          {"4000001234567890", "***"},
		"123456789012":              {"123456789012", "***"},
		"12345678901":               {"12345678901", "12345678901"},
		"00004000001234567890":      {"****************7890", "***"},
		"4111/1111/1111/1111 again": {"***", "***"},
	} {
		if got := Mask(text); got != want.masked {
			t.Errorf("Mask(%q) = %q", text, got)
		}
		if got := Redact(text); got != want.redacted {
			t.Errorf("Redact(%q) = %q", text, got)
		}
	}
}

// TestHoldsEveryNumber generates card numbers in every script of digits and with every punctuation,
// and as many strings without a number.
func TestHoldsEveryNumber(t *testing.T) {
	t.Parallel()
	rounds := 5_000
	if testrun.Full() {
		rounds = 100_000
	}
	const seed = 1
	w := writer{Rand: rand.New(rand.NewPCG(seed, seed)), gaps: gaps(), zeros: zeros()}
	for range rounds {
		if text := w.withNumber(); !MayContain(text) || !MayContainInURL(text) {
			t.Fatalf("no card number is seen in %q", text)
		}
		if text := w.withoutNumber(); MayContain(text) {
			t.Fatalf("a card number is seen in %q", text)
		}
	}
}

// writer generates random strings.
type writer struct {
	*rand.Rand
	gaps  []string // allowed between the digits of a number
	zeros []rune   // of the scripts
}

// gaps returns all punctuation, blanks, symbols and invisible characters, except those that are
// letters or digits in another form.
func gaps() (all []string) {
	for _, table := range []*unicode.RangeTable{
		unicode.P, unicode.Z, unicode.Cf, unicode.Mn, unicode.Sm, unicode.Sk, unicode.So,
	} {
		for r := rune(1); r <= unicode.MaxRune; r++ {
			if unicode.Is(table, r) && !strings.ContainsFunc(norm.NFKC.String(string(r)),
				func(r rune) bool { return unicode.In(r, unicode.L, unicode.Nd, unicode.Sc) }) {
				all = append(all, string(r))
			}
		}
	}
	return all
}

func zeros() (all []rune) {
	add := func(from, to rune) {
		for zero := from; zero < to; zero += 10 {
			all = append(all, zero)
		}
	}
	for _, r := range unicode.Nd.R16 {
		add(rune(r.Lo), rune(r.Hi))
	}
	for _, r := range unicode.Nd.R32 {
		add(rune(r.Lo), rune(r.Hi))
	}
	return all
}

func pick[T any](w writer, of ...T) T { return of[w.IntN(len(of))] }

// withNumber generates a number of 13 to 19 digits, with other text and other digits around it.
func (w writer) withNumber() string {
	body := fmt.Sprint(1 + w.IntN(9))
	for range MinDigits - 2 + w.IntN(MaxDigits-MinDigits+1) {
		body += fmt.Sprint(w.IntN(10))
	}
	digits := body + string(CheckDigit(body))
	if w.IntN(3) == 0 {
		digits = fmt.Sprint(w.IntN(100_000)) + digits + fmt.Sprint(w.IntN(100_000))
	}
	usual := []string{" ", "-", ".", "/", "_", ",", ":", ", ", " - "}
	gap, group := pick(w, "", pick(w, usual...), pick(w, w.gaps...)), pick(w, 1, 2, 4, 6)
	mixed, foreign := w.IntN(4) == 0, w.IntN(4) == 0
	zero := pick(w, '0', '0', pick(w, w.zeros...))
	var text strings.Builder
	text.WriteString(pick(w, "", "card ", "PAN", "€", "é:", "(", "№ "))
	for i, r := range digits {
		if i > 0 && mixed {
			gap = pick(w, "", "", pick(w, usual...), pick(w, w.gaps...))
		}
		if i > 0 && (mixed || i%group == 0) {
			text.WriteString(gap)
		}
		if foreign {
			zero = pick(w, w.zeros...)
		}
		text.WriteRune(zero + r - '0')
	}
	text.WriteString(pick(w, "", " is lost", "x", ")", "\u0301", "$"))
	return text.String()
}

// withoutNumber generates ids, times, UUIDs and amounts, with a word between them.
func (w writer) withoutNumber() string {
	var text []string
	for range 1 + w.IntN(4) {
		at := time.UnixMilli(w.Int64N(7_000_000_000_000)).In(
			time.FixedZone("", 1800*(w.IntN(48)-24)))
		amount := fmt.Sprintf("%d.%02d", w.IntN(1_000_000_000), w.IntN(100))
		text = append(text, pick(w, "card", "for", "until", "of account", "and"), pick(w,
			fmt.Sprint(1+w.IntN(1<<31-1)), "#"+fmt.Sprint(1+w.IntN(1<<31-1)),
			at.Format(pick(w, time.RFC3339, time.RFC3339Nano, time.DateTime, time.DateOnly,
				"2006-01-02 15:04:05.000 -0700", "02.01.2006 15:04:05", "01/02/2006",
				"15:04:05.000")),
			w.uuid(), amount, "$"+amount, amount+" USD", "-"+amount+"€",
			fmt.Sprintf("%d,%03d,%03d.%04d", w.IntN(100), w.IntN(1000), w.IntN(1000),
				w.IntN(10_000)),
		))
	}
	return strings.Join(text, pick(w, " ", ", ", ": "))
}

func (w writer) uuid() string {
	id := uuid.UUID(slices.Repeat([]byte{0}, 16))
	for i := range id {
		id[i] = byte(w.IntN(256))
	}
	return id.String()
}
