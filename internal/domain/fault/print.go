package fault

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Manual prints the catalogue as the page docs/errors.md: a table for each chapter, and the
// reserved codes at the end. A sentence that stands in an earlier row is not printed again.
func Manual() []byte {
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

// answered returns the entries of a chapter that the service answers.
func answered(s Section) []*Entry {
	return slices.DeleteFunc(slices.Clone(s.Entries),
		func(e *Entry) bool { return e.Reserved != "" })
}

// codeCell shows a code, and its HTTP status unless that is 400. The first row of a code has its
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

// defaultHTTP is the status of most faults. The page names the others.
const defaultHTTP = 400

// oncePrinted returns a text, or a reference to the row that has it already.
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

// printReserved prints a row for each reason why codes are never answered.
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

// Section is a chapter of the catalogue, as the manual and the errors page of a server show it.
type Section struct {
	Title   string
	Remark  string // about all the rows; may be empty
	Entries []*Entry
}

// Sections returns the catalogue in chapters.
func Sections() []Section {
	entries := Entries()
	all := make([]Section, len(sections))
	for i, s := range sections {
		end := len(entries)
		if i+1 < len(sections) {
			next := sections[i+1].first
			end = slices.IndexFunc(entries, func(e *Entry) bool { return e.Code >= next })
		}
		all[i] = Section{s.title, s.remark, entries[:end]}
		entries = entries[end:]
	}
	return all
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

// section is a heading of the page. It covers the codes from first up to the next section.
type section struct {
	first  int
	title  string
	remark string // about all the rows; may be empty
}

var sections = []section{
	{50400, "Transport and credentials", ""},
	{50900, "BINs and encryption keys", ""},
	{52900, "Failures inside", ""},
	{59000, "Program configuration", ""},
	{59900, "Request bodies", "A body is read from left to right, and only its first fault is " +
		"reported. Lines count from 1; line 0 means that the very first character is wrong."},
	{60000, "Customers", "Every card operation checks its customer, reads included, in the " +
		"order 60001, 60002, 60005, 60004, 60003. The first that applies is reported."},
	{68000, "Bank documents", ""},
	{150200, "Cards: creation", ""},
	{150300, "Cards: verification", ""},
	{150400, "Cards: lock and hotlist", ""},
	{150500, "Cards: unlock", ""},
	{150600, "Cards: adding an account", ""},
	{150700, "Cards: removing an account", ""},
	{150800, "Cards: hotlist reasons and account priorities", "The interface gives 150801 two " +
		"meanings; the message tells them apart."},
	{150900, "Cards: PIN reset", "A newPin that creation or reissue refuses is 59956."},
	{153000, "Cards: reissue", ""},
	{153100, "Cards: archiving", ""},
	{154000, "Cards: reading", ""},
}
