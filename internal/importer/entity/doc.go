// Package entity merges what a row from outside says of a thing with its stored form, whatever the
// form of the row: which stored members a row keeps, what is wrong with the result, which changes are
// destructive, and how a difference is told and kept in the audit. Packages load and feed read the
// rows and write the results.
package entity
