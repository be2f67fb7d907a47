// Package tidy contains the checks that no linter has: links and citations in documents, the
// arguments of faults, names, the list of dependencies, the place of every table. Each package
// tests its own behaviour; .golangci.yml has the rules about code.
//
// Each check is a function from sources to findings, in a separate file. One test runs it on the
// repository, and another on a small bad example, which shows that the check can fail.
package tidy
