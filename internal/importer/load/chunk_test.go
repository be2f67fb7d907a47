package load

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// many returns a text of count customers, each with an account.
func many(count int) string {
	var text strings.Builder
	text.WriteString("customers:\n")
	for i := range count {
		s := strings.Replace(goodCustomer, "customers:\n", "", 1)
		text.WriteString(strings.Replace(s, "customerId: 1", fmt.Sprint("customerId: ", i+10), 1))
	}
	text.WriteString("accounts:\n")
	for i := range count {
		s := strings.Replace(goodAccount, "accounts:\n", "", 1)
		text.WriteString(strings.NewReplacer("accountId: 1", fmt.Sprint("accountId: ", i+10),
			"customerId: 1", fmt.Sprint("customerId: ", i+10)).Replace(s))
	}
	return text.String()
}

// loadWatched loads a text into a watched store.
func (b *bench) loadWatched(t *testing.T, text string, w *watchedStore) (*Report, error) {
	t.Helper()
	data, err := Read(fileWith(text), "data/file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w.Store = b.Store
	return data.Load(t.Context(), w, Options{Vault: b.vault, Actor: alice})
}

// TestSmallIsAllOrNothing checks that a file of few entries is written in one transaction.
func TestSmallIsAllOrNothing(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram)
	broken := &watchedStore{failAt: 1}
	_, err := b.loadWatched(t, many(200), broken)
	if !errors.Is(err, errBroken) || strings.Contains(err.Error(), "in part") {
		t.Errorf("broken: %v", err)
	}
	untold := &watchedStore{failAt: 1, untold: true}
	_, err = b.loadWatched(t, many(200), untold)
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "it is not known whether") {
		t.Errorf("nobody knows: %v", err)
	}
	b.view(t, func(r store.Tx) error {
		customer, err := r.Customers().FindMany([]int{10, 11})
		compare(t, len(customer), 0)
		return err
	})
	whole := &watchedStore{}
	if _, err := b.loadWatched(t, many(200), whole); err != nil {
		t.Error(err)
	}
	compare(t, whole.updates, 1)
}

// TestManyDocuments checks that documents that are slow to write are not all written in one
// transaction.
func TestManyDocuments(t *testing.T) {
	now := time.Now()
	clock = func() time.Time { now = now.Add(time.Second); return now }
	defer func() { clock = time.Now }()
	v := newBench(t).vault
	long := "<p>" + strings.Repeat("x", atOnceBytes/4) + "</p>"
	text := "documents:\n"
	for i := range 5 {
		text += strings.NewReplacer("documents:\n", "", "documentId: 1",
			fmt.Sprint("documentId: ", i+1)).Replace(goodDocument)
		files := fileWith(text)
		files["data/docs/good.html"].Data = []byte(long)
		data, err := Read(files, "data/file.yaml")
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t)
		b.mustLoad(t, goodBank)
		w := &watchedStore{Store: b.Store}
		_, err = data.Load(t.Context(), w, Options{Vault: v})
		if err != nil {
			t.Fatal(err)
		}
		if once := w.updates == 1; once != (i < 3) {
			t.Errorf("%d documents: %d transactions", i+1, w.updates)
		}
	}
}

// TestChunks uses a clock on which every entry takes long. A large file is then written in small
// chunks; a failed chunk leaves the earlier ones stored, and the next load continues from there.
func TestChunks(t *testing.T) {
	const count = 1500
	now := time.Now()
	clock = func() time.Time { now = now.Add(time.Second); return now }
	defer func() { clock = time.Now }()
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram)

	broken := &watchedStore{failAt: 4}
	_, err := b.loadWatched(t, many(count), broken)
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "was loaded in part") {
		t.Errorf("broken: %v", err)
	}
	rows := b.loads(t)
	begun := " begun: customers +1500 ~0 =0, accounts +1500 ~0 =0"
	if len(rows) != 2 || !strings.HasSuffix(rows[1].Outcome, begun) {
		t.Errorf("what broke off left %v", rows)
	}
	rest := &watchedStore{}
	report, err := b.loadWatched(t, many(count), rest)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, *report.count("customers"),
		importer.Tally{Added: count - 3*bulkStep, Unchanged: 3 * bulkStep})
	compare(t, *report.count("accounts"), importer.Tally{Added: count})
	if rest.longest > bulkStep+1 {
		t.Errorf("a chunk had %d entries", rest.longest)
	}
	puts := fmt.Sprint(rest.puts)
	if !strings.HasSuffix(puts, "audit]") || strings.Count(puts, "audit") != 2 {
		t.Error("there is not an audit entry of the begin and one of the end")
	}
	again := &watchedStore{}
	if report, err = b.loadWatched(t, many(count), again); err != nil {
		t.Fatal(err)
	}
	compare(t, *report.count("accounts"), importer.Tally{Unchanged: count})
	compare(t, fmt.Sprint(again.puts), "[audit]")
}

// TestRuleHoldsInEachChunk changes stored objects between the check and the writing. The affected
// chunk is not written.
func TestRuleHoldsInEachChunk(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram+many(3))
	text := "accounts:\n  - {accountId: 10, programId: 1, customerId: 10, name: Other}\n"
	data, err := Read(fileWith(text), "data/file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.Replace(text, "customerId: 10", "customerId: 11", 1)
	between := &interrupted{Store: b, do: func() {
		accept := Options{Accept: []string{entity.AccountMoved}}
		if _, err := b.loadWith(t, moved, accept); err != nil {
			t.Error(err)
		}
	}}
	_, err = data.Load(t.Context(), between, Options{Vault: b.vault})
	if err == nil || !strings.Contains(err.Error(), "account 10 belongs to customer 11") {
		t.Errorf("loaded over the change: %v", err)
	}
}

// interrupted is a store that does something before the first write.
type interrupted struct {
	Store
	do func()
}

func (i *interrupted) Update(ctx context.Context, fn func(store.Tx) error) error {
	if do := i.do; do != nil {
		i.do = nil
		do()
	}
	return i.Store.Update(ctx, fn)
}
