package feed

import _ "embed"

// Example is a file with a row of each kind, for the help of the command and for docs/data.md.
//
//go:embed example.ndjson
var Example string
