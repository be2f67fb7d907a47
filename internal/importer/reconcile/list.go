package reconcile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/importer"
	"mintmark/internal/store/reconciled"
)

// Head is the first line of a list: its kind, its program, and the time of its data.
type Head struct {
	Kind      reconciled.Kind
	ProgramID int
	At        time.Time
}

// Rules validates the members of a head.
func (h Head) Rules(r *problem.Rules) {
	problem.OneOf(r, "kind", h.Kind, reconciled.Kinds)
	r.ID("programId", h.ProgramID)
	if h.At.IsZero() {
		r.Add("at", "a moment is required, such as 2026-03-14T15:09:26Z")
	}
}

// List reads a list. Its rows can be read only once, in order.
type List struct {
	Head
	problems *importer.Problems
	lines    *importer.Lines
	rows     int
	balance  int64 // the sum of the balances, in ten-thousandths
}

// Begin reads the head of a list. An invalid head is an *importer.Problems.
func Begin(file *importer.Rows) (*List, error) {
	l := &List{problems: importer.NewProblems(file.Name), lines: file.Lines(0, 1)}
	text, err := l.lines.Next(l.problems)
	if errors.Is(err, io.EOF) {
		l.problems.Add(1, "", "the list is empty: its first line names kind, programId and at")
		return nil, l.problems.Err()
	}
	if err != nil {
		return nil, err
	}
	l.problems.AddAll(l.lines.Number, strictjson.Read(text, func(o *strictjson.Object) {
		l.Head = Head{
			Kind: reconciled.Kind(o.String("kind")), ProgramID: o.Int("programId"),
			At: o.Time("at").UTC(),
		}
		o.Check(l.Head)
	}))
	return l, l.problems.Err()
}

// Refuse rejects the list because of a member of its head.
func (l *List) Refuse(member, format string, args ...any) error {
	l.problems.Add(1, member, format, args...)
	return l.problems.Err()
}

// cards yields the rows of a card list.
func (l *List) cards() iter.Seq2[Card, error] {
	return rowsOf(l, "cardId", func(o *strictjson.Object) Card {
		c := Card{
			State: State(o.String("state")), LastFour: o.String("lastFour"),
			ExpireYear: o.Int("expireYear"), ExpireMonth: o.Int("expireMonth"),
		}
		if !slices.Contains(States, c.State) {
			o.Reject("state", fmt.Sprintf("must be one of %s", problem.Names(States)))
		}
		notDigits := func(r rune) bool { return r < '0' || r > '9' }
		if o.Has("lastFour") &&
			(len(c.LastFour) != 4 || strings.ContainsFunc(c.LastFour, notDigits)) {
			o.Reject("lastFour", "must be four digits")
		}
		const firstYear, lastYear = 1000, 9999
		if o.Has("expireYear") && (c.ExpireYear < firstYear || c.ExpireYear > lastYear) {
			o.Reject("expireYear", "must be a year of four digits")
		}
		if o.Has("expireMonth") && (c.ExpireMonth < 1 || c.ExpireMonth > 12) {
			o.Reject("expireMonth", "must be 1 to 12")
		}
		if o.Has("expireYear") != o.Has("expireMonth") {
			o.Reject("expireYear", "must be given with expireMonth, or not at all")
		}
		return c
	}, func(c *Card) *int { return &c.ID })
}

// balances yields the rows of a balance list.
func (l *List) balances() iter.Seq2[Account, error] {
	return rowsOf(l, "accountId", func(o *strictjson.Object) Account {
		var a Account
		if !o.Has("accountBalance") {
			o.Reject("accountBalance", "a value is required")
		}
		a.Balance = amount(o, "accountBalance")
		l.balance += a.Balance.TenThousandths
		return a
	}, func(a *Account) *int { return &a.ID })
}

// amount reads an amount, which must not be null.
func amount(o *strictjson.Object, name string) value.Amount {
	if o.Has(name) && o.Raw(name) == nil {
		o.Reject(name, "must be a number")
	}
	return o.Amount(name)
}

// rowsOf yields the rows after the head and skips invalid ones. After the last row it yields all
// problems of the list as an error.
func rowsOf[R any](
	l *List, name string, take func(*strictjson.Object) R, id func(*R) *int,
) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		for last := 0; ; {
			text, err := l.lines.Next(l.problems)
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = l.problems.Err()
				}
				if err != nil {
					yield(none, err)
				}
				return
			}
			o, problems := strictjson.Open(bytes.Clone(text))
			if o == nil {
				l.problems.AddAll(l.lines.Number, problems)
				continue
			}
			if o.Has("totals") {
				if err := l.end(o); err != nil {
					yield(none, err)
				}
				return
			}
			row := take(o)
			l.rows++
			number := o.Int(name)
			switch {
			case number < 1:
				o.Reject(name, fmt.Sprintf("must be a whole number from 1 to %d", problem.MaxID))
			case number <= last:
				o.Reject(name, fmt.Sprintf("follows %d: the rows ascend, each number once", last))
			default:
				last = number
			}
			*id(&row) = number
			if l.problems.AddAll(l.lines.Number, o.Rest()) && !yield(row, nil) {
				return
			}
		}
	}
}

// end compares the totals in the last line with the rows before it: a truncated list must not lead
// to a report.
func (l *List) end(o *strictjson.Object) error {
	line := l.lines.Number
	counted := "cards"
	if l.Kind == reconciled.Balances {
		counted = "accounts"
	}
	if o.Raw("totals") == nil {
		o.Reject("totals", "must be an object")
	}
	o.Nested("totals", func(t *strictjson.Object) {
		if !t.Has(counted) {
			t.Reject(counted, "a value is required")
		}
		if count := t.Int(counted); t.Has(counted) && count != l.rows {
			t.Reject(counted, fmt.Sprintf("says %d, and the list has %d", count, l.rows))
		}
		if l.Kind != reconciled.Balances {
			return
		}
		sum := amount(t, "balance")
		if t.Has("balance") && sum.TenThousandths != l.balance {
			t.Reject("balance", fmt.Sprintf("says %s, and the list has %s", sum,
				value.Amount{TenThousandths: l.balance}.Fixed(value.AmountDigits)))
		}
	})
	l.problems.AddAll(line, o.Rest())
	if _, err := l.lines.Next(l.problems); !errors.Is(err, io.EOF) {
		l.problems.Add(line, "", "must be the last line")
	}
	return l.problems.Err()
}
