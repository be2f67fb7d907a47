package console

import "slices"

// table returns the rows. Those of a noun that are written by hand stand in its file; the others
// follow from the description of its resource.
func (c *Console) table() []row {
	byHand := slices.Concat(
		c.signInRows(),
		overviewRows(),
		c.searchRows(),
		cardRows(),
		customerRows(),
		programRows(), bankRows(), documentRows(),
		bankKeyRows(),
		orderRows(), reconciliationRows(), webhookRows(), jobRows(), auditRows(),
		approvalRows(),
		c.sandboxRows(),
	)
	// The exports come first: the page of a single one takes any word behind the list.
	return slices.Concat(exportRows(), resourceRows(byHand), byHand)
}
