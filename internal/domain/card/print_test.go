package card

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/testkit/golden"
)

func TestStatesManualIsPrinted(t *testing.T) {
	golden.Compare(t, "../../../docs/card-states.md", StatesManual())
}

// TestStatesManualShowsEveryTransition unfolds the rows of the page, and looks for the arrow of each
// change.
func TestStatesManualShowsEveryTransition(t *testing.T) {
	page := string(StatesManual())
	_, table, _ := strings.Cut(page, "| From | Act | To | Only in |\n|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	shown := make(map[Transition]int)
	for line := range strings.Lines(table + "\n") {
		cells := strings.Split(strings.Trim(line, "| \n"), " |")
		from := strings.Split(cells[0], ", ")
		if cells[0] == "every status but Archived" {
			from = nil
			for _, status := range Statuses[:len(Statuses)-1] {
				from = append(from, string(status))
			}
		}
		mode := slices.IndexFunc([]Mode{Always, Production, Sandbox, ByOperator}, func(m Mode) bool {
			return len(cells) < 4 && m == Always || len(cells) == 4 && m.String() == cells[3][1:]
		})
		for _, status := range from {
			for _, act := range strings.Split(cells[1][1:], "; ") {
				row := Transition{Status(status), Act(act), Status(cells[2][1:]), Mode(mode)}
				if row.To == unchanged {
					row.To = row.From
				}
				shown[row]++
			}
		}
	}
	for _, row := range Transitions {
		if shown[row] != 1 {
			t.Errorf("row %v stands %d times in the page", row, shown[row])
		}
		arrow := fmt.Sprintf("    %s --> %s: %s", row.From, row.To, row.Act)
		if drawn := strings.Contains(page, arrow); drawn != (row.From != row.To) {
			t.Errorf("row %v is drawn: %v", row, drawn)
		}
	}
	if want := len(births()) + len(Transitions); len(shown) != want {
		t.Errorf("the page has %d transitions, want %d", len(shown), want)
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
	const taken = "CST"
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
