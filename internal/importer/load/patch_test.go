package load

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	businessclock "mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// dryRunLines loads a text and returns the lines that a dry run printed before.
func (b *bench) dryRunLines(t *testing.T, text string, o Options) string {
	t.Helper()
	var lines []string
	dry := o
	dry.DryRun, dry.Tell = true, func(line string) { lines = append(lines, line) }
	if _, err := b.loadWith(t, text, dry); err != nil {
		t.Fatal(err)
	}
	if _, err := b.loadWith(t, text, o); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// TestPatch checks the effect of members that a file sets, omits, or removes.
func TestPatch(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	for _, c := range []struct{ text, want string }{
		{"banks: [{bankId: 1, name: Second}]", "banks 1: name: First → Second"},
		{"banks: [{bankId: 1, pciKeys: [{pciKeyId: 1, status: 2}]}]",
			"pciKeys 1: status: 1 → 2"},
		{"programs: [{programId: 1, website: 'https://a.example'}]",
			"programs 1: website: none → https://a.example"},
		{"programs: [{programId: 1, bank: {phone: '1'}}]", "programs 1: bank.phone: none → 1"},
		{"programs: [{programId: 1, website: null, bank: {phone: ''}}]",
			"programs 1: bank.phone: 1 → none\nprograms 1: website: https://a.example → none"},
		{"programs: [{programId: 1, perUserDailyDepositLimit: {minimumAmount: 1}}]",
			`programs 1: perUserDailyDepositLimit: none → {"minimumAmount":1}`},
		{"programs: [{programId: 1, perUserDailyDepositLimit: {maximumAmount: 2.50}}]",
			"programs 1: perUserDailyDepositLimit.maximumAmount: none → 2.50"},
		{"bins: [{binId: 1, isActive: false}]", "bins 1: isActive: true → false"},
		{"keys: [{name: k1, burst: 9}]", "keys k1: burst: 5 → 9"},
		{"keys: [{name: k1, burst: null}]", "keys k1: burst: 9 → 3"},
		{"keys: [{name: k1, secrets: [{secret: s1}]}]", "keys k1: secret removed"},
		{"keys: [{name: k1, secrets: [{secret: s3}, {secret: s1, expires: 2030-01-01}]}]",
			"keys k1: secret added\n" +
				"keys k1: secret expires: none → 2030-01-01T00:00:00.000+00:00"},
		{"customers: [{customerId: 1, programId: 1, homePhone: +1 555 0100}]",
			"customers 1: homePhone: none → +1 555 0100"},
		{"customers: [{customerId: 1, programId: 1, mailing: {city: Else}}]",
			"customers 1: mailing.city: Town → Else"},
		{"customers: [{customerId: 1, programId: 1, homePhone: null, mailing: ''}]",
			"customers 1: homePhone: +1 555 0100 → none\n" +
				"customers 1: mailing.city: Else → none\n" +
				"customers 1: mailing.country: US → none\n" +
				"customers 1: mailing.line1: 1 Street → none\n" +
				"customers 1: mailing.postalCode: 10001 → none"},
		{"customers: [{customerId: 1, programId: 1, isActive: false}]",
			"customers 1: isActive: true → false"},
		{"customers: [{customerId: 1, programId: 1, isActive: null}]",
			"customers 1: isActive: false → true"},
		{"access: [{programId: 1, customerId: 1, accountId: 1, access: RDONLY}]",
			"access 1 to 1: access: FULL → RDONLY"},
		{"documents: [{documentId: 1, pdf: null}]",
			"documents 1: pdf: 13 bytes → 0 other bytes"},
		{"documents: [{documentId: 1, expireDate: null, title: Other}]",
			"documents 1: expireDate: 2027-01-01T00:00:00.000+00:00 → none\n" +
				"documents 1: title: Card → Other"},
		{"cards: []", ""},
	} {
		got := b.dryRunLines(t, c.text, Options{})
		if diff := cmp.Diff(c.want, sorted(got)); diff != "" {
			t.Errorf("%s (-want +told):\n%s", c.text, diff)
		}
		if again := b.dryRunLines(t, c.text, Options{}); again != "" {
			t.Errorf("%s, again: %s", c.text, again)
		}
	}
}

// sorted sorts lines: the differences in an entry are reported in any order.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		for j := i; j > 0 && lines[j] < lines[j-1]; j-- {
			lines[j], lines[j-1] = lines[j-1], lines[j]
		}
	}
	return strings.Join(lines, "\n")
}

// TestRequiredStays checks that required properties cannot be removed.
func TestRequiredStays(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	for _, c := range []struct{ text, want string }{
		{"customers: [{customerId: 1, programId: 1, birthDate: null}]", "birthDate: a value"},
		{"customers: [{customerId: 1, programId: 1, residence: {line1: 1 Road}}]",
			"residence.city: a value"},
		{"keys: [{name: k1, secrets: null}]", "secrets: a value"},
		{"keys: [{name: k1, secrets: []}]", "secrets: must have 1 to 2 entries"},
		{"documents: [{documentId: 1, html: null}]", "html: a value"},
	} {
		err := b.load(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// TestAccountDates checks that only a change sets a date.
func TestAccountDates(t *testing.T) {
	now := businessclock.FrozenAt(time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC))
	b := newBenchOn(t, func(t *testing.T) (store.Store, error) {
		kept, _, err := cached.OpenMemory(t.Context(), sqlite.Options{Clock: now})
		return kept, err
	})
	b.mustLoad(t, good)
	stored := func() (a customer.Account) {
		b.view(t, func(r store.Tx) (err error) {
			a, _, err = r.Accounts().FindFor(1, 1, 1)
			return
		})
		return a
	}
	first := stored()
	now.Advance(time.Minute)
	b.mustLoad(t, "accounts: [{accountId: 1, programId: 1, name: Checking}]")
	compare(t, stored().Modified, first.Modified)
	b.mustLoad(t, "accounts: [{accountId: 1, programId: 1, name: Other}]")
	renamed := stored()
	if !renamed.Modified.After(first.Modified) || renamed.BalanceModified != first.BalanceModified {
		t.Errorf("renamed: %+v, at first: %+v", renamed, first)
	}
	compare(t, renamed.NumberMasked+" "+renamed.Balance.Fixed(2).String(), "******6789 1.25")
	b.mustLoad(t, "accounts: [{accountId: 1, programId: 1, accountBalance: null}]")
	if paid := stored(); !paid.BalanceModified.After(first.BalanceModified) ||
		paid.Balance.TenThousandths != 0 {
		t.Errorf("without a balance: %+v", paid)
	}
	b.mustLoad(t, "accounts: [{accountId: 1, programId: 1, accountBalance: 7, "+
		"balanceLastModifiedDate: 2026-01-02T03:04:05Z}]")
	compare(t, stored().BalanceModified.Format(time.RFC3339), "2026-01-02T03:04:05Z")
}

// TestUnchangedIsNotWritten reloads a file with the same values in another order and notation.
func TestUnchangedIsNotWritten(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	var before int64
	b.view(t, func(r store.Tx) (err error) { before, err = r.Keys().Revision(); return })
	watched := &watchedStore{Store: b.Store}
	data, err := Read(fileWith(strings.Replace(good, "10.25", "10.2500", 1)), "data/file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	report, err := data.Load(t.Context(), watched, Options{Vault: b.vault, Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, *report.count("customers"), importer.Tally{Unchanged: 1})
	compare(t, *report.count("bins"), importer.Tally{Unchanged: 1})
	compare(t, fmt.Sprint(watched.puts), "[audit]")
	b.view(t, func(r store.Tx) error {
		after, err := r.Keys().Revision()
		compare(t, after, before)
		return err
	})
}

// watchedStore records what is put, and can be made to fail.
type watchedStore struct {
	Store
	puts    []string
	updates int
	failAt  int  // the update that fails; 0 for none
	untold  bool // the outcome of the failing update is unknown
	longest int  // the highest number of puts in an update
}

var errBroken = errors.New("broken on purpose")

func (w *watchedStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	w.updates++
	before := len(w.puts)
	defer func() { w.longest = max(w.longest, len(w.puts)-before) }()
	return w.Store.Update(ctx, func(tx store.Tx) error {
		err := fn(&watchedTx{tx, w})
		if w.updates == w.failAt && w.untold {
			return fmt.Errorf("%w: %w", store.ErrUnknownOutcome, errBroken)
		}
		if w.updates == w.failAt {
			return errBroken
		}
		return err
	})
}

type watchedTx struct {
	store.Tx
	of *watchedStore
}

func (w *watchedTx) put(what string) { w.of.puts = append(w.of.puts, what) }

func (w *watchedTx) Banks() store.Banks { return watchedBanks{w.Tx.Banks(), w} }

type watchedBanks struct {
	store.Banks
	of *watchedTx
}

func (w watchedBanks) Put(b store.Bank) error {
	w.of.put("bank")
	return w.Banks.Put(b)
}

func (w *watchedTx) Programs() store.Programs { return watchedPrograms{w.Tx.Programs(), w} }

type watchedPrograms struct {
	store.Programs
	of *watchedTx
}

func (w watchedPrograms) Put(p program.Program) error {
	w.of.put("program")
	return w.Programs.Put(p)
}

func (w *watchedTx) Customers() store.Customers { return watchedCustomers{w.Tx.Customers(), w} }

type watchedCustomers struct {
	store.Customers
	of *watchedTx
}

func (w watchedCustomers) Put(c customer.Customer) error {
	w.of.put("customer")
	return w.Customers.Put(c)
}

func (w *watchedTx) Accounts() store.Accounts { return watchedAccounts{w.Tx.Accounts(), w} }

type watchedAccounts struct {
	store.Accounts
	of *watchedTx
}

func (w watchedAccounts) Put(a customer.Account) error {
	w.of.put("account")
	return w.Accounts.Put(a)
}

func (w *watchedTx) Access() store.Access { return watchedAccess{w.Tx.Access(), w} }

type watchedAccess struct {
	store.Access
	of *watchedTx
}

func (w watchedAccess) Put(a customer.Access) error {
	w.of.put("access")
	return w.Access.Put(a)
}

func (w *watchedTx) Audit() store.Audit { return watchedAudit{w.Tx.Audit(), w} }

type watchedAudit struct {
	store.Audit
	of *watchedTx
}

func (w watchedAudit) Put(a audit.Entry) error {
	w.of.put("audit")
	return w.Audit.Put(a)
}
