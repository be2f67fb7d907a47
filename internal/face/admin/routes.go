package admin

import "slices"

// Table returns the operations of the interface in their order.
func Table() []*Op { return (&Face{}).table() }

// table returns the operations. Each resource has a file of its own.
func (f *Face) table() []*Op {
	var all []*Op
	for _, r := range f.resources() {
		all = append(all, r.Ops()...)
	}
	return slices.Concat(
		f.meRoutes(),
		all,
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

// resources returns what operators work on.
func (f *Face) resources() []*Resource {
	return []*Resource{
		f.banks(), f.encryptionKeys(), f.bankKeys(),
		f.programs(), f.bins(), f.products(), f.programAccounts(), f.externalAccounts(), f.keys(),
	}
}
