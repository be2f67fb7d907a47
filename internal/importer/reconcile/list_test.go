package reconcile

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/importer"
	"mintmark/internal/store/reconciled"
)

const (
	headOfCards    = `{"kind":"cards","programId":8,"at":"2026-03-14T15:09:26Z"}` + "\n"
	headOfBalances = `{"kind":"balances","programId":8,"at":"2026-03-14T16:09:26+01:00"}` + "\n"
)

func spooled(t *testing.T, text string) *importer.Rows {
	t.Helper()
	file, err := importer.SpoolRows("list", t.TempDir(), strings.NewReader(text), -1)
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

// rowsIn reads a list to its end.
func rowsIn[R any](all iter.Seq2[R, error]) ([]R, error) {
	var rows []R
	for row, err := range all {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func TestCardsOfList(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"", "\n\n", `{"totals":{"cards":2}}`} {
		l, err := Begin(spooled(t, headOfCards+`{"cardId":5,"state":"open"}`+"\n\n"+
			`{"cardId":70,"state":"closed","lastFour":"0042","expireYear":2030,"expireMonth":12}`+
			"\n"+end))
		if err != nil {
			t.Fatal(err)
		}
		if l.Head != (Head{reconciled.Cards, 8, at}) {
			t.Errorf("the head is %+v", l.Head)
		}
		rows, err := rowsIn(l.cards())
		want := []Card{{ID: 5, State: Open}, {70, Closed, "0042", 2030, 12}}
		if err != nil || !cmp.Equal(rows, want) {
			t.Errorf("%+v, %v", rows, err)
		}
	}
}

func TestBalancesOfList(t *testing.T) {
	t.Parallel()
	l, err := Begin(spooled(t, headOfBalances+`{"accountId":1,"accountBalance":-0.5}`+"\n"+
		`{"accountId":2,"accountBalance":922337203685477.5807}`+"\n"+
		`{"totals":{"accounts":2,"balance":922337203685477.0807}}`))
	if err != nil || !l.At.Equal(at) {
		t.Fatal(l, err)
	}
	rows, err := rowsIn(l.balances())
	if err != nil || len(rows) != 2 || rows[0].Balance.TenThousandths != -5000 ||
		rows[1].Balance.TenThousandths != 1<<63-1 {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestMistakes checks that each mistake in a list is reported with its line.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, want string }{
		{"", "list:1: the list is empty: its first line names kind, programId and at"},
		{"[]", "list:1: must be an object"},
		{`{"kind":"cards"}`, "list:1: at: a moment is required, such as 2026-03-14T15:09:26Z\n" +
			"list:1: programId: must be a whole number from 1 to 2147483647"},
		{`{"kind":"pins","programId":8,"at":"today","x":1}`, "list:1: at: must be a moment with " +
			"its offset, such as 2026-03-14T15:09:26Z\nlist:1: kind: \"pins\" is not one of: " +
			"cards, balances\nlist:1: x: is not a known member"},
		{headOfCards + "{", "list:2: is not valid JSON"},
		{headOfCards + `{"cardId":5}`, "list:2: state: must be one of open, locked, hotlisted, " +
			"closed"},
		{headOfCards + `{"cardId":5,"state":"Open","tag":"x"}`, "list:2: state: must be one of " +
			"open, locked, hotlisted, closed\nlist:2: tag: is not a known member"},
		{headOfCards + `{"cardId":-1,"state":"open"}`, "list:2: cardId: must be a whole number " +
			"from 1 to 2147483647"},
		{headOfCards + `{"cardId":5,"state":"open"}` + "\n" + `{"cardId":5,"state":"open"}`,
			"list:3: cardId: follows 5: the rows ascend, each number once"},
		{headOfCards + `{"cardId":5,"state":"open"}` + "\n" + `{"cardId":4,"state":"open"}`,
			"list:3: cardId: follows 5: the rows ascend, each number once"},
		{headOfCards + `{"cardId":5,"state":"open","lastFour":"123"}`,
			"list:2: lastFour: must be four digits"},
		{headOfCards + `{"cardId":5,"state":"open","lastFour":"12 4"}`,
			"list:2: lastFour: must be four digits"},
		{headOfCards + `{"cardId":5,"state":"open","expireYear":30,"expireMonth":13}`,
			"list:2: expireMonth: must be 1 to 12\nlist:2: expireYear: must be a year of four " +
				"digits"},
		{headOfCards + `{"cardId":5,"state":"open","expireMonth":3}`,
			"list:2: expireYear: must be given with expireMonth, or not at all"},
		{headOfCards + `{"accountId":5,"accountBalance":3}`, "list:2: accountBalance: is not a known " +
			"member\nlist:2: accountId: is not a known member\n" +
			"list:2: cardId: must be a whole number from 1 to 2147483647\n" +
			"list:2: state: must be one of open, locked, hotlisted, closed"},
		{headOfBalances + `{"accountId":5}`, "list:2: accountBalance: a value is required"},
		{headOfBalances + `{"accountId":5,"accountBalance":null}`,
			"list:2: accountBalance: must be a number"},
		{headOfBalances + `{"accountId":5,"accountBalance":"12"}`,
			`list:2: accountBalance: "\"12\"" is not a decimal number`},
		{headOfBalances + `{"accountId":5,"accountBalance":1.00001}`,
			`list:2: accountBalance: "1.00001" has more than 4 decimal digits`},
		{headOfCards + `{"cardId":5,"state":"open"}` + "\n" + `{"totals":{"cards":2}}`,
			"list:3: totals.cards: says 2, and the list has 1"},
		{headOfCards + `{"totals":{"cards":0}}` + "\n" + `{"cardId":5,"state":"open"}`,
			"list:2: must be the last line"},
		{headOfCards + `{"totals":null}`, "list:2: totals: must be an object"},
		{headOfCards + `{"totals":{"balance":0}}`, "list:2: totals.balance: is not a known " +
			"member\nlist:2: totals.cards: a value is required"},
		{headOfBalances + `{"accountId":5,"accountBalance":3}` + "\n" +
			`{"totals":{"accounts":1,"balance":3.01}}`,
			"list:3: totals.balance: says 3.01, and the list has 3.0000"},
		{headOfCards + strings.Repeat(" ", importer.MaxLine+1), "list:2: is longer than 65536 bytes"},
	} {
		l, err := Begin(spooled(t, row.text))
		if err == nil && l.Kind == reconciled.Balances {
			_, err = rowsIn(l.balances())
		} else if err == nil {
			_, err = rowsIn(l.cards())
		}
		problems := (*importer.Problems)(nil)
		if !errors.As(err, &problems) || err.Error() != row.want {
			t.Errorf("%s\ngot:\n%v\nwant:\n%s", row.text, err, row.want)
		}
	}
}
