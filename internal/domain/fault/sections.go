package fault

import "slices"

// Section is a section of the catalogue, as shown in the manual and on the errors page of a server.
type Section struct {
	Title   string
	Remark  string // about all entries; may be empty
	Entries []*Entry
}

// Sections returns the catalogue, divided into sections.
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

// section is a heading of the page. It covers the codes from first up to the next section.
type section struct {
	first  int
	title  string
	remark string // about all entries; may be empty
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
