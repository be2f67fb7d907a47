package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
)

// Problem is a single problem of a file.
type Problem struct {
	Line int
	Path string // such as programs[0].bins[1].validMonths; empty for the whole line
	Text string
}

// Problems lists everything that is wrong with a file, in line order.
type Problems struct {
	Name string // of the file
	List []Problem
	More int // number of problems that are not listed

	Noted int // number of calls of Add, including repeated problems
	known map[spot]bool
	paths map[string]bool // of the members that have a problem
}

// spot is the location of a problem.
type spot struct {
	line int
	path string
}

// maxListed is the maximum number of listed problems. A file of many rows may have the same problem
// in each.
const maxListed = 1000

// NewProblems returns an empty list of problems of a file.
func NewProblems(name string) *Problems {
	return &Problems{
		Name: name, known: make(map[spot]bool), paths: make(map[string]bool),
	}
}

// Copy returns an independent copy.
func (p *Problems) Copy() *Problems {
	other := NewProblems(p.Name)
	for _, wrong := range p.List {
		other.Add(wrong.Line, wrong.Path, "%s", wrong.Text)
	}
	return other
}

// Error lists the problems, one a line, as FILE:LINE: problem.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, wrong := range p.List {
		lines[i] = fmt.Sprintf("%s:%d: ", p.Name, wrong.Line)
		if wrong.Path != "" {
			lines[i] += wrong.Path + ": "
		}
		lines[i] += wrong.Text
	}
	if p.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", p.More))
	}
	return strings.Join(lines, "\n")
}

// Err returns the problems as an error, or nil if there are none.
func (p *Problems) Err() error {
	if len(p.List) == 0 {
		return nil
	}
	slices.SortStableFunc(p.List, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, strings.Compare(a.Path, b.Path))
	})
	return p
}

// Add records a problem with a member on a line. It leaves out a second problem with the same
// member, which usually follows from the first.
func (p *Problems) Add(line int, path, format string, args ...any) {
	p.Noted++
	if p.known[spot{line, path}] {
		return
	}
	if len(p.List) == maxListed {
		p.More++ // do not remember more: every row of a long file may have a problem
		return
	}
	p.known[spot{line, path}] = true
	p.paths[path] = true
	p.List = append(p.List, Problem{
		Line: line, Path: path, Text: fmt.Sprintf(format, args...),
	})
}

// AddAll records problems of a line, and reports whether there are none.
func (p *Problems) AddAll(line int, problems problem.List) bool {
	for _, wrong := range problems {
		p.Add(line, wrong.Path, "%s", wrong.Text)
	}
	return len(problems) == 0
}

// Inside reports whether a value that contains the member has a problem.
func (p *Problems) Inside(path string) bool {
	for i := len(path) - 1; i > 0; i-- {
		if (path[i] == '.' || path[i] == '[') && p.paths[path[:i]] {
			return true
		}
	}
	return false
}
