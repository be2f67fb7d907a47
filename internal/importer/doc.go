// Package importer holds what the readers of rows from outside have in common, whatever the form of
// the file: the rows of a file, chunks between other writers, problems by line, counts, and the entry
// of a file in the audit. Package entity merges what a row says of a thing with its stored form.
// Package load reads an operator's YAML file, package feed the rows of a core banking system, package
// moving a program of another installation, and package reconcile lists to compare with.
package importer
