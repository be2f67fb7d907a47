package admin

import "slices"

// table returns the routes. Each resource has a file of its own.
func (f *Face) table() []route {
	return slices.Concat(
		f.meRoutes(),
		f.bankRoutes(), f.bankKeyRoutes(),
		f.programRoutes(), f.binRoutes(), f.partRoutes(), f.keyRoutes(),
		f.webhookRoutes(), f.eventRoutes(),
		f.overviewRoutes(),
		f.cardRoutes(),
		f.customerRoutes(),
		f.feedRoutes(), f.reconciliationRoutes(),
		f.orderRoutes(),
		f.operatorRoutes(),
		f.tokenRoutes(),
		f.approvalRoutes(),
		f.auditRoutes(),
		f.documentRoutes(),
	)
}
