// Package storetest is the test suite that every implementation of the contract of package store
// must pass. It states the contract as tests; the rules of a card are tested in package card.
//
// A kind of record that is stored under a key is an entry in kinds.go, and records.go tests what
// every kind promises: a record is found as it was put, listed in order, unique, replaced only at
// its revision, and rejected if it is impossible. The other files test everything beyond that.
package storetest

import (
	"slices"
	"testing"

	"mintmark/internal/store"
)

var subjects = []struct {
	name  string
	tests []test
}{
	{"Records", recordTests()},
	{"RoundTrip", roundTrips},
	{"Bulk", bulk},
	{"Sentinels", sentinels},
	{"Change", changes},
	{"ReadOnly", readOnly},
	{"CardViews", cardViews},
	{"Issuance", issuance},
	{"Casing", casing},
	{"Order", inOrder},
	{"OrderQueue", orderQueue},
	{"Transactions", transactions},
	{"Contention", contention},
	{"Leases", leases},
	{"Jobs", jobs},
	{"Hourly", hourlyTests},
	{"Agenda", agenda},
	{"Keys", keys},
	{"BankKeys", bankKeys},
	{"Digests", digestTests},
	{"Files", files},
	{"Reports", reports},
	{"Money", moneyTests},
	{"Webhooks", webhooks},
	{"Deliveries", deliveries},
	{"Approvals", approvalTests},
	{"Feeds", feeds},
	{"Reconciliations", reconciliations},
	{"Compromises", compromises},
	{"People", people},
	{"Privacy", privacy},
	{"Log", sealedLog},
	{"Listing", listing},
	{"Trail", trail},
	{"Drafts", drafts},
	{"Snapshots", worldTests},
	{"Constraints", constraints},
	{"Close", closing},
}

// Run runs the suite. Each test gets its own empty store from open, which must also close the store
// when the test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, subject := range subjects {
		run(t, subject.name, subject.tests, open)
	}
}

// RunOnly runs only the named subjects of the suite.
func RunOnly(t *testing.T, names []string, open func(t *testing.T) store.Store) {
	t.Helper()
	names = slices.Clone(names)
	for _, subject := range subjects {
		if at := slices.Index(names, subject.name); at >= 0 {
			names = slices.Delete(names, at, at+1)
			run(t, subject.name, subject.tests, open)
		}
	}
	if len(names) > 0 {
		t.Errorf("the suite has no subjects %q", names)
	}
}

func run(t *testing.T, name string, tests []test, open func(t *testing.T) store.Store) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		for _, row := range tests {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				row.run(t, open(t))
			})
		}
	})
}

// test is one test of the suite, on an empty store.
type test struct {
	name string
	run  func(t *testing.T, s store.Store)
}
