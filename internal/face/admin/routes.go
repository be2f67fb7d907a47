package admin

// Table returns the operations of the interface in their order.
func Table() []*Op { return (&Face{}).table() }

// table returns the operations of all resources.
func (f *Face) table() []*Op {
	var all []*Op
	for _, r := range f.resources() {
		all = append(all, r.Ops()...)
	}
	return all
}

// resources returns what operators work on. Each has a file of its own.
func (f *Face) resources() []*Resource {
	return []*Resource{
		f.me(),
		f.banks(), f.encryptionKeys(), f.bankKeys(),
		f.programs(), f.bins(), f.products(), f.programAccounts(), f.externalAccounts(), f.keys(),
		f.webhooks(), f.deliveries(), f.replays(), f.events(), f.jobs(), f.overview(),
		f.cards(), f.customers(), f.accounts(), f.access(),
		f.feed(), f.feeds(), f.comparison(), f.reconciliations(), f.orders(),
		f.operators(), f.personTokens(), f.approvals(), f.audit(), f.documents(),
	}
}
