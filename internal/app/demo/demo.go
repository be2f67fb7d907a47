// Package demo holds the data that the sandbox starts with: four programs, and in the first of
// them a customer, an account or a card for every case that a calling program may want to try.
// How the file is read and written into a store belongs to package load.
//
// demo.yaml is also the worked example for operators. The PDF forms of its documents are made
// from the HTML forms by "go test ./internal/app/demo -update".
package demo

import (
	"embed"

	"mintmark/internal/importer/load"
)

//go:embed demo.yaml documents
var files embed.FS

// Read returns the demo data, ready to be written into a store.
func Read() (*load.Data, error) { return load.Read(files, "demo.yaml") }
