// Package tidy holds tests about the code itself: who imports whom, how long a function may be,
// whether a link in the documents leads anywhere. What a package does is tested beside it; what
// all packages have in common is tested here.
//
// Each check is a function from sources to findings, in a file of its own. One test runs it over
// the tree, another over a small bad example, so that we know the check can fail.
package tidy
