package load

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fileWith returns a file.yaml with the given text, and its documents.
func fileWith(text string) fstest.MapFS {
	return fstest.MapFS{
		"data/file.yaml":      {Data: []byte(text)},
		"data/docs/good.html": {Data: []byte("<p>Good</p>")},
		"data/docs/good.pdf":  {Data: []byte("%PDF-1.3 good")},
		"data/docs/bad.pdf":   {Data: []byte("GIF89a")},
		"data/docs/bad.html":  {Data: []byte("\xff\xfe")},
		"data/docs/none.pdf":  {Data: nil},
		"data/docs/bare.html": {Data: []byte(" \n")},
	}
}

// check reads a text and compares it with a store.
func (b *bench) check(t *testing.T, text string) error {
	t.Helper()
	data, err := Read(fileWith(text), "data/file.yaml")
	if err != nil {
		return err
	}
	_, err = data.Load(t.Context(), b, Options{Vault: b.vault, Insecure: true, DryRun: true})
	return err
}

// One valid entry of each kind, to be broken one line at a time.
const (
	goodBank = `banks:
  - bankId: 1
    name: First
    pciKeys: [{pciKeyId: 1, status: 1}]
`
	goodProgram = `programs:
  - programId: 1
    bankId: 1
    name: P1
    decimalCount: 2
    timeZone: America/New_York
    publicKeyAlgorithms: RSA-OAEP-SHA256-MGF1
    bank: {name: First, timeZone: America/New_York}
    regDFeeAmount: 10.25
    products:
      - productId: 1
        type: Savings
        category: Savings
        name: Savings
        balanceLimit: {minimumAmount: 0, maximumAmount: 10}
        interestRates: [{tier: 1, apr: 1.5, apy: 1.51}]
    bins:
      - binId: 1
        vendorTypeCode: VS
        isActive: true
        firstBody: "400000000000000"
        lastBody: "400000000999999"
        validMonths: 48
`
	goodKey = `keys:
  - name: k1
    programId: 1
    version: 1
    secrets: [{secret: s1}, {secret: s2, expires: 2030-01-01}]
    allow: [127.0.0.1, 10.0.0.0/8, "::1"]
    perSecond: 2.5
    burst: 5
    compatibility: [earlier-clients]
`
	goodCustomer = `customers:
  - customerId: 1
    programId: 1
    status: Verified
    access: FULL
    birthDate: 1985-03-14
    firstName: Jane
    lastName: Sample
    mailing: {line1: 1 Street, city: Town, postalCode: "10001", country: US}
`
	goodAccount = `accounts:
  - accountId: 1
    programId: 1
    customerId: 1
    type: Checking
    status: Open
    name: Checking
    accountNumber: "0123456789"
    accountBalance: 1.25
`
	goodAccess = `access:
  - {programId: 1, customerId: 1, accountId: 1, access: FULL}
`
	goodDocument = `documents:
  - documentId: 1
    bankId: 1
    culture: en-US
    documentType: CardInfo
    title: Card
    effectiveDate: 2026-01-01
    expireDate: 2027-01-01
    html: docs/good.html
    pdf: docs/good.pdf
`
	goodCard = `cards:
  - cardId: 1
    programId: 1
    customerId: 1
    binId: 1
    status: Verified
    lockTypeCode: SYS
    lockReasonTypeCode: PIN
    tag: t1
    nickName: Nick
    firstName: Jane
    lastName: Sample
    accountIds: [1]
    createdDate: 2026-01-15
    verifiedDate: 2026-01-20
`
	good = goodBank + goodProgram + goodKey + goodCustomer + goodAccount + goodAccess +
		goodDocument + goodCard
)

func TestGood(t *testing.T) {
	if err := newBench(t).check(t, good); err != nil {
		t.Error(err)
	}
}

// broken is a valid text with one part replaced, and the resulting problems, each without the file
// name.
type broken struct {
	text, from, to string
	want           string
}

// before returns what must be stored before a text can be loaded.
func before(text string) string {
	stored := ""
	for _, next := range []string{
		goodBank, goodProgram, goodKey, goodCustomer, goodAccount, goodAccess, goodDocument,
		goodCard,
	} {
		if strings.HasPrefix(text, next) {
			return stored
		}
		stored += next
	}
	return ""
}

// TestProblems checks the problems of entries that are not stored yet.
func TestProblems(t *testing.T) {
	benches := make(map[string]*bench)
	for _, group := range [][]broken{
		brokenForm, brokenBanks, brokenPrograms, brokenKeys, brokenPeople, brokenDocuments,
		brokenCards,
	} {
		for _, c := range group {
			if !strings.Contains(c.text, c.from) {
				t.Fatalf("%q is not in the text", c.from)
			}
			text := strings.Replace(c.text, c.from, c.to, 1)
			b, there := benches[before(c.text)]
			if !there {
				b = newBench(t)
				if stored := before(c.text); stored != "" {
					b.mustLoad(t, stored)
				}
				benches[before(c.text)] = b
			}
			err := b.check(t, text)
			got := "none"
			if err != nil {
				got = strings.ReplaceAll(err.Error(), "data/file.yaml:", "")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s instead of %s (-want +got):\n%s", c.to, c.from, diff)
			}
		}
	}
}

// TestProblemsAtOnce checks that problems are listed together, in the order of the lines.
func TestProblemsAtOnce(t *testing.T) {
	err := newBench(t).check(t, "banks:\n  - name: 7\n    colour: red\nbins: 4\n")
	want := `data/file.yaml:2: banks[0].bankId: a value is required
data/file.yaml:2: banks[0].name: must be a text, in quotes where it looks like something else
data/file.yaml:3: banks[0].colour: is unknown
data/file.yaml:4: bins: must be a list`
	if err == nil {
		t.Fatal("no problems")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestAnyText checks that a file with lines lost, duplicated or truncated is either rejected with
// line numbers within the file, or read; it never makes the program panic.
func TestAnyText(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(r *rapid.T) {
		lines := strings.SplitAfter(good, "\n")
		for range rapid.IntRange(1, 4).Draw(r, "changes") {
			i := rapid.IntRange(0, len(lines)-1).Draw(r, "line")
			switch rapid.IntRange(0, 2).Draw(r, "kind") {
			case 0:
				lines[i] = ""
			case 1:
				lines[i] += lines[rapid.IntRange(0, len(lines)-1).Draw(r, "other")]
			case 2:
				lines[i] = lines[i][:rapid.IntRange(0, len(lines[i])).Draw(r, "cut")]
			}
		}
		text := strings.Join(lines, "")
		err := b.check(t, text)
		if err == nil {
			return
		}
		problems, ok := err.(*Problems)
		if !ok || len(problems.List) == 0 {
			r.Fatalf("not a list of problems: %v", err)
		}
		for _, problem := range problems.List {
			// A parser may report a missing end one line after the last.
			if problem.Line < 1 || problem.Line > strings.Count(text, "\n")+2 {
				r.Errorf("line %d of a file of %d", problem.Line, strings.Count(text, "\n"))
			}
		}
	})
}

func TestReadNoFile(t *testing.T) {
	_, err := Read(fstest.MapFS{}, "none.yaml")
	if err == nil {
		t.Error("a file that does not exist was read")
	}
}

// TestTooLarge checks that the rejection of a file that is too large says what to do about it.
func TestTooLarge(t *testing.T) {
	_, err := Read(fileWith(strings.Repeat("#", maxBytes+1)), "data/file.yaml")
	want := "data/file.yaml is larger than 64 MB: give its customers, accounts and access to " +
		"mintmark feed as NDJSON rows (docs/data.md), or split the file"
	if fmt.Sprint(err) != want {
		t.Error(err)
	}
}
