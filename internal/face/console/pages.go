package console

import "slices"

// table returns all rows. Those written by hand are in the file of their noun; the others are
// derived from the descriptions of resources.
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
	// These come first: the page of one item matches any word after the path of its list.
	return slices.Concat(exportRows(), manyRows(), resourceRows(byHand), byHand)
}
