// Package problem reports what is wrong with a value that an operator wants stored: the member and
// the reason. The reader of a file or of a request adds the place in that, such as a line.
//
// It also holds the kinds of rule that a single member can have. Their numbers and lists belong to
// the packages of the values.
package problem

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a value.
type Problem struct {
	Path string // of a member, such as products[0].name; empty for the whole
	Text string
}

// List is everything that is wrong with a value.
type List []Problem

// Add notes a problem with a member.
func (l *List) Add(path, format string, args ...any) {
	*l = append(*l, Problem{path, fmt.Sprintf(format, args...)})
}

// Err returns the problems as an *InvalidError, and nil for none.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return &InvalidError{l}
}

// InvalidError is what is wrong with a value that an operator wants stored.
type InvalidError struct{ Problems List }

// Error lists the problems, one a line.
func (e *InvalidError) Error() string { return e.Problems.String() }

// Without returns the problems but those of a member.
func (l List) Without(path string) List {
	return slices.DeleteFunc(l, func(wrong Problem) bool { return wrong.Path == path })
}

// String lists the problems, one a line, as path: what is wrong.
func (l List) String() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.Path + ": " + p.Text
	}
	return strings.Join(lines, "\n")
}

// Join returns the path of a member inside the value at a path.
func Join(path, name string) string {
	if path == "" || name == "" || name[0] == '[' {
		return path + name
	}
	return path + "." + name
}
