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
		all,
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
		f.me(),
		f.banks(), f.encryptionKeys(), f.bankKeys(),
		f.programs(), f.bins(), f.products(), f.programAccounts(), f.externalAccounts(), f.keys(),
		f.webhooks(), f.deliveries(), f.replays(), f.events(), f.jobs(), f.overview(),
	}
}
