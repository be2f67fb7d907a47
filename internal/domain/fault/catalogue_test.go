package fault

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/testkit/golden"

	"github.com/google/go-cmp/cmp"
)

// TestCatalogueGolden makes every change of a code or a text visible in a review.
func TestCatalogueGolden(t *testing.T) {
	var got bytes.Buffer
	for _, e := range Entries() {
		fmt.Fprintf(&got, "%d %d %s\n", e.Code, e.HTTP, e.Message)
	}
	golden.Compare(t, "testdata/catalogue.golden", got.Bytes())
}

func TestEveryKindHasItsRow(t *testing.T) {
	if len(catalogue) != int(numKinds) {
		t.Errorf("the catalogue has %d rows for %d kinds", len(catalogue), numKinds)
	}
	for kind := range numKinds {
		if got := Lookup(kind).Kind; got != kind {
			t.Errorf("Lookup(%d) is the row of kind %d", kind, got)
		}
	}
}

func TestCodesAreUnique(t *testing.T) {
	kinds := make(map[int][]Kind)
	for _, e := range Entries() {
		kinds[e.Code] = append(kinds[e.Code], e.Kind)
	}
	// The interface itself assigns two meanings to this code.
	shared := []Kind{HotlistReason, ReprioritizeCardInvalid}
	if diff := cmp.Diff(shared, kinds[150801]); diff != "" {
		t.Errorf("kinds of 150801 (-want +got):\n%s", diff)
	}
	delete(kinds, 150801)
	for code, of := range kinds {
		if len(of) != 1 {
			t.Errorf("code %d has %d rows", code, len(of))
		}
	}
}

func TestEntriesAreOrdered(t *testing.T) {
	entries := Entries()
	if len(entries) != int(numKinds) {
		t.Fatalf("%d entries for %d kinds", len(entries), numKinds)
	}
	for i, e := range entries[1:] {
		before := entries[i]
		if e.Code < before.Code || e.Code == before.Code && e.Kind <= before.Kind {
			t.Errorf("%d (kind %d) stands behind %d (kind %d)", e.Code, e.Kind, before.Code,
				before.Kind)
		}
	}
}

// TestEntriesIsACopy checks that a caller may sort or truncate the slice without affecting the
// catalogue.
func TestEntriesIsACopy(t *testing.T) {
	Entries()[0] = nil
	if Entries()[0] == nil {
		t.Error("a caller has changed the order of the catalogue")
	}
}

// TestGroupsHoldTheirCodes checks that each code is in the file named after its group.
func TestGroupsHoldTheirCodes(t *testing.T) {
	groups := []struct {
		name    string
		entries []Entry
		codes   string // a pattern
	}{
		{"common", commonEntries, `50[45]\d\d|52998|58150`},
		{"program", programEntries, `509\d\d|590\d\d|591\d\d`},
		{"body", bodyEntries, `599\d\d`},
		{"customer", customerEntries, `6000\d`},
		{"document", documentEntries, `683\d\d`},
		{"create", createEntries, `1502\d\d`},
		{"lock", lockEntries, `150[45]\d\d|150801`},
		{"account", accountEntries, `150[678]\d\d`},
		{"card", cardEntries, `150[39]\d\d|15[34]\d\d\d`},
	}
	total := 0
	for _, g := range groups {
		codes := regexp.MustCompile(`^(` + g.codes + `)$`)
		total += len(g.entries)
		for i, e := range g.entries {
			if !codes.MatchString(fmt.Sprint(e.Code)) {
				t.Errorf("%d does not belong to the group %s", e.Code, g.name)
			}
			if i > 0 && e.Code < g.entries[i-1].Code {
				t.Errorf("%d stands too late in the group %s", e.Code, g.name)
			}
		}
	}
	if total != int(numKinds) {
		t.Errorf("the groups hold %d rows of %d", total, numKinds)
	}
}

// TestStatuses checks the rule for codes to which the interface assigns no status, and that codes
// whose last digits are an HTTP status have that status.
func TestStatuses(t *testing.T) {
	for _, e := range Entries() {
		want := 400
		switch {
		case e.Code/100 == 504 || e.Code/100 == 505:
			want = e.Code - 50000
		case e.Kind == Incident || e.Kind == QualificationService:
			want = 500
		}
		if e.HTTP != want {
			t.Errorf("%d is HTTP %d, want %d", e.Code, e.HTTP, want)
		}
	}
}

func TestBlanksAreWellFormed(t *testing.T) {
	blank := regexp.MustCompile(`\{[a-z][A-Za-z]*\}`)
	for _, e := range Entries() {
		if strings.TrimSpace(e.Message) != e.Message || e.Message == "" {
			t.Errorf("%d: message %q is empty or has white space around it", e.Code, e.Message)
		}
		if rest := blank.ReplaceAllString(e.Message, ""); strings.ContainsAny(rest, "{}`|\n") {
			t.Errorf("%d: message %q has a brace or a mark out of place", e.Code, e.Message)
		}
		names := blank.FindAllString(e.Message, -1)
		slices.Sort(names)
		if len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%d: message %q names a blank twice", e.Code, e.Message)
		}
	}
}

func TestEveryRowIsExplained(t *testing.T) {
	for _, e := range Entries() {
		texts := map[string]string{"Meaning": e.Meaning, "Cure": e.Cure}
		if e.Reserved != "" {
			texts["Reserved"] = e.Reserved
		}
		for name, text := range texts {
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") {
				t.Errorf("%d: %s is not a sentence: %q", e.Code, name, text)
			}
		}
	}
}

// TestReserved lists the reserved codes: no request is known to provoke them. A code that is
// reserved has to be added here, too, so that it is reserved on purpose.
func TestReserved(t *testing.T) {
	want := []int{50500, 50502, 58150}
	for code := 59001; code <= 59020; code++ {
		want = append(want, code)
	}
	want = append(want, 59102, 59953, 59954, 59955)

	var got []int
	for _, e := range Entries() {
		if e.Reserved != "" {
			got = append(got, e.Code)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reserved codes (-want +got):\n%s", diff)
	}
}

func TestIndexRefusesAKindWrittenTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("index accepted two rows of one kind")
		}
	}()
	index([]Entry{{Kind: TagTaken}}, []Entry{{Kind: TagTaken}})
}

func TestLookupRefusesAKindWithoutARow(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Lookup returned a row for a kind that does not exist")
		}
	}()
	Lookup(numKinds)
}
