package feed

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"mintmark/internal/domain/audit"
	"mintmark/internal/importer"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

var alice = audit.Actor{Kind: audit.CommandLine, Name: "alice"}

// newStore returns an empty store in memory.
func newStore(t *testing.T) store.Store {
	t.Helper()
	return testworld.Memory(t, nil)
}

// newDemo returns a store with the demo data.
func newDemo(t *testing.T) store.Store {
	t.Helper()
	return filled(t, newStore(t))
}

// onEach runs a test on a store of each kind with the demo data.
func onEach(t *testing.T, test func(t *testing.T, kept store.Store)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, newDemo(t))
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		test(t, filled(t, testworld.Server(t, pgtest.URL(t), nil)))
	})
}

// filled puts the demo data into an empty store.
func filled(t *testing.T, kept store.Store) store.Store {
	t.Helper()
	testworld.WriteDemo(t, kept)
	return kept
}

// newSetUp returns a store with the bank and the program of another, and nothing else.
func newSetUp(t *testing.T, like store.Store) store.Store {
	t.Helper()
	kept := newStore(t)
	view(t, like, func(r store.Tx) error {
		banks, err := r.Banks().List()
		if err != nil {
			return err
		}
		p, err := r.Programs().Find(1)
		if err != nil {
			return err
		}
		p.Revision = 0
		update(t, kept, func(tx store.Tx) error {
			var all []error
			for _, bank := range banks {
				bank.Revision = 0
				all = append(all, tx.Banks().Put(bank))
			}
			return errors.Join(append(all, tx.Programs().Put(p))...)
		})
		return nil
	})
	return kept
}

func update(t *testing.T, kept store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := kept.Update(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, kept store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := kept.View(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// spooled returns a file with a text.
func spooled(t *testing.T, text string) *importer.Rows {
	t.Helper()
	file, err := importer.SpoolRows("core.ndjson", t.TempDir(), strings.NewReader(text), -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return file
}

// run feeds a text.
func run(t *testing.T, kept importer.Store, text string, o Options) (*Report, error) {
	t.Helper()
	o.Actor = alice
	return Run(t.Context(), kept, spooled(t, text), o)
}

func mustRun(t *testing.T, kept importer.Store, text string) *Report {
	t.Helper()
	report, err := run(t, kept, text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// exported returns the text of an export of program 1.
func exported(t *testing.T, kept importer.Store) string {
	t.Helper()
	var text bytes.Buffer
	if _, err := Export(t.Context(), kept, "core", 1, &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// rows returns the rows of an export, without its first line.
func rows(t *testing.T, kept importer.Store) string {
	t.Helper()
	_, rest, _ := strings.Cut(exported(t, kept), "\n")
	return rest
}

const head1 = `{"source":"core","programId":1,"sequence":1}` + "\n"

const (
	newCustomer = `{"kind":"customer","op":"put","customerId":7100,"status":"Verified",` +
		`"access":"FULL","firstName":"Grace","lastName":"Hopper","birthDate":"1986-12-09",` +
		`"mobilePhone":"+1 555 0199","mailing":{"line1":"1 Main Street","city":"Springfield",` +
		`"postalCode":"12345","country":"US"}}` + "\n"
	newAccount = `{"kind":"account","op":"put","accountId":7200,"customerId":7100,` +
		`"type":"Checking","status":"Open","name":"Main","accountNumber":"400000007200",` +
		`"accountBalance":12.50}` + "\n"
	newAccess = `{"kind":"access","op":"put","customerId":7100,"accountId":7200,` +
		`"access":"FULL"}` + "\n"
)

// brokenStore fails from a given transaction on.
type brokenStore struct {
	store.Store
	updates, failAt int
	before          func(number int) // a transaction that writes; may be nil
}

var errBroken = errors.New("broken")

func (b *brokenStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	b.updates++
	if b.updates == b.failAt {
		return errBroken
	}
	if b.before != nil {
		b.before(b.updates)
	}
	return b.Store.Update(ctx, fn)
}
