package load

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// read reads a file.yaml of the text given, with documents beside it.
func read(text string) (*Data, error) {
	return Read(fstest.MapFS{
		"data/file.yaml":      {Data: []byte(text)},
		"data/docs/good.html": {Data: []byte("<p>Good</p>")},
		"data/docs/good.pdf":  {Data: []byte("%PDF-1.3 good")},
		"data/docs/bad.pdf":   {Data: []byte("GIF89a")},
		"data/docs/bad.html":  {Data: []byte("\xff\xfe")},
	}, "data/file.yaml")
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
        firstNumber: "400000000000000"
        lastNumber: "400000000999999"
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
    accessType: FULL
    birthDate: 1985-03-14
    firstName: Jane
    lastName: Sample
    mailingAddress: {line1: 1 Street, city: Town, postalCode: "10001", country: US}
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
  - {programId: 1, customerId: 1, accountId: 1, type: FULL}
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
	data, err := read(good)
	if err != nil {
		t.Fatal(err)
	}
	want := "1 banks, 1 programs, 1 bins, 1 keys, 1 customers, 1 accounts, 1 access rights, " +
		"1 documents, 1 cards"
	if diff := cmp.Diff(want, data.String()); diff != "" {
		t.Error(diff)
	}
}

// broken is a good text with one part replaced, and the problems that follow from it, each
// without the name of the file.
type broken struct {
	text, from, to string
	want           string
}

func TestProblems(t *testing.T) {
	for _, group := range [][]broken{
		brokenForm, brokenBanks, brokenPrograms, brokenKeys, brokenPeople, brokenDocuments,
		brokenCards,
	} {
		for _, c := range group {
			if !strings.Contains(c.text, c.from) {
				t.Fatalf("%q is not in the text", c.from)
			}
			_, err := read(strings.Replace(c.text, c.from, c.to, 1))
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

// TestProblemsAtOnce holds that problems are listed together, in the order of the lines.
func TestProblemsAtOnce(t *testing.T) {
	_, err := read("banks:\n  - name: 7\n    colour: red\nbins: 4\n")
	want := `data/file.yaml:2: banks[0].bankId: a value is required
data/file.yaml:2: banks[0].name: must be a text, in quotes where it looks like something else
data/file.yaml:3: banks[0].colour: is not known here
data/file.yaml:4: bins: must be a list`
	if err == nil {
		t.Fatal("no problems")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestAnyText holds that a file with lines lost, doubled or cut off is refused with line numbers
// inside the file, or read; it never stops the program.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.SplitAfter(good, "\n")
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				lines[i] = ""
			case 1:
				lines[i] += lines[rapid.IntRange(0, len(lines)-1).Draw(t, "other")]
			case 2:
				lines[i] = lines[i][:rapid.IntRange(0, len(lines[i])).Draw(t, "cut")]
			}
		}
		text := strings.Join(lines, "")
		_, err := read(text)
		if err == nil {
			return
		}
		problems, ok := err.(*Problems)
		if !ok || len(problems.List) == 0 {
			t.Fatalf("not a list of problems: %v", err)
		}
		for _, problem := range problems.List {
			// A parser may find an end that is missing one line behind the last.
			if problem.Line < 1 || problem.Line > strings.Count(text, "\n")+2 {
				t.Errorf("line %d of a file of %d", problem.Line, strings.Count(text, "\n"))
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
