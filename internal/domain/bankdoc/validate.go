package bankdoc

import "mintmark/internal/base/problem"

// Validate returns what is wrong with a document that an operator wants kept.
func (d Document) Validate() problem.List {
	problems := problem.Check(d)
	if !d.Expires.IsZero() && !d.Expires.After(d.Effective) {
		problems.Add("expireDate", "does not lie behind effectiveDate")
	}
	return problems
}
