package load

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"mintmark/internal/store"
)

// changesBetween are files, and the changes that another load makes to the same objects after the
// check of the first. Before that, each object is stored as in good.
var changesBetween = map[string]struct{ file, between string }{
	"a bank": {
		"banks: [{bankId: 1, name: Mine}]", "banks: [{bankId: 1, name: Theirs}]",
	},
	"an encryption key": {
		"banks: [{bankId: 1, pciKeys: [{pciKeyId: 1, status: 3}]}]",
		"banks: [{bankId: 1, pciKeys: [{pciKeyId: 1, status: 2}]}]",
	},
	"a program": {
		"programs: [{programId: 1, name: Mine}]", "programs: [{programId: 1, website: theirs}]",
	},
	"a BIN": {
		"bins: [{binId: 1, validMonths: 12}]", "bins: [{binId: 1, isActive: false}]",
	},
	"a key": {
		"keys: [{name: k1, burst: 7}]", "keys: [{name: k1, state: revoked}]",
	},
	"a customer": {
		"customers: [{customerId: 1, firstName: Mine}]",
		"customers: [{customerId: 1, isLocked: true}]",
	},
	"an account": {
		"accounts: [{accountId: 1, accountBalance: 1}]",
		"accounts: [{accountId: 1, accountBalance: 2}]",
	},
	"an access": {
		"access: [{programId: 1, customerId: 1, accountId: 1, access: RDONLY}]",
		"access: [{programId: 1, customerId: 1, accountId: 1, access: NONE}]",
	},
	"a document": {
		"documents: [{documentId: 1, title: Mine}]", "documents: [{documentId: 1, pdf: }]",
	},
	"a new customer": {
		strings.NewReplacer("customerId: 1", "customerId: 2").Replace(goodCustomer),
		strings.NewReplacer("customerId: 1", "customerId: 2", "Jane", "Joan").Replace(goodCustomer),
	},
	// The first load would not change this customer; the other load changes it.
	"the next customer": {
		"customers: [{customerId: 1, firstName: Jane}, {customerId: 10, firstName: Mine}]",
		"customers: [{customerId: 1, firstName: Theirs}]",
	},
}

// TestChangedBetween has another load change stored objects between the check and the writing. Its
// changes are not overwritten; loading the file again shows the difference and overwrites them.
func TestChangedBetween(t *testing.T) {
	t.Parallel()
	for name, c := range changesBetween {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.mustLoad(t, good)
			b.mustLoad(t, strings.Replace(goodCustomer, "customerId: 1", "customerId: 10", 1))
			data, err := Read(fileWith(c.file), "data/file.yaml")
			if err != nil {
				t.Fatal(err)
			}
			between := &interrupted{Store: b, do: func() {
				theirs, err := b.loadWith(t, c.between, Options{})
				if err != nil || !theirs.counts.Differs() {
					t.Errorf("nothing was changed in between: %v", err)
				}
			}}
			_, err = data.Load(t.Context(), between, Options{Vault: b.vault})
			if !errors.Is(err, errChanged) || !strings.HasPrefix(err.Error(), "data/file.yaml:") {
				t.Errorf("loaded over the change: %v", err)
			}
			again, err := b.loadWith(t, c.between, Options{DryRun: true})
			if err != nil || again.counts.Differs() {
				t.Errorf("the change in between is lost: %v", err)
			}
			if _, err := b.loadWith(t, c.file, Options{}); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// TestSameBetween has another load of the same file finish between the check and the writing.
func TestSameBetween(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	text := strings.Replace(good, "firstName: Jane\n    lastName: Sample\n    mail",
		"firstName: Joan\n    lastName: Sample\n    mail", 1)
	data, err := Read(fileWith(text), "data/file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	between := &interrupted{Store: b, do: func() { b.mustLoad(t, text) }}
	_, err = data.Load(t.Context(), between, Options{Vault: b.vault, Insecure: true})
	if err != nil {
		t.Error(err)
	}
}

// TestTwoLoads loads two large files concurrently that contain the same customers under different
// names. One load reports where the other was faster, and each customer matches one of the files.
func TestTwoLoads(t *testing.T) {
	const count = 700
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram+many(count))
	names := []string{"Joan", "Jill"}
	errs := make([]error, len(names))
	var checked, done sync.WaitGroup
	checked.Add(len(names))
	for i, name := range names {
		data, err := Read(fileWith(strings.ReplaceAll(many(count), "Jane", name)), "data/file.yaml")
		if err != nil {
			t.Fatal(err)
		}
		done.Go(func() {
			both := &interrupted{Store: b, do: func() { checked.Done(); checked.Wait() }}
			_, errs[i] = data.Load(t.Context(), both, Options{Vault: b.vault})
		})
	}
	done.Wait()
	told := 0
	for _, err := range errs {
		if err != nil {
			told++
			if !errors.Is(err, errChanged) {
				t.Error(err)
			}
		}
	}
	if told == 0 {
		t.Error("both have written all customers")
	}
	b.view(t, func(r store.Tx) error {
		for id := 10; id < count+10; id++ {
			c, err := r.Customers().Find(1, id)
			if err != nil {
				return err
			}
			if c.Revision != 2 {
				t.Fatalf("customer %d was changed %d times", id, c.Revision-1)
			}
		}
		return nil
	})
}
