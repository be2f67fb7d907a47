package admin

// resources returns the resources of the interface.
func (d *Desk) resources() []*Resource {
	all := []*Resource{
		d.me(),
		d.banks(), d.encryptionKeys(), d.bankKeys(),
		d.programs(), d.bins(), d.products(), d.programAccounts(), d.externalAccounts(), d.keys(),
		d.webhooks(), d.deliveries(), d.replays(), d.events(), d.jobs(), d.overview(), d.charts(),
		d.search(), d.cards(), d.customers(), d.accounts(), d.access(), d.authorizations(), d.holds(),
		d.feed(), d.feeds(), d.cardImports(), d.compromised(), d.compromises(),
		d.reconciliationRun(), d.reconciliations(), d.orders(),
		d.operators(), d.personTokens(), d.approvals(), d.audit(), d.documents(),
	}
	for _, r := range all {
		r.complete()
	}
	return all
}
