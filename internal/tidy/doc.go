// Package tidy holds tests about the code itself: imports between packages, the length of
// functions, links in the documents. Each package tests its own behaviour; what all packages have
// in common is tested here.
//
// Each check is a function from sources to findings, in a file of its own. One test runs it over
// the tree, another over a small bad example, which shows that the check can fail.
package tidy
