package console

import "slices"

// table returns the rows. Each noun has a file of its own.
func (c *Console) table() []row {
	return slices.Concat(
		exportRows(), // before the pages of one resource, which take any word behind the list
		c.signInRows(),
		overviewRows(),
		cardRows(),
		customerRows(),
		programRows(), pieceRows(), bankRows(), binRows(), documentRows(), keyRows(),
		bankKeyRows(),
		orderRows(), reconciliationRows(), webhookRows(), eventRows(), auditRows(), peopleRows(),
		approvalRows(),
		c.sandboxRows(),
	)
}
