package feed

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// eraseFed erases the customer of the example rows and its account, as the act does.
func eraseFed(t *testing.T, kept store.Store) {
	t.Helper()
	update(t, kept, func(tx store.Tx) error {
		people, err := tx.Customers().FindMany([]int{7100})
		byID, err2 := tx.Accounts().FindMany([]int{7200})
		return errors.Join(err, err2, tx.Customers().Put(people[7100].Erased()),
			tx.Accounts().Put(byID[7200].WithoutPeople()))
	})
}

// storedExample returns the stored customer and account of the example rows.
func storedExample(t *testing.T, kept store.Store) (c customer.Customer, a customer.Account) {
	t.Helper()
	view(t, kept, func(r store.Tx) error {
		people, err := r.Customers().FindMany([]int{7100})
		byID, err2 := r.Accounts().FindMany([]int{7200})
		c, a = people[7100], byID[7200]
		return errors.Join(err, err2)
	})
	return c, a
}

// sequence returns a file of rows with a sequence number.
func sequence(number int, rows ...string) string {
	return strings.Replace(head1, `nce":1`, fmt.Sprint(`nce":`, number), 1) + strings.Join(rows, "")
}

// TestErasedStaysErased has the core send a customer again who was erased. The file is applied,
// except for its data about the person, and the report says so; balances are still updated, and the
// account can be closed.
func TestErasedStaysErased(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, kept store.Store) {
		mustRun(t, kept, sequence(1, newCustomer, newAccount, newAccess))
		eraseFed(t, kept)
		nightly := strings.Replace(newAccount, "12.50", "0", 1)
		others := put("customer", `"customerId":1001,"isLocked":true`)

		var told []string
		_, err := run(t, kept, sequence(2, newCustomer, nightly, newAccess), Options{
			DryRun: true, Tell: func(c Change) { told = append(told, c.String()) },
		})
		const want = "customers 7100: erased here, left out; accounts 7200: erased here, left " +
			"out; accounts 7200: accountBalance: 12.5 → 0"
		if err != nil || !strings.HasPrefix(strings.Join(told, "; "), want) {
			t.Errorf("the dry run tells %q, %v", told, err)
		}
		report := mustRun(t, kept, sequence(2, newCustomer, nightly, newAccess, others))
		tally := importer.Tally{Changed: 1, Unchanged: 1}
		if report.Erased != 2 || *report.Counts.Of(customers) != tally ||
			!strings.Contains(strings.Join(report.Lines(), "\n"), "erased    2 rows") {
			t.Errorf("the report is %q", report.Lines())
		}
		filed := entries(t, kept, audit.Subject{Kind: audit.LoadedFile, ID: report.Digest})
		if len(filed) != 1 ||
			!strings.HasSuffix(filed[0].Outcome, ", 2 of erased customers left out") {
			t.Errorf("the audit has %+v", filed)
		}
		if c, a := storedExample(t, kept); !c.IsErased() || !a.IsErased() || a.Balance.TenThousandths != 0 {
			t.Errorf("stored are %+v, %+v", c, a)
		}

		// A partial row is no problem either, nor is an account that the core opens or closes.
		report = mustRun(t, kept, sequence(3,
			put("customer", `"customerId":7100,"homePhone":"+1 555 0198"`),
			strings.Replace(newAccount, "7200", "7201", 1),
			remove("account", `"accountId":7200`)))
		if report.Erased != 2 || report.Counts.Of(accounts).Added != 1 {
			t.Errorf("the report is %q", report.Lines())
		}
		report = mustRun(t, kept, sequence(4,
			put("customer", `"customerId":7100,"status":"Archived"`),
			put("account", `"accountId":7201,"accountBalance":1`)))
		c, a := storedExample(t, kept)
		if report.Erased != 0 || c.Status != customer.Archived || !c.IsErased() || !a.IsErased() ||
			a.Status != customer.Closed {
			t.Errorf("%q: stored are %+v, %+v", report.Lines(), c, a)
		}
		if report := mustRun(t, kept, exported(t, kept)); report.Counts.Differs() ||
			report.Erased != 0 {
			t.Errorf("an export that is fed back: %q", report.Lines())
		}
	})
}

// TestErasedIsAccepted has an operator accept the return of a person, for one file.
func TestErasedIsAccepted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, kept store.Store) {
		mustRun(t, kept, sequence(1, newCustomer, newAccount, newAccess))
		eraseFed(t, kept)
		accept := Options{Accept: []string{entity.CustomerErased}}
		half := sequence(2, put("customer", `"customerId":7100,"homePhone":"+1 555 0198"`))
		if _, err := run(t, kept, half, accept); err == nil ||
			!strings.Contains(err.Error(), ":2: birthDate: a value is required") {
			t.Errorf("half of a person: %v", err)
		}
		report, err := run(t, kept, sequence(2, newCustomer, newAccount), accept)
		if err != nil {
			t.Fatal(err)
		}
		if c, a := storedExample(t, kept); c.LastName != "Hopper" || a.Name != "Main" || report.Erased != 0 {
			t.Errorf("stored are %+v, %+v", c, a)
		}
	})
}
