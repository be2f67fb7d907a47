package sandbox

import "encoding/json"

// Amount is a decimal number as it stands in JSON, such as 12.50. It is never a binary fraction.
type Amount = json.Number
