package fault

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Sources add to the manual what the rows do not hold. The page omits what a nil function would
// add.
type Sources struct {
	Operations func(Kind) []string // that answer it
	Cases      func(Kind) []string // end-to-end tests that provoke it
}

// Manual prints the catalogue as the page docs/errors.md.
func Manual(sources Sources) []byte {
	var page bytes.Buffer
	page.WriteString(introduction)
	printIndex(&page)
	for _, s := range Sections() {
		fmt.Fprintf(&page, "\n## %s\n", s.Title)
		if s.Remark != "" {
			fmt.Fprintf(&page, "\n%s\n", s.Remark)
		}
		for _, e := range s.Entries {
			printEntry(&page, e, sources)
		}
	}
	return page.Bytes()
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

const introduction = `# Errors

This page is printed from the catalogue in ` + "`internal/domain/fault`" + `, the route table and the
cases of ` + "`internal/cli/ledger`" + ` and ` + "`e2e/ledger`" + `. After a change there, run
` + "`make docs`" + `.

Every answer is an envelope, and its ` + "`errors`" + ` array holds one entry for each fault:

` + "```json" + `
{"code": 150303, "message": "Provided values do not match those on file."}
` + "```" + `

- A name in braces stands for a value that the service fills in. What the caller sent stands there
  as it was sent; a number that was not given is 0, and a text that was not given is empty.
- The HTTP status stands beside the code. Codes of 60000 and above are always HTTP 400.
- An operation makes its checks in stages. Several faults of one stage are all reported, in the
  order of the checks; the first stage that finds a fault ends the request. Faults that are
  reported together are all HTTP 400.
- The codes, the messages and the statuses below 60000 are fixed by the interface. The layout of
  the entry, the status of the other codes, the stages and the limits and conditions that the
  explanations name beyond the interface are this implementation's choice.
- A fault marked as transient may be gone when the same request comes again. An answer with it is
  not kept under an ` + "`Idempotency-Key`" + `; every other answer is.
- A code marked as reserved belongs to the interface, and no request is known to provoke it. 50500
  answers a mistake of the program. A fault rule of a sandbox answers some of these codes on demand.
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

// printIndex prints one line per row, to find a row by its code.
func printIndex(page *bytes.Buffer) {
	page.WriteString("\n## Index\n\n| Code | HTTP | Message |\n|---|---|---|\n")
	for _, e := range Entries() {
		mark := ""
		if e.Reserved != "" {
			mark = " (reserved)"
		}
		fmt.Fprintf(page, "| [%[1]d](#%[1]d) | %d | `%s`%s |\n", e.Code, e.HTTP, e.Message, mark)
	}
}

// printEntry prints the manual's entry of one row.
func printEntry(page *bytes.Buffer, e *Entry, sources Sources) {
	fmt.Fprintf(page, "\n### %d\n\nHTTP %d: `%s`\n\n%s\n", e.Code, e.HTTP, e.Message, e.Meaning)
	fmt.Fprintf(page, "\nCure: %s\n", e.Cure)
	if e.Transient {
		page.WriteString("\nTransient: not kept under an Idempotency-Key.\n")
	}
	if e.Reserved != "" {
		fmt.Fprintf(page, "\nReserved: %s\n", e.Reserved)
	}
	printNames(page, "Answered by", e.Kind, sources.Operations)
	printNames(page, "Tested by", e.Kind, sources.Cases)
}

func printNames(page *bytes.Buffer, title string, kind Kind, source func(Kind) []string) {
	if source == nil {
		return
	}
	if names := source(kind); len(names) > 0 {
		fmt.Fprintf(page, "\n%s: %s\n", title, strings.Join(names, "; "))
	}
}
