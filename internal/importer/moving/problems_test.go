package moving

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/testkit/testworld"
)

// numbers matches the card numbers in a text.
var numbers = regexp.MustCompile(`\d{16}`)

// alreadyThere matches a problem: its line, a kind and an identifier.
var alreadyThere = regexp.MustCompile(`:(\d+): \w+: there is (customer|account|card) (\d+) already`)

// TestProblems checks that all problems of a file are reported by line before anything is written,
// and that no card number is quoted.
func TestProblems(t *testing.T) {
	t.Parallel()
	kept := testworld.Memory(t, nil)
	fill(t, kept)
	text, tallies := export(t, kept, testworld.Keys(t))
	_, err := importText(t, kept, testworld.Keys(t), text, Options{})
	if err == nil {
		t.Fatal("a program is brought in twice")
	}
	known := 0
	for _, name := range []string{
		"program", "bin", "key", "customer", "account", "card", "number", "authorization",
	} {
		known += tallies[name].Count
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != known {
		t.Errorf("%d problems, want %d:\n%v", len(lines), known, err)
	}
	if numbers.MatchString(err.Error()) {
		t.Errorf("the problems have a card number:\n%v", err)
	}
	rows := strings.Split(text, "\n")
	for _, taken := range alreadyThere.FindAllStringSubmatch(err.Error(), -1) {
		line, _ := strconv.Atoi(taken[1])
		want := fmt.Sprintf(`{"kind":"%s","value":{"%[1]sId":%s,`, taken[2], taken[3])
		if !strings.HasPrefix(rows[line-1], want) {
			t.Errorf("%s\nof %s", taken[0], rows[line-1])
		}
	}
	for change, want := range map[[2]string]string{
		{`"format":2`, `"format":1`}:                                                          "1: format: is 1, and this version reads 2",
		{`"environment":"sandbox"`, `"a":1`}:                                                  "1: environment: is , and this installation is for sandbox",
		{`"kind":"head"`, `"kind":"tail"`}:                                                    "1: is not the first line of a program",
		{`"kind":"hold"`, `"kind":"held"`}:                                                    "kind: is not known",
		{`"isLocked":false`, `"isLost":false`}:                                                "is not a row of this kind",
		{`"isActive":true`, `"isActive":false`}:                                               "the file is not whole",
		{`{"kind":"end"`, `{"kind":"audit"`}:                                                  "the file is not whole",
		{"\n{\"kind\":\"bin\"", "\nbin"}:                                                      "is not a line of a program",
		{`https://hooks.example.com`, `ftp://hooks`}:                                          "url: ",
		{`"kind":"program","value"`, `"kind":"audit","value"`}:                                "ends a file of 0 programs",
		{`"kind":"access","value":{"customerId":`, `"kind":"access","value":{"customerId":9`}: "customerId: refers to 9",
		{`"kind":"account","value":{"accountId":`, `"kind":"account","value":{"accountId":-`}: "accountId: is not from 1 to",
		{`"accountIds":{"checking":[`, `"accountIds":{"checking":[77,`}:                       "accountIds: refers to 77",
		{`"replaces":`, `"replaces":9`}:                                                       "replaces: refers to 9",
		{`"replacedBy":`, `"replacedBy":9`}:                                                   "replacedBy: refers to 9",
		{`"kind":"card","value":{"cardId":`, `"kind":"card","value":{"cardId":199999`}:        "cardId: is above 1073741824",
		{`"kind":"number","value":{"cardId":`, `"kind":"number","value":{"cardId":9`}:         "cardId: refers to 9",
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		empty := testworld.Memory(t, nil)
		update(t, empty, claim(store.Sandbox))
		_, err := importText(t, empty, testworld.Keys(t), changed, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s for %s: %v, want %s", change[1], change[0], err, want)
		}
		ids := find(t, empty, func(r store.Tx) ([]int, error) { return r.Programs().List() })
		if len(ids) > 0 {
			t.Errorf("%s for %s: the programs are %v", change[1], change[0], ids)
		}
	}
	number := numbers.FindString(text[strings.Index(text, `"kind":"number"`):])
	broken := strings.Replace(text, number, fmt.Sprint(number[:15], (number[15]-'0'+1)%10), 1)
	empty := testworld.Memory(t, nil)
	update(t, empty, claim(store.Sandbox))
	_, err = importText(t, empty, testworld.Keys(t), broken, Options{})
	if err == nil || !strings.Contains(err.Error(), ": number: ") || numbers.MatchString(err.Error()) {
		t.Errorf("a number with a wrong check digit: %v", err)
	}
}
