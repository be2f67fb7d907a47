// Package entity merges a row from outside with the stored form of its entity, whatever the format
// of the row: which stored members survive, which problems the result has, which changes are
// destructive, and how a difference is shown and audited. Packages load and feed read the rows and
// write the results.
package entity
