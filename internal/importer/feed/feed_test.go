package feed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// TestExportFedBack checks that an export changes nothing in its own installation, and creates the
// same rows in an installation with the same set-up.
func TestExportFedBack(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	update(t, kept, func(tx store.Tx) error { // holds come and go without the core
		byID, err := tx.Accounts().FindMany([]int{2001})
		a := byID[2001]
		a.Held.TenThousandths += 50000
		a.AvailableBalance.TenThousandths -= 50000
		return errors.Join(err, tx.Accounts().Put(a))
	})
	before := rows(t, kept)
	report := mustRun(t, kept, exported(t, kept))
	for list, tally := range report.Counts {
		if tally.Added+tally.Changed > 0 || tally.Unchanged == 0 {
			t.Errorf("%s: %+v", list, *tally)
		}
	}
	if report.Differs() || !report.Totals.Compared {
		t.Errorf("totals: %q", report.Lines())
	}
	if diff := cmp.Diff(before, rows(t, kept)); diff != "" {
		t.Error(diff)
	}
	other := newSetUp(t, kept)
	report = mustRun(t, other, head1+before)
	if len(report.Counts) != 3 || report.Counts.Of(accounts).Unchanged > 0 || report.Differs() {
		t.Errorf("an empty program: %q", report.Lines())
	}
	if diff := cmp.Diff(before, rows(t, other)); diff != "" {
		t.Error(diff)
	}
}

// TestAnyRowsFedBack is TestExportFedBack with generated customers, accounts and balances.
func TestAnyRowsFedBack(t *testing.T) {
	t.Parallel()
	like := newDemo(t)
	rapid.Check(t, func(rt *rapid.T) {
		kept := newSetUp(t, like)
		text := rapid.StringMatching(`[A-Za-zÄß<>&"\\ ]{0,8}[A-Za-z]`)
		amount := rapid.Int64Range(-1e9, 1e9)
		update(t, kept, func(tx store.Tx) error {
			c := customer.Customer{
				Standing: customer.Standing{
					ID: 1, ProgramID: 1, IsActive: rapid.Bool().Draw(rt, "active"),
					Status:     rapid.SampledFrom(customer.Statuses).Draw(rt, "status"),
					AccessType: rapid.SampledFrom(customer.AccessTypes).Draw(rt, "access"),
					Birth:      time.Date(1980, 2, 29, 0, 0, 0, 0, time.UTC),
				},
				FirstName: text.Draw(rt, "first"), LastName: text.Draw(rt, "last"),
			}
			if rapid.Bool().Draw(rt, "has address") {
				c.Residence = customer.Address{
					Line1: text.Draw(rt, "line"), Line2: text.Draw(rt, "second"),
					City: text.Draw(rt, "city"), PostalCode: "1", Country: "US",
				}
			}
			sum := func(name string) value.Amount {
				return value.Amount{TenThousandths: amount.Draw(rt, name) * 100}
			}
			return errors.Join(tx.Customers().Put(c), tx.Accounts().Put(customer.Account{
				ID: 2, ProgramID: 1, CustomerID: 1, Name: text.Draw(rt, "name"),
				Type:         rapid.SampledFrom(customer.AccountTypes).Draw(rt, "type"),
				Status:       rapid.SampledFrom(customer.AccountStatuses).Draw(rt, "state"),
				NumberMasked: "****1234", Balance: sum("balance"),
				AvailableBalance: sum("available"), PendingBalance: sum("pending"),
				Held:            sum("held"),
				BalanceModified: tx.Now(), Modified: tx.Now(),
			}), tx.Access().Put(customer.Access{CustomerID: 1, AccountID: 2, Type: "RDONLY"}))
		})
		before := rows(t, kept)
		report := mustRun(t, kept, exported(t, kept))
		if report.Counts.Differs() || report.Differs() {
			rt.Errorf("%s: %q", before, report.Lines())
		}
		other := newSetUp(t, like)
		mustRun(t, other, head1+before)
		if after := rows(t, other); after != before {
			rt.Errorf("fed %s\nkept %s", before, after)
		}
	})
}

// TestPatch checks that an omitted member is unchanged, that null removes it, and the audit
// entries.
func TestPatch(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	mustRun(t, kept, head1+newCustomer+newAccount+newAccess)
	report := mustRun(t, kept, `{"source":"core","programId":1,"sequence":2}
`+put("customer", `"customerId":7100,"isLocked":true,"mobilePhone":null,`+
		`"homePhone":"+1 555 0198","mailing":{"city":"Shelbyville","line2":"c/o"}`)+
		`{"kind":"account","op":"put","accountId":7200,"accountBalance":20,"tag":"t"}
{"kind":"balance","op":"put","accountId":2001,"accountBalance":1000.5,"pendingBalance":null}
{"kind":"access","op":"put","customerId":7100,"accountId":7200,"access":"RDONLY"}
{"kind":"access","op":"put","customerId":7100,"accountId":2001,"access":"FULL"}`)
	if got, want := report.Counts.Short(Lists), "customers +0 ~1 =0, accounts +0 ~1 =0, "+
		"access +1 ~1 =0, balances +0 ~1 =0"; got != want {
		t.Errorf("counts %s, want %s", got, want)
	}
	view(t, kept, func(r store.Tx) error {
		people, err := r.Customers().FindMany([]int{7100})
		c := people[7100]
		if !c.IsLocked || c.MobilePhone != "" || c.HomePhone == "" || c.FirstName != "Grace" ||
			c.Mailing.City != "Shelbyville" || c.Mailing.Line1 != "1 Main Street" ||
			c.Mailing.Line2 != "c/o" || c.Revision != 2 {
			t.Errorf("the customer is %+v", c)
		}
		byID, err2 := r.Accounts().FindMany([]int{7200, 2001})
		a, b := byID[7200], byID[2001]
		if a.Balance.TenThousandths != 200000 || a.AvailableBalance.TenThousandths != 200000 ||
			a.Tag != "t" || a.Name != "Main" || a.NumberMasked != "********7200" {
			t.Errorf("the account is %+v", a)
		}
		if b.Balance.TenThousandths != 10005000 || b.AvailableBalance.TenThousandths != 10005000 ||
			b.PendingBalance.TenThousandths != 0 || b.Name != "Checking 1" {
			t.Errorf("the other account is %+v", b)
		}
		return errors.Join(err, err2)
	})
	changed := entries(t, kept, audit.Of(audit.Customer, 7100))
	if len(changed) != 1 || changed[0].Name != "alice" || changed[0].Act != "feed" ||
		!strings.Contains(changed[0].After, `"isLocked":true`) ||
		!strings.Contains(changed[0].After, `"mailing":"***"`) ||
		strings.Contains(changed[0].Before+changed[0].After, "555") {
		t.Errorf("the audit has %+v", changed)
	}
	filed := entries(t, kept, audit.Subject{Kind: audit.LoadedFile, ID: report.Digest})
	if len(filed) != 1 || filed[0].Outcome != "core.ndjson sha256:"+report.Digest+
		" core 2, "+report.Counts.Short(Lists) {
		t.Errorf("the audit has %+v", filed)
	}
}

// entries returns the audit entries about a subject.
func entries(t *testing.T, kept store.Store, of audit.Subject) []audit.Entry {
	t.Helper()
	var list []audit.Entry
	view(t, kept, func(r store.Tx) error {
		all, err := r.Trail().List(store.TrailQuery{Subject: of, Programs: []int{1}, Limit: 50})
		for _, e := range all {
			list = append(list, e.Entry)
		}
		return err
	})
	return list
}

// TestAccepted checks that a destructive change accepted by name is applied.
func TestAccepted(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	_, err := run(t, kept, head1+put("account", `"accountId":2001,"customerId":1002`)+
		put("account", `"accountId":2002,"type":"Savings"`),
		Options{Accept: []string{entity.AccountMoved, entity.AccountType}})
	if err != nil {
		t.Fatal(err)
	}
	view(t, kept, func(r store.Tx) error {
		byID, err := r.Accounts().FindMany([]int{2001, 2002})
		if byID[2001].CustomerID != 1002 || byID[2002].Type != customer.Savings {
			t.Errorf("the accounts are %+v", byID)
		}
		return err
	})
}

// TestDelete deactivates an access, an account and a customer, in the order in which that is
// possible.
func TestDelete(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	mustRun(t, kept, head1+newCustomer+newAccount+newAccess)
	second := `{"source":"core","programId":1,"sequence":2}` + "\n"
	account := remove("account", `"accountId":7200`)
	customerRow := remove("customer", `"customerId":7100`)
	for _, text := range []string{customerRow, account, customerRow + account} {
		if _, err := run(t, kept, second+text, Options{}); err == nil {
			t.Errorf("%s is not refused", text)
		}
	}
	report := mustRun(t, kept, second+put("balance", `"accountId":7200,"accountBalance":0`)+
		remove("access", `"customerId":7100,"accountId":7200`)+
		remove("access", `"customerId":7100,"accountId":2001`)+account+customerRow)
	if got, want := report.Counts.Short(Lists), "customers +0 ~1 =0, accounts +0 ~1 =0, "+
		"access +0 ~1 =1, balances +0 ~1 =0"; got != want {
		t.Errorf("counts %s, want %s", got, want)
	}
	view(t, kept, func(r store.Tx) error {
		people, err := r.Customers().FindMany([]int{7100})
		byID, err2 := r.Accounts().FindMany([]int{7200})
		left, err3 := r.Access().List([]int{7100})
		if people[7100].Status != customer.Archived || byID[7200].Status != customer.Closed ||
			len(left) != 0 {
			t.Errorf("%+v, %+v, %+v", people, byID, left)
		}
		return errors.Join(err, err2, err3)
	})
	third := strings.Replace(second, `"sequence":2`, `"sequence":3`, 1)
	again := mustRun(t, kept, third+account+customerRow)
	if again.Counts.Differs() {
		t.Errorf("deleted again: %q", again.Lines())
	}
}

// TestSourcesInAnyCase checks that source names ignore letter case, except for those that an
// earlier version distinguished.
func TestSourcesInAnyCase(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	mustRun(t, kept, head1+newCustomer)
	file := func(source string, sequence int) string {
		return fmt.Sprintf(`{"source":%q,"programId":1,"sequence":%d}`+"\n", source, sequence)
	}
	var gap *SequenceError
	if _, err := run(t, kept, file("Core", 1)+newAccount, Options{}); !errors.As(err, &gap) ||
		gap.Expected != 2 {
		t.Errorf("the first file of another spelling: %v", err)
	}
	mustRun(t, kept, file("CORE", 2)+newAccount)
	mustRun(t, kept, file("Other", 1))
	for _, source := range []string{"WAS", "was"} {
		update(t, kept, func(tx store.Tx) error {
			return tx.Feeds().Put(store.Feed{ProgramID: 1, Source: source, Sequence: len(source)})
		})
	}
	mustRun(t, kept, file("was", 4))
	var names []string
	view(t, kept, func(r store.Tx) error {
		all, err := r.Feeds().List(1)
		for _, feed := range all {
			names = append(names, fmt.Sprint(feed.Source, feed.Sequence))
		}
		return err
	})
	if want := []string{"Other1", "WAS3", "core2", "was4"}; !slices.Equal(names, want) {
		t.Errorf("the sources are %v, want %v", names, want)
	}
}

// TestSequence checks that the files of a source are applied in order, once.
func TestSequence(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	file := func(sequence, balance int) string {
		return fmt.Sprintf(`{"source":"core","programId":1,"sequence":%d}`+"\n"+
			`{"kind":"balance","op":"put","accountId":2001,"accountBalance":%d}`,
			sequence, balance)
	}
	for _, step := range []struct {
		sequence, balance int
		expected          int // 0 for none
		repeated          bool
	}{
		{2, 1, 1, false}, {1, 1, 0, false}, {1, 1, 0, true}, {1, 2, 2, false}, {3, 3, 2, false},
		{2, 2, 0, false}, {1, 1, 3, false}, {2, 2, 0, true},
	} {
		report, err := run(t, kept, file(step.sequence, step.balance), Options{})
		var refused *SequenceError
		if errors.As(err, &refused) != (step.expected != 0) ||
			refused != nil && refused.Expected != step.expected {
			t.Errorf("%+v: %v", step, err)
		}
		if refused == nil && (err != nil || report.Repeated != step.repeated ||
			*report.Counts.Of(balances) != importer.Tally{Changed: 1}) {
			t.Errorf("%+v: %+v, %v", step, report, err)
		}
	}
	other := strings.Replace(file(1, 5), "core", "cards", 1)
	if _, err := run(t, kept, other, Options{}); err != nil {
		t.Errorf("another source: %v", err)
	}
}

// TestFileThatGrows checks that a file that is written to during the check is rejected, and can be
// fed when it is complete.
func TestFileThatGrows(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	name := filepath.Join(t.TempDir(), "core.ndjson")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const half = `{"source":"core","programId":1,"sequence":1}
{"kind":"balance","op":"put","accountId":2001,"accountBalance":1}
`
	const whole = half + `{"kind":"balance","op":"put","accountId":2002,"accountBalance":1}
`
	write(half)
	for _, want := range []string{"core.ndjson has changed since it was opened", ""} {
		file, err := importer.OpenRows(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if want != "" {
			write(whole)
		}
		report, err := Run(t.Context(), kept, file, Options{Actor: alice})
		if want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) ||
			want == "" && (err != nil || report.Counts.Of(balances).Changed != 2) {
			t.Errorf("want %q, got %+v, %v", want, report, err)
		}
	}
}

// TestTotals compares the totals of a file with the stored ones, and reports them again.
func TestTotals(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	var here customer.AccountTotals
	view(t, kept, func(r store.Tx) error {
		var err error
		here, err = r.Feeds().Count(1)
		return err
	})
	text := func(accounts int, balance int64) string {
		return head1 + newCustomer + newAccount + fmt.Sprintf(
			`{"totals":{"accounts":%d,"balance":%s}}`, accounts, amountOf(balance))
	}
	wrong := text(here.Accounts, here.Balance)
	for _, dry := range []bool{true, false, false} {
		report, err := run(t, kept, wrong, Options{DryRun: dry, Tell: func(Change) {}})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			fmt.Sprintf("totals: accounts %d here, %d in the core", here.Accounts+1, here.Accounts),
			fmt.Sprintf("totals: balance %s here, %s in the core", amountOf(here.Balance+125000),
				amountOf(here.Balance)),
		}
		got := report.Lines()
		if diff := cmp.Diff(want, got[len(got)-2:]); diff != "" || !report.Differs() {
			t.Errorf("dry run %v: %s", dry, diff)
		}
	}
	second := strings.Replace(text(here.Accounts+1, here.Balance+125000), `nce":1}`, `nce":2}`, 1)
	if report := mustRun(t, kept, second); report.Differs() || report.Counts.Differs() {
		t.Errorf("the right totals: %q", report.Lines())
	}
}

// TestDryRun reports each change and applies none.
func TestDryRun(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	before := rows(t, kept)
	var told []string
	_, err := run(t, kept, head1+newCustomer+newAccount+
		put("balance", `"accountId":7200,"accountBalance":3`)+
		put("customer", `"customerId":1001,"isLocked":true,"homePhone":"+1 555 0111"`),
		Options{DryRun: true, Tell: func(c Change) { told = append(told, c.String()) }})
	want := []string{
		"customers 7100: added", "accounts 7200: added",
		"balances 7200: accountBalance: 12.5 → 3", "balances 7200: availableBalance: 12.5 → 3",
		"customers 1001: isLocked: false → true",
		"customers 1001: homePhone: 212-555-0199 → +1 555 0111",
	}
	if diff := cmp.Diff(want, told); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if diff := cmp.Diff(before, rows(t, kept)); diff != "" {
		t.Error(diff)
	}
	mustRun(t, kept, head1) // the sequence was not used
}

// many returns rows of count customers, each with an account and the access to it.
func many(count int) string {
	var text strings.Builder
	text.WriteString(head1)
	for i := range count {
		text.WriteString(strings.NewReplacer("7100", fmt.Sprint(10000+i), "\"accountId\":7200",
			fmt.Sprint("\"accountId\":", 500000+i)).Replace(newCustomer + newAccount + newAccess))
	}
	return text.String()
}

// TestGoesOn interrupts a feed in each of its transactions. The same file continues after the last
// applied row, another one is rejected, and later changes to the applied part stay.
func TestGoesOn(t *testing.T) {
	slow := time.Now()
	clock = func() time.Time { slow = slow.Add(time.Minute); return slow }
	defer func() { clock = time.Now }()
	like := newDemo(t)
	text := many(60) // 180 rows: three transactions
	for failAt := 1; failAt <= 3; failAt++ {
		kept := newSetUp(t, like)
		_, err := run(t, &brokenStore{Store: kept, failAt: failAt}, text, Options{})
		if !errors.Is(err, errBroken) {
			t.Fatalf("broken at %d: %v", failAt, err)
		}
		if failAt > 1 {
			if !strings.Contains(err.Error(), fmt.Sprintf("up to line %d; send", 64*failAt-63)) {
				t.Errorf("broken at %d: %v", failAt, err)
			}
			var refused *SequenceError
			_, err := run(t, kept, text+" \n", Options{})
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), FileReplaced) {
				t.Errorf("another file: %v", err)
			}
			update(t, kept, func(tx store.Tx) error {
				byID, err := tx.Accounts().FindMany([]int{500000})
				a := byID[500000]
				a.Name = "Another"
				return errors.Join(err, tx.Accounts().Put(a))
			})
		}
		report := mustRun(t, kept, text)
		if want := max(0, 64*failAt-63); failAt > 1 && report.After != want {
			t.Errorf("broken at %d: goes on after %d, want %d", failAt, report.After, want)
		}
		all := rows(t, kept)
		if strings.Count(all, `"kind":"access"`) != 60 ||
			strings.Contains(all, "Another") != (failAt > 1) {
			t.Errorf("broken at %d: kept\n%.900s", failAt, all)
		}
	}
	kept := newSetUp(t, like)
	_, err := run(t, &brokenStore{Store: kept, failAt: 2}, text, Options{})
	if !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	if _, err := run(t, kept, many(61), Options{Accept: []string{FileReplaced}}); err != nil {
		t.Errorf("a file in place of another: %v", err)
	}
}

// TestTakenOver sends a file again while it is being applied. One of the two runs continues, and
// each row is applied once.
func TestTakenOver(t *testing.T) {
	slow := time.Now()
	clock = func() time.Time { slow = slow.Add(time.Minute); return slow }
	defer func() { clock = time.Now }()
	kept := newSetUp(t, newDemo(t))
	text := many(60)
	watched := &brokenStore{Store: kept, before: func(number int) {
		if number == 2 {
			mustRun(t, kept, text)
		}
	}}
	if _, err := run(t, watched, text, Options{}); !errors.Is(err, ErrTakenOver) {
		t.Errorf("the run that was overtaken: %v", err)
	}
	if all := rows(t, kept); strings.Count(all, `"kind":"access"`) != 60 {
		t.Errorf("kept\n%.900s", all)
	}
}
