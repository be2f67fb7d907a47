package feed

import (
	"context"
	"errors"
	"io"

	"mintmark/internal/base/progress"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer"
	"mintmark/internal/store"
)

// batchRows is the number of rows that are read from the file together.
const batchRows = 512

// batch is a part of the file, located by its first row.
type batch struct {
	offset  int64
	bytes   int64
	line    int
	rows    int
	differs bool // the store differs from at least one of the rows
}

// readHead reads the first line of the file.
func readHead(from *importer.Lines, problems *importer.Problems) (Head, error) {
	var head Head
	text, err := from.Next(problems)
	if errors.Is(err, io.EOF) {
		problems.Add(1, "", "the file is empty: its first line names source, programId and "+
			"sequence")
		return head, problems.Err()
	}
	if err != nil {
		return head, err
	}
	problems.AddAll(from.Number, strictjson.Read(text, func(o *strictjson.Object) {
		head = Head{
			Source: o.String("source"), ProgramID: o.Int("programId"),
			Sequence: o.Int("sequence"),
		}
		o.Check(head)
	}))
	return head, problems.Err()
}

// checked is the result of the check of a file.
type checked struct {
	batches []batch // the ones that differ from the store
	totals  *customer.AccountTotals
	add     customer.AccountTotals // what the file adds to the program's totals
}

// check compares all rows after the first line with the store, without writing, and records the
// problems and the batches that differ. After is the last line that an earlier run applied.
func (p *pass) check(
	ctx context.Context, from *importer.Lines, throttle *importer.Throttle, after int,
) (checked, error) {
	var c checked
	for more := true; more; {
		rows, totals, err := p.readBatch(from, batchRows)
		if err != nil {
			return c, err
		}
		at := batch{
			offset: rows.offset, bytes: from.Offset - rows.offset, line: rows.line,
			rows: len(rows.rows),
		}
		progress.Add(ctx, at.bytes)
		if totals != nil {
			c.totals = totals
		}
		more = rows.more
		rest := p.skip(rows.rows, after)
		if len(rest) == 0 {
			continue
		}
		err = throttle.View(ctx, func(r store.Tx) error {
			p.enter(r, nil)
			_, err := p.take(rest, nil)
			return err
		})
		if err != nil {
			return c, err
		}
		p.leave()
		c.add.Accounts += p.out.totals.Accounts
		c.add.Balance += p.out.totals.Balance
		at.differs = p.out.counts.Differs()
		if at.differs {
			c.batches = append(c.batches, at)
		}
	}
	return c, p.problems.Err()
}

// leave adds the outcome of the transaction that has ended to the report.
func (p *pass) leave() {
	p.report.Counts.Add(p.out.counts)
	p.report.Erased += p.out.erased
	p.known.add(p.out.notes)
	for _, next := range p.out.changes {
		p.options.Tell(next)
	}
}

// skip returns the rows after a line. Of the others, it only notes the lines.
func (p *pass) skip(rows []row, after int) []row {
	p.enter(nil, nil)
	rest := rowsAfter(rows, after)
	for _, at := range rows[:len(rows)-len(rest)] {
		switch at.list {
		case cards: // the store has their numbers and names
		case customers:
			p.out.notes.customers[at.customerID] = int32(at.line)
		case access:
			p.out.notes.access[at.pair()] = int32(at.line)
		default:
			noted := p.notedAccount(at.accountID)
			if at.list == accounts {
				noted.accountLine = int32(at.line)
			} else {
				noted.balanceLine = int32(at.line)
			}
			p.out.notes.accounts[at.accountID] = noted
		}
	}
	p.known.add(p.out.notes)
	return rest
}

// read is a batch of parsed rows.
type read struct {
	offset int64 // of its first row
	line   int
	rows   []row
	more   bool // more rows may follow
}

// readBatch reads up to most rows, and the totals if the last line has them.
func (p *pass) readBatch(from *importer.Lines, most int) (read, *customer.AccountTotals, error) {
	got := read{offset: from.Offset, line: from.Number + 1, more: true}
	for len(got.rows) < most {
		text, err := from.Next(p.problems)
		if errors.Is(err, io.EOF) {
			got.more = false
			return got, nil, nil
		}
		if err != nil {
			return got, nil, err
		}
		if p.vault != nil {
			got.rows = append(got.rows, readCard(from.Number, text))
			continue
		}
		if totals, ok := p.readTotals(from.Number, text); ok {
			got.more = false
			if _, err := from.Next(p.problems); !errors.Is(err, io.EOF) {
				p.problems.Add(from.Number, "", "follows the totals, which must be the last line")
			}
			return got, totals, nil
		}
		if next, fine := readRow(from.Number, text, p.problems); fine {
			got.rows = append(got.rows, next)
		}
	}
	return got, nil, nil
}

// readTotals parses the totals, and reports whether the line holds them.
func (p *pass) readTotals(line int, text []byte) (*customer.AccountTotals, bool) {
	object, _ := strictjson.Open(text)
	if object == nil || !object.Has("totals") {
		return nil, false
	}
	var totals customer.AccountTotals
	if object.Raw("totals") == nil {
		object.Reject("totals", "must be an object")
	}
	object.Nested("totals", func(o *strictjson.Object) {
		var balance value.Amount
		for _, name := range []string{"accounts", "balance"} {
			if !o.Has(name) {
				o.Reject(name, "a value is required")
			}
		}
		totals.Accounts = o.Int("accounts")
		members{o}.amount("balance", &balance)
		totals.Balance = balance.TenThousandths
	})
	p.problems.AddAll(line, object.Rest())
	return &totals, true
}
