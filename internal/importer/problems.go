package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	Line int
	Path string // for example programs[0].bins[1].validMonths; empty for the whole line
	Text string
}

// Problems is everything that is wrong with a file, in the order of its lines.
type Problems struct {
	Name string // of the file
	List []Problem
	More int // how many are not listed

	Noted int // how often a problem was noted, repeated ones included
	known map[spot]bool
	paths map[string]bool // of the members that have a problem
}

// spot is where a problem was noted.
type spot struct {
	line int
	path string
}

// maxListed is how many problems are listed. A file of many rows may have the same one in each.
const maxListed = 1000

// NewProblems returns the problems of a file that has none yet.
func NewProblems(name string) *Problems {
	return &Problems{
		Name: name, known: make(map[spot]bool), paths: make(map[string]bool),
	}
}

// Copy returns the same problems, to be added to.
func (p *Problems) Copy() *Problems {
	other := NewProblems(p.Name)
	for _, wrong := range p.List {
		other.Add(wrong.Line, wrong.Path, "%s", wrong.Text)
	}
	return other
}

// Error lists the problems, one a line, as FILE:LINE: what is wrong.
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

// Err returns the problems as an error, or nil when there are none.
func (p *Problems) Err() error {
	if len(p.List) == 0 {
		return nil
	}
	slices.SortStableFunc(p.List, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, strings.Compare(a.Path, b.Path))
	})
	return p
}

// Add notes a problem with a member at a line. A second problem with the same member is left out:
// it mostly follows from the first.
func (p *Problems) Add(line int, path, format string, args ...any) {
	p.Noted++
	if p.known[spot{line, path}] {
		return
	}
	if len(p.List) == maxListed {
		p.More++ // nothing more is remembered: every row of a long file may have a problem
		return
	}
	p.known[spot{line, path}] = true
	p.paths[path] = true
	p.List = append(p.List, Problem{
		Line: line, Path: path, Text: fmt.Sprintf(format, args...),
	})
}

// AddAll notes problems of a line, and reports whether there are none.
func (p *Problems) AddAll(line int, problems problem.List) bool {
	for _, wrong := range problems {
		p.Add(line, wrong.Path, "%s", wrong.Text)
	}
	return len(problems) == 0
}

// Inside reports whether a value around a member has a problem.
func (p *Problems) Inside(path string) bool {
	for i := len(path) - 1; i > 0; i-- {
		if (path[i] == '.' || path[i] == '[') && p.paths[path[:i]] {
			return true
		}
	}
	return false
}
