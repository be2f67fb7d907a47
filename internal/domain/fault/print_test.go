package fault

import (
	"fmt"
	"strings"
	"testing"
)

// TestManualShowsEveryRowTwice counts the lines of the index and the entries after it.
func TestManualShowsEveryRowTwice(t *testing.T) {
	page := string(Manual(Sources{}))
	shared := map[int]int{150801: 2}
	for _, e := range Entries() {
		want := max(1, shared[e.Code])
		if got := strings.Count(page, fmt.Sprintf("\n### %d\n", e.Code)); got != want {
			t.Errorf("%d has %d headings, want %d", e.Code, got, want)
		}
		if got := strings.Count(page, fmt.Sprintf("\n| [%d](", e.Code)); got != want {
			t.Errorf("%d has %d lines in the index, want %d", e.Code, got, want)
		}
	}
	if strings.Contains(page, "Answered by") || strings.Contains(page, "Tested by") {
		t.Error("the page names operations or cases, though nobody said which")
	}
}

// TestManualKeepsItsPlaces checks that each entry is under the heading of its codes.
func TestManualKeepsItsPlaces(t *testing.T) {
	heading, code := "", 0
	places := make(map[int]string)
	for line := range strings.Lines(string(Manual(Sources{}))) {
		if title, found := strings.CutPrefix(line, "## "); found {
			if code == 0 && heading != "" && heading != "Index" {
				t.Errorf("nothing stands under the heading %q", heading)
			}
			heading, code = strings.TrimSpace(title), 0
		}
		if _, err := fmt.Sscanf(line, "### %d", &code); err == nil {
			places[code] = heading
		}
	}
	for code, want := range map[int]string{
		50401:  "Transport and credentials",
		50505:  "Transport and credentials",
		50902:  "BINs and encryption keys",
		52998:  "Failures inside",
		59001:  "Program configuration",
		59103:  "Program configuration",
		59900:  "Request bodies",
		59999:  "Request bodies",
		60001:  "Customers",
		68304:  "Bank documents",
		150201: "Cards: creation",
		150405: "Cards: lock and hotlist",
		150801: "Cards: hotlist reasons and account priorities",
		153101: "Cards: archiving",
		154101: "Cards: reading",
	} {
		if places[code] != want {
			t.Errorf("%d stands under %q, want %q", code, places[code], want)
		}
	}
}

func TestManualMarksWhatIsReserved(t *testing.T) {
	page := string(Manual(Sources{}))
	for _, want := range []string{
		"| [50502](#50502) | 502 | `Bad Gateway.` (reserved) |\n",
		"\nReserved: " + noSuchProperty + "\n",
		"| [50501](#50501) | 501 | `Not Implemented.` |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestManualNamesOperationsAndCases(t *testing.T) {
	only := func(names ...string) func(Kind) []string {
		return func(kind Kind) []string {
			if kind == BinInvalid {
				return names
			}
			return nil
		}
	}
	page := string(Manual(Sources{only("POST /card/initiate", "POST /card/createdigital"),
		only("an unknown BIN")}))
	want := "\nAnswered by: POST /card/initiate; POST /card/createdigital\n" +
		"\nTested by: an unknown BIN\n"
	if strings.Count(page, want) != 1 || strings.Count(page, "Answered by") != 1 ||
		strings.Count(page, "Tested by") != 1 {
		t.Errorf("the page does not name the operations and cases of one fault alone")
	}
}
