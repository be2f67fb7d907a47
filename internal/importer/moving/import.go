package moving

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/doccheck"
	"mintmark/internal/domain/program"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/importer"
	"mintmark/internal/store"
)

// importAct is the act of an import in the audit log. No rule of package event turns it into an
// event.
const importAct = "import program"

// maxLine is the maximum length of a line: the PDF of a document has up to 16 MB, and base64 adds a
// third.
const maxLine = 32 << 20

// Options configures an import.
type Options struct {
	Actor  audit.Actor
	Reach  subscription.Reach // of webhooks
	DryRun bool
	// KeepAudit stores the output of a function: the audit lines of the other installation. The
	// program is imported only after KeepAudit returns, because nothing can produce the lines
	// later. If nil, they are dropped.
	KeepAudit func(write func(io.Writer) error) error
}

// Report describes an imported file.
type Report struct {
	Head
	Tallies
}

// Import imports a program, all or nothing. It first checks every line and returns an
// *importer.Problems if anything is wrong.
func Import(
	ctx context.Context, kept store.Store, vault Vault, file *importer.Rows, o Options,
) (*Report, error) {
	arriving := &importRun{file: file, vault: vault, Options: o}
	err := kept.View(ctx, func(r store.Tx) error { return arriving.check(ctx, r) })
	if err != nil || o.DryRun {
		return &arriving.report, err
	}
	if o.KeepAudit != nil {
		if err := o.KeepAudit(arriving.writeAudit); err != nil {
			return nil, err
		}
	}
	return &arriving.report, kept.Update(ctx, arriving.put)
}

// importRun is one import.
type importRun struct {
	Options
	file   *importer.Rows
	vault  Vault
	report Report
	others others // what the file was checked against
}

// each calls row with each line of the file until an error occurs.
func (a *importRun) each(problems *importer.Problems, row func(number int, l line) error) error {
	lines := a.file.LongLines(maxLine)
	for {
		text, err := lines.Next(problems)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			problems.Add(lines.Number, "", "is not a line of a program that was exported")
			return problems.Err()
		}
		if err := row(lines.Number, l); err != nil {
			return err
		}
	}
}

// check records everything that prevents the file from being put.
func (a *importRun) check(ctx context.Context, r store.Tx) error {
	problems := importer.NewProblems(a.file.Name)
	t := &target{
		r: r, vault: a.vault, reach: a.Reach, problems: problems, file: fileRows{
			bins: make(map[int]program.Bin), customers: make(map[int]bool),
			accounts: make(map[int]bool), cards: make(map[int]bool),
		},
		checkPDF: func(pdf []byte) (string, error) { return doccheck.PDF(ctx, pdf) },
	}
	a.report = Report{}
	counting := make(counting)
	last := 0
	rows := &checkedRows{target: t}
	err := a.each(problems, func(number int, l line) error {
		t.line, last = number, number
		switch {
		case number == 1:
			return a.checkHead(t, l)
		case a.report.Tallies != nil:
			problems.Add(number, "", "stands behind the last line")
		case l.Kind == endKind:
			return json.Unmarshal(l.Value, &a.report.Tallies)
		default:
			counting.add(l.Kind, l.Value)
			return rows.add(l)
		}
		return nil
	})
	if err == nil {
		err = rows.check()
	}
	if err != nil {
		return err
	}
	t.checkReferences()
	if t.file.programs != 1 {
		problems.Add(last, "", "ends a file of %d programs: one is expected", t.file.programs)
	}
	if !maps.Equal(a.report.Tallies, counting.tallies()) {
		problems.Add(last, "", "the counts and digests are not those of the lines: the file is not whole")
	}
	return problems.Err()
}

// checkHead reads the first line, and what the rows are compared with.
func (a *importRun) checkHead(t *target, l line) error {
	if err := json.Unmarshal(l.Value, &a.report.Head); err != nil || l.Kind != headKind {
		t.problems.Add(1, "", "is not the first line of a program that was exported")
		return t.problems.Err()
	}
	if a.report.Format != Format {
		t.problems.Add(1, "format", "is %d, and this version reads %d", a.report.Format, Format)
		return t.problems.Err()
	}
	installation, err := t.r.Installation().Find()
	if err != nil {
		return err
	}
	if installation.Environment != a.report.Environment {
		t.problems.Add(1, "environment", "is %s, and this installation is for %s",
			a.report.Environment, installation.Environment)
		return t.problems.Err()
	}
	t.program = a.report.Program
	if a.others, err = findOthers(t.r); err != nil {
		return err
	}
	t.others = a.others
	if slices.Contains(t.others.programs, t.program) {
		t.reportTaken("programId", "program", t.program)
	}
	t.digests, err = t.r.CardNumbers().FindDigestState()
	return err
}

// others describes the other programs of the installation, as far as rows are compared with them.
type others struct {
	programs []int
	bins     []program.Bin
	zones    map[int]string // the time zone of a bank's programs, by bank id
}

func findOthers(r store.Tx) (others, error) {
	known := others{zones: make(map[int]string)}
	names, err := r.Programs().ListNames()
	if err != nil {
		return known, err
	}
	for _, name := range names {
		of, err := r.Programs().FindIssuing(name.ID)
		if err != nil {
			return known, err
		}
		known.programs = append(known.programs, name.ID)
		known.bins = append(known.bins, of.Bins...)
		known.zones[name.BankID] = name.TimeZone
	}
	return known, nil
}

// checkedRows is a group of rows of one kind that are checked together.
type checkedRows struct {
	*target
	kind *kind
	rows []checkedRow
}

// add adds the row of a line, after it has checked the current group if the row does not belong to
// it. A problem never repeats the row, which may contain a card number.
func (c *checkedRows) add(l line) error {
	if l.Kind == auditKind {
		return nil
	}
	k := kindNamed(l.Kind)
	if k == nil {
		c.problems.Add(c.line, "kind", "is not known")
		return nil
	}
	row, err := k.read(l.Value)
	if err != nil {
		c.problems.Add(c.line, "", "is not a row of this kind")
		return nil
	}
	next := checkedRow{c.line, row}
	if k != c.kind || k.find == nil || len(c.rows) == page {
		if err := c.check(); err != nil {
			return err
		}
	}
	c.kind, c.rows = k, append(c.rows, next)
	return nil
}

// check checks the group and empties it.
func (c *checkedRows) check() error {
	if len(c.rows) > 0 && c.kind.find != nil {
		if err := c.kind.find(c.target, c.rows); err != nil {
			return err
		}
	}
	for _, next := range c.rows {
		c.line = next.line
		if err := c.kind.check(c.target, next.row); err != nil {
			return err
		}
	}
	c.rows = c.rows[:0]
	return nil
}

func kindNamed(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// errChanged ends an import whose check is outdated.
var errChanged = errors.New("programs or BINs of the installation changed during the check: import again")

// put puts all rows and the audit entry of the file. No index enforces the comparisons of the
// check, so put fails if what the rows were compared with has changed.
func (a *importRun) put(tx store.Tx) error {
	now, err := findOthers(tx)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(now, a.others) {
		return errChanged
	}
	state, err := tx.CardNumbers().FindDigestState()
	if err != nil {
		return err
	}
	t := &target{
		r: tx, tx: tx, vault: a.vault, reach: a.Reach, program: a.report.Program, digests: state,
	}
	err = a.each(importer.NewProblems(a.file.Name), func(number int, l line) error {
		k := kindNamed(l.Kind)
		if k == nil {
			return nil // the first line, the last one, or an audit line
		}
		row, err := k.read(l.Value)
		if err == nil {
			err = k.put(t, row)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	entry := a.file.Entry(importAct, a.Actor, tx.Now(), a.report.short(), nil, true)
	entry.ProgramID = a.report.Program
	return tx.Audit().Put(entry)
}

// writeAudit writes the audit lines in the format that mintmark audit verify reads.
func (a *importRun) writeAudit(to io.Writer) error {
	return a.each(importer.NewProblems(a.file.Name), func(_ int, l line) error {
		if l.Kind != auditKind {
			return nil
		}
		_, err := to.Write(append(bytes.Clone(l.Value), '\n'))
		return err
	})
}
