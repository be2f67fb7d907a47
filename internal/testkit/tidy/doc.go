// Package tidy holds tests about what no linter knows: links and citations in documents, the
// arguments of faults, names, the list of dependencies, the place of every table. Each package
// tests its own behaviour; .golangci.yml has the rules about code.
//
// Each check is a function from sources to findings, in a file of its own. One test runs it over
// the tree, another over a small bad example, which shows that the check can fail.
package tidy
