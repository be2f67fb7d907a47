// Package problem is how a rule says what is wrong with something an operator wants kept: where in
// it, and what. Reading it, from a file or a request, adds the line.
package problem

import "fmt"

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
