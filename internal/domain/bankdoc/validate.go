package bankdoc

import "mintmark/internal/base/problem"

// Validate returns the problems of a document that an operator wants to store.
func (d Document) Validate() problem.List {
	problems := problem.Check(d)
	if !d.Expires.IsZero() && !d.Expires.After(d.Effective) {
		problems.Add("expireDate", "does not lie behind effectiveDate")
	}
	return problems
}
