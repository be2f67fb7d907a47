// Package importer holds what all readers of rows from outside share, whatever the format of the
// file: reading the rows, writing in chunks between other writers, problems by line, counts, and
// the audit entry of a file. Package entity merges a row with the stored form of its entity.
// Package load reads an operator's YAML file, package feed the rows of a core banking system,
// package moving a program of another installation, and package reconcile lists to compare with the
// store.
package importer
