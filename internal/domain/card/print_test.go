package card

import (
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/testkit/golden"
)

func TestStatesManualIsPrinted(t *testing.T) {
	golden.Compare(t, "../../../docs/card-states.md", StatesManual())
}

// TestStatesManualShowsEveryTransition looks for each row by itself or in the folded one.
func TestStatesManualShowsEveryTransition(t *testing.T) {
	page := string(StatesManual())
	folded := ""
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| every status but Archived |") {
			folded = line
		}
	}
	for _, row := range Transitions {
		line := fmt.Sprintf("| %s | %s | %s | %s |\n", row.From, row.Act, row.To, row.Mode)
		alone := strings.Contains(page, line)
		together := strings.Contains(folded, string(row.Act))
		if alone == together {
			t.Errorf("row %v stands alone: %v, folded: %v", row, alone, together)
		}
		arrow := fmt.Sprintf("    %s --> %s: %s", row.From, row.To, row.Act)
		if drawn := strings.Contains(page, arrow); drawn != (row.From != row.To) {
			t.Errorf("row %v is drawn: %v", row, drawn)
		}
	}
}

func TestEveryStatusHasItsMeaning(t *testing.T) {
	if len(meanings) != len(Statuses) {
		t.Errorf("%d meanings for %d statuses", len(meanings), len(Statuses))
	}
	for _, status := range Statuses {
		if meanings[status] == "" {
			t.Errorf("nothing says what %s means", status)
		}
	}
}

// TestStatesManualNamesTheLocks picks the rows of interface §6.3 out of the page.
func TestStatesManualNamesTheLocks(t *testing.T) {
	page := string(StatesManual())
	const taken = "CST with the reason given"
	for _, want := range []string{
		"\n| UNL / UNK | " + taken + " | " + taken + " | unchanged |",
		"\n| CST / UNK, DMG, ADM, TMP | " + taken + " | " + taken + " | UNL |",
		"\n| CST / FRD, LST, STL | unchanged | unchanged | [150503](errors.md#150503) |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
