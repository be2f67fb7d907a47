package moving

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testworld"
)

// fileOf returns a complete file from all lines except the last.
func fileOf(t *testing.T, lines []string) string {
	t.Helper()
	counts := make(counting)
	for _, text := range lines[1:] {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		counts.add(l.Kind, l.Value)
	}
	end, err := json.Marshal(counts.tallies())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n") + fmt.Sprintf("\n{\"kind\":%q,\"value\":%s}\n", endKind, end)
}

// TestOtherBanks imports files that would add something to a bank that has programs here: to the
// bank of the program, and to one that a second row names. Another program of the bank can still be
// imported.
func TestOtherBanks(t *testing.T) {
	t.Parallel()
	kept := testworld.Memory(t, nil)
	fill(t, kept)
	text, _ := export(t, kept, testworld.Keys(t))
	bare := regexp.MustCompile(`(?m)^{"kind":"(head|bank|encryptionKey|document|program)".*$`)
	lines := bare.FindAllString(text, -1) // of a program without records
	head, bank, own := lines[0], lines[1], lines[len(lines)-1]
	another := strings.Replace(head, `"programId":1`, `"programId":7`, 1)
	if !strings.HasPrefix(bank, `{"kind":"bank"`) || another == head {
		t.Fatal(head, bank)
	}
	newBank := `{"kind":"bank","value":{"bankId":77,"name":"Bank 77"}}`
	document := regexp.MustCompile(`"documentId":\d+`).ReplaceAllString(lines[len(lines)-2],
		`"documentId":990099`)
	key := `{"kind":"encryptionKey","value":{"pciKeyId":99,"bankId":1,"status":1}}`
	rest := lines[2:]
	elsewhere := regexp.MustCompile(`"timeZone":"[^"]+"`).ReplaceAllString(own,
		`"timeZone":"Pacific/Auckland"`)
	ofNewBank := strings.Replace(own, `"bankId":1`, `"bankId":77`, 1)
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{append([]string{bank, document}, rest...),
			":3: documentId: bank 1 has programs here and no document 990099"},
		{append([]string{bank, key}, rest...),
			":3: pciKeyId: bank 1 has programs here and no encryption key 99"},
		{[]string{bank, newBank, ofNewBank}, ":3: does not stand on line 2"},
		{append(slices.Clone(rest), bank), ": does not stand on line 2"},
		{[]string{bank, elsewhere}, ":3: timeZone: must be America/New_York, as in the bank's"},
		{rest, ":2: bankId: is not the bank of the file"},
		{append([]string{bank}, rest...), ""},
	} {
		text := fileOf(t, append([]string{another}, test.lines...))
		_, err := importText(t, kept, testworld.Keys(t), text, Options{})
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// lateStore is a store that is changed between a check and the transaction after it.
type lateStore struct {
	store.Store
	meanwhile func()
}

func (s lateStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	s.meanwhile()
	return s.Store.Update(ctx, fn)
}

// TestChangedMeanwhile has another program with the same numbers appear between the check of a file
// and its transaction: nothing of the file is stored, and the next attempt reports the conflict.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	from := testworld.Memory(t, nil)
	fill(t, from)
	text, _ := export(t, from, testworld.Keys(t))
	p := find(t, from, func(r store.Tx) (program.Program, error) { return r.Programs().Find(programID) })
	kept := testworld.Memory(t, nil)
	update(t, kept, claim(store.Sandbox))
	late := lateStore{Store: kept, meanwhile: func() {
		bin := p.Bins[0]
		p.ID, p.BankID, p.Revision, bin.ID, bin.ProgramID, bin.Revision = 77, 7, 0, 777, 77, 0
		update(t, kept,
			func(tx store.Tx) error { return tx.Banks().Put(store.Bank{ID: 7, Name: "Bank 7"}) },
			func(tx store.Tx) error { return tx.Programs().Put(p) },
			func(tx store.Tx) error { return tx.Programs().PutBin(bin) },
		)
	}}
	_, err := importText(t, late, testworld.Keys(t), text, Options{})
	if err == nil || !strings.Contains(err.Error(), "import again") {
		t.Errorf("the import: %v", err)
	}
	ids := find(t, kept, func(r store.Tx) ([]int, error) { return r.Programs().List() })
	if !slices.Equal(ids, []int{77}) {
		t.Errorf("the programs are %v", ids)
	}
	_, err = importText(t, kept, testworld.Keys(t), text, Options{})
	if err == nil || !strings.Contains(err.Error(), "shares numbers with that of BIN 777") {
		t.Errorf("the next import: %v", err)
	}
}

// TestArrivingPDF imports a document whose PDF would not pass the checks of an upload.
func TestArrivingPDF(t *testing.T) {
	t.Parallel()
	kept := testworld.Memory(t, nil)
	fill(t, kept)
	text, _ := export(t, kept, testworld.Keys(t))
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[:len(lines)-1]
	for i, text := range lines {
		lines[i] = regexp.MustCompile(`"pdf":"[^"]+"`).ReplaceAllString(text, `"pdf":"JVBERi0xLjcK"`)
	}
	empty := testworld.Memory(t, nil)
	update(t, empty, claim(store.Sandbox))
	_, err := importText(t, empty, testworld.Keys(t), fileOf(t, lines), Options{})
	if err == nil || !strings.Contains(err.Error(), ": pdf: is not a readable PDF") {
		t.Error(err)
	}
}

// TestBankKey exports a program with a number encrypted under a bank's key that the vault has not
// loaded yet.
func TestBankKey(t *testing.T) {
	t.Parallel()
	kept, keys := testworld.Memory(t, nil), testworld.Keys(t)
	fill(t, kept)
	pciKeys := find(t, kept, func(r store.Tx) ([]program.PciKey, error) {
		return r.Banks().ListPciKeys()
	})
	id, wrapped, err := keys.MakeBankKey(pciKeys[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.UseBankKey(id, pciKeys[0].ID, wrapped); err != nil {
		t.Fatal(err)
	}
	update(t, kept,
		func(tx store.Tx) error {
			return tx.BankKeys().Put(program.BankKey{
				ID: id, PciKeyID: pciKeys[0].ID, State: program.ActiveKey, Made: tx.Now(),
				Wrapped: wrapped,
			})
		},
		func(tx store.Tx) error {
			numbers, err := tx.CardNumbers().ListOfProgram(programID, 0, 1)
			if err != nil {
				return err
			}
			before := store.SealedText{CardID: numbers[0].CardID, Sealed: numbers[0].Sealed}
			number, err := keys.OpenNumber(before.Sealed, before.CardID)
			if err != nil {
				return err
			}
			sealed, err := keys.SealNumber(id, number, before.CardID)
			if err != nil {
				return err
			}
			return tx.BankKeys().ChangeSealedNumber(before, sealed)
		},
	)
	keys.ForgetBankKey(id)
	export(t, kept, keys)
}
