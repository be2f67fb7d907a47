package console

import "slices"

// table returns the rows. Those of a noun that are written by hand stand in its file; the others
// follow from the description of its resource.
func (c *Console) table() []row {
	byHand := slices.Concat(
		c.signInRows(),
		overviewRows(), activityRows(),
		c.searchRows(),
		cardRows(),
		authorizationRows(),
		customerRows(),
		programRows(), bankRows(), documentRows(),
		bankKeyRows(),
		orderRows(), compromiseRows(), reconciliationRows(), webhookRows(), keyRows(), auditRows(),
		approvalRows(),
		c.sandboxRows(),
	)
	// These come first: the page of a single one takes any word behind the list.
	return slices.Concat(exportRows(), manyRows(), resourceRows(byHand), byHand)
}
