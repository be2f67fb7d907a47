package fault

import (
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/testkit/golden"
)

func TestGoldenManual(t *testing.T) {
	golden.Compare(t, "../../../docs/errors.md", Manual())
}

// TestManualShowsEveryRow counts the rows of the answered codes, their anchors, and the reserved
// codes.
func TestManualShowsEveryRow(t *testing.T) {
	page := string(Manual())
	rows, reserved, _ := strings.Cut(page, "\n## Reserved codes\n")
	for _, e := range Entries() {
		message := fmt.Sprintf("| `%s` | ", e.Message)
		if e.Reserved != "" {
			if strings.Contains(rows, fmt.Sprint("</a>", e.Code)) {
				t.Errorf("%d is reserved, and has a row like those that are answered", e.Code)
			}
			if !strings.Contains(reserved, fmt.Sprint(e.Code)) ||
				!strings.Contains(reserved, e.Reserved) {
				t.Errorf("the reserved codes lack %d", e.Code)
			}
			continue
		}
		if !strings.Contains(rows, message) {
			t.Errorf("%d has no row", e.Code)
		}
		anchor := fmt.Sprintf("<a id=\"%d\"></a>", e.Code)
		if got := strings.Count(page, anchor); got != 1 {
			t.Errorf("%d has %d anchors", e.Code, got)
		}
		if got := strings.Contains(page, fmt.Sprintf("%d, HTTP %d | ", e.Code, e.HTTP)); got !=
			(e.HTTP != defaultHTTP) {
			t.Errorf("%d shows its status %d: %v", e.Code, e.HTTP, got)
		}
	}
}

// TestManualSaysNothingTwice holds that no meaning and no cure stands in two rows.
func TestManualSaysNothingTwice(t *testing.T) {
	page := string(Manual())
	for _, e := range Entries() {
		for _, text := range []string{e.Meaning, e.Cure} {
			if got := strings.Count(page, "| "+text+" |"); got > 1 || e.Reserved == "" && got == 0 {
				t.Errorf("%d rows say: %s", got, text)
			}
		}
	}
	const again = "| `" + cardNotAssociated + "` | as [150501](#150501) | as [150301](#150301) |"
	if !strings.Contains(page, "\n| <a id=\"150601\"></a>150601 "+again) {
		t.Error("the row of 150601 does not refer to those before it")
	}
}

// TestManualKeepsItsPlaces checks that each row is under the heading of its codes.
func TestManualKeepsItsPlaces(t *testing.T) {
	heading := ""
	places := make(map[int]string)
	for line := range strings.Lines(string(Manual())) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(title)
		}
		code := 0
		if _, err := fmt.Sscanf(line, "| <a id=\"%d\">", &code); err == nil {
			places[code] = heading
		}
	}
	for code, want := range map[int]string{
		50401:  "Transport and credentials",
		50505:  "Transport and credentials",
		50902:  "BINs and encryption keys",
		52998:  "Failures inside",
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
