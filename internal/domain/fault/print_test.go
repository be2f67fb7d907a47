package fault

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/testkit/golden"
)

func TestGoldenManual(t *testing.T) {
	golden.Compare(t, "../../../docs/errors.md", manual())
}

// TestManualShowsEveryRow counts the rows of the answered codes, their anchors, and the reserved
// codes.
func TestManualShowsEveryRow(t *testing.T) {
	page := string(manual())
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

// TestManualSaysNothingTwice checks that no two rows have the same meaning or the same remedy.
func TestManualSaysNothingTwice(t *testing.T) {
	page := string(manual())
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
	for line := range strings.Lines(string(manual())) {
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

// manual prints the page docs/errors.md: a table for each chapter, and the reserved codes at the
// end. A sentence of an earlier row is not repeated.
func manual() []byte {
	var page bytes.Buffer
	page.WriteString(introduction)
	printContents(&page)
	anchors := make(map[int]bool)
	meanings, cures := make(map[string]*Entry), make(map[string]*Entry)
	for _, s := range Sections() {
		live := answered(s)
		if len(live) == 0 {
			continue
		}
		fmt.Fprintf(&page, "\n## %s\n\n", s.Title)
		if s.Remark != "" {
			fmt.Fprintf(&page, "%s\n\n", s.Remark)
		}
		page.WriteString("| Code | Message | What went wrong | What to do |\n|---|---|---|---|\n")
		for _, e := range live {
			fmt.Fprintf(&page, "| %s | `%s` | %s | %s |\n", codeCell(e, anchors), e.Message,
				oncePrinted(meanings, e.Meaning, e), oncePrinted(cures, e.Cure, e))
		}
	}
	printReserved(&page)
	return page.Bytes()
}

// answered returns the entries of a chapter that the service sends.
func answered(s Section) []*Entry {
	return slices.DeleteFunc(slices.Clone(s.Entries),
		func(e *Entry) bool { return e.Reserved != "" })
}

// codeCell prints a code, and its HTTP status unless that is 400. The first row of a code has its
// anchor.
func codeCell(e *Entry, anchors map[int]bool) string {
	cell := fmt.Sprint(e.Code)
	if !anchors[e.Code] {
		cell = fmt.Sprintf("<a id=\"%s\"></a>%s", cell, cell)
	}
	anchors[e.Code] = true
	if e.HTTP != defaultHTTP {
		cell += fmt.Sprintf(", HTTP %d", e.HTTP)
	}
	return cell
}

// defaultHTTP is the status of most faults. The page lists the others.
const defaultHTTP = 400

// oncePrinted returns a text, or a reference to the row that already contains it.
func oncePrinted(printed map[string]*Entry, text string, e *Entry) string {
	if earlier := printed[text]; earlier != nil {
		return fmt.Sprintf("as [%[1]d](#%[1]d)", earlier.Code)
	}
	printed[text] = e
	return text
}

// printContents prints a line for each chapter: its codes, and a link to it.
func printContents(page *bytes.Buffer) {
	page.WriteString("\n| Codes | Chapter |\n|---|---|\n")
	for _, s := range Sections() {
		live := answered(s)
		if len(live) == 0 {
			continue
		}
		codes := fmt.Sprint(live[0].Code)
		if last := live[len(live)-1].Code; last != live[0].Code {
			codes = fmt.Sprintf("%s to %d", codes, last)
		}
		anchor := strings.NewReplacer(" ", "-", ":", "").Replace(strings.ToLower(s.Title))
		fmt.Fprintf(page, "| %s | [%s](#%s) |\n", codes, s.Title, anchor)
	}
	page.WriteString("| the others | [Reserved codes](#reserved-codes) |\n")
}

// printReserved prints a row for each reason why codes are never sent.
func printReserved(page *bytes.Buffer) {
	page.WriteString(reservedIntroduction)
	var reasons []string
	codes := make(map[string][]string)
	for _, e := range ordered {
		if e.Reserved == "" {
			continue
		}
		if codes[e.Reserved] == nil {
			reasons = append(reasons, e.Reserved)
		}
		codes[e.Reserved] = append(codes[e.Reserved], fmt.Sprint(e.Code))
	}
	for _, reason := range reasons {
		fmt.Fprintf(page, "| %s | %s |\n", strings.Join(codes[reason], ", "), reason)
	}
}

const introduction = `<!-- Printed from internal/domain/fault. After a change there, run: make docs -->

# Errors

This page answers: what does a code mean, and what can the caller do? A failure carries one entry
for each fault in ` + "`errors`" + `:

` + "```json" + `
{"code": 150303, "message": "Provided values do not match those on file."}
` + "```" + `

` + "`mintmark sandbox trigger 150303`" + ` prints the requests that provoke a code, and with
` + "`--run`" + ` sends them.

- The HTTP status is 400 unless another one stands beside the code.
- A name in braces stands for a value, which the message shows as it was sent. A number that was not
  given is 0, a text that was not given is empty.
- Codes and messages are fixed by the interface; so is the status of codes below 60000.
- [The operations](interface.md#8-operations) name the codes that each of them answers, in the order
  of its checks. [Several codes](interface.md#71-stages) can stand in one answer.
`

const reservedIntroduction = `
## Reserved codes

These codes belong to the interface, and no request provokes them. Their messages are in the list
` + "`x-mintmark-errors`" + ` of [openapi.yaml](../openapi.yaml). A fault rule of a
[sandbox](sandbox.md#errors-on-demand) can answer 50500 and 50502.

| Codes | Why they are not answered |
|---|---|
`
