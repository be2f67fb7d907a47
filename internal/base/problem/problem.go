// Package problem reports what is wrong with a value that an operator wants to store: the member
// and the reason. The reader of a file or a request adds the position in it, such as a line.
//
// It also has the kinds of rule that apply to a single member. The numbers and lists in these rules
// belong to the packages of the values.
package problem

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a value.
type Problem struct {
	Path string // path of a member, such as products[0].name; empty for the whole value
	Text string
}

// List is everything that is wrong with a value.
type List []Problem

// Add adds a problem with a member.
func (l *List) Add(path, format string, args ...any) {
	*l = append(*l, Problem{path, fmt.Sprintf(format, args...)})
}

// Err returns the problems as an *InvalidError, or nil if there are none.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return &InvalidError{l}
}

// InvalidError is the error for a value that an operator wants to store and that has problems.
type InvalidError struct{ Problems List }

// Error lists the problems, one per line.
func (e *InvalidError) Error() string { return e.Problems.String() }

// Without returns the problems except those of a member.
func (l List) Without(path string) List {
	return slices.DeleteFunc(l, func(wrong Problem) bool { return wrong.Path == path })
}

// String lists the problems, one per line, as path: text.
func (l List) String() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.Path + ": " + p.Text
	}
	return strings.Join(lines, "\n")
}

// Join returns the path of a member in the value at a path.
func Join(path, name string) string {
	if path == "" || name == "" || name[0] == '[' {
		return path + name
	}
	return path + "." + name
}
