// Package demo has the data that the sandbox starts with: four programs, and in the first of them a
// customer, an account or a card for every case that a calling program may want to try. Package
// load owns how the file is read and written to a store.
//
// demo.yaml is also the worked example for operators. The PDF forms of its documents are generated
// from the HTML forms with "go test ./internal/app/demo -update".
package demo

import (
	"embed"

	"mintmark/internal/importer/load"
)

//go:embed demo.yaml documents
var files embed.FS

// Read returns the demo data, ready to be written to a store.
func Read() (*load.Data, error) { return load.Read(files, "demo.yaml") }
