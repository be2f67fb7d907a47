package feed

import _ "embed"

// Example is a file with one row of each kind, for the help of the command and for docs/data.md.
//
//go:embed example.ndjson
var Example string

// CardsExample is a file with one card, for the help of the command and for docs/moving.md.
//
//go:embed cards.ndjson
var CardsExample string
