package feed

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/importer"
)

func put(kind, members string) string {
	return `{"kind":"` + kind + `","op":"put",` + members + "}\n"
}

func remove(kind, members string) string {
	return strings.Replace(put(kind, members), "put", "delete", 1)
}

// mistake is a rejected text, and a part of the error.
type mistake struct{ text, want string }

var wholeMistakes = []mistake{
	{"", "core.ndjson:1: the file is empty"},
	{"[]", "core.ndjson:1: must be an object"},
	{`{"source":1}`, "core.ndjson:1: programId: must be a whole number from 1"},
	{`{"source":"4111.1111.1111.1111"}`, ":1: source: must not hold a card number"},
	{`{"source":" core","programId":1,"sequence":1}`, ":1: source: must not begin or end"},
	{`{"source":"core\u2003","programId":1,"sequence":1}`, ":1: source: must not begin or end"},
	{`{"source":"core","programId":99,"sequence":1}`, ":1: programId: there is no program 99"},
	{head1 + `{`, ":2: is not valid JSON"},
	{head1 + "\n\n" + `{"kind":"card"}`, ":4: kind: must be customer, account, access or"},
	{head1 + strings.Repeat("x", importer.MaxLine+1), ":2: is longer than 65536 bytes"},
	{head1 + newCustomer + newCustomer, ":3: customerId: is the same as in line 2"},
	{head1 + newAccess, ":2: customerId: there is no customer 7100"},
	{head1 + newAccount, ":2: customerId: there is no customer 7100"},
	{head1 + newCustomer + newAccess, ":3: accountId: there is no account 7200"},
	{head1 + `{"totals":{"accounts":1}}`, ":2: totals.balance: a value is"},
	{head1 + `{"totals":null}`, ":2: totals: must be an object"},
	{head1 + `{"totals":{"accounts":1,"balance":1}}` + "\n{}", ":3: follows the totals"},
}

// rowMistakes are mistakes in a single row after the first line.
var rowMistakes = []mistake{
	{put("customer", `"customerId":7100`), ":2: birthDate: a value is required"},
	{put("customer", `"customerId":"a"`), ":2: customerId: must be a whole number"},
	{ofCustomer(`"status":"Great"`), `:2: status: "Great" is not`},
	{ofCustomer(`"access":"ALL"`), `:2: access: "ALL" is not`},
	{ofCustomer(`"isLocked":1`), ":2: isLocked: must be true"},
	{ofCustomer(`"birthDate":"x"`), ":2: birthDate: must be a date"},
	{ofCustomer(`"shoeSize":44`), ":2: shoeSize: is not a known member"},
	{ofCustomer(`"mailing":{"town":"x"}`), ":2: mailing.town: is not a known member"},
	{ofCustomer(`"mailing":{"city":""}`), ":2: mailing.city: a value"},
	{ofAccount(`"accountBalance":1.234`), ":2: accountBalance: has more decimal digits"},
	{ofAccount(`"accountNumber":"12"`), ":2: accountNumber: "},
	{ofAccount(`"accountNumber":"12345678","numberMasked":"****5678"`), ":2: numberMasked: "},
	{ofAccount(`"customerId":1002`), "refused unless --accept account-moved"},
	{ofAccount(`"type":"Savings"`), "refused unless --accept account-type"},
	{put("balance", `"accountId":2001`), ":2: needs a balance"},
	{put("balance", `"accountBalance":1`), ":2: accountId: must be a whole number from 1"},
	{put("balance", `"accountId":9999,"accountBalance":1`), "there is no account 9999"},
	{put("balance", `"accountId":2001,"accountBalance":"1"`), ":2: accountBalance: "},
	{put("access", `"customerId":1001,"accountId":2001,"access":"ALL"`), ":2: access: "},
	{remove("balance", `"accountId":2001`), ":2: op: must be put"},
	{remove("customer", `"customerId":1001`), ":2: op: customer 1001 has "},
	{remove("customer", `"customerId":4711`), "there is no customer 4711"},
	{remove("account", `"accountId":2001`), ":2: op: account 2001 has money"},
	{remove("account", `"accountId":2001,"tag":"x"`), ":2: tag: is not a known member"},
}

func ofCustomer(members string) string { return put("customer", `"customerId":1001,`+members) }

func ofAccount(members string) string { return put("account", `"accountId":2001,`+members) }

// TestProblems feeds invalid rows. Nothing changes, and each problem names its line.
func TestProblems(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	before := rows(t, kept)
	refused := func(text, want string) {
		_, err := run(t, kept, text, Options{})
		var problems *importer.Problems
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.90s\n%v\nwant %s", text, err, want)
		}
	}
	for _, m := range wholeMistakes {
		refused(m.text, m.want)
	}
	for _, m := range rowMistakes {
		refused(head1+m.text, m.want)
	}
	if diff := cmp.Diff(before, rows(t, kept)); diff != "" {
		t.Errorf("what is refused has changed something: %s", diff)
	}
}

// TestDocument checks that the rows in docs/data.md are those of the example, and that they and the
// totals shown there can be fed.
func TestDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Feed\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var blocks []string
	for _, part := range strings.Split(section, "```json\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	if len(blocks) != 2 || blocks[0] != Example {
		t.Fatalf("docs/data.md has %d blocks of rows: %q", len(blocks), blocks)
	}
	kept := newDemo(t)
	report := mustRun(t, kept, strings.Join(blocks, ""))
	if report.Totals == nil || report.Counts.Of(customers).Added != 1 {
		t.Errorf("the rows of docs/data.md: %q", report.Lines())
	}
	if report.Differs() {
		t.Errorf("the totals of docs/data.md differ: %q", report.Lines())
	}
}
