package sandbox

import "encoding/json"

// Amount is a decimal number as in JSON, such as 12.50, never a binary fraction.
type Amount = json.Number
