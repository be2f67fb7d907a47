package auditlog

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
)

func (p *place) exportPart(t *testing.T, part Part) []string {
	t.Helper()
	var text bytes.Buffer
	err := ExportPart(t.Context(), p.store, part, func() io.Writer { return &text })
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(text.String()))
}

// sequencesIn returns the sequences of the entries in lines.
func sequencesIn(t *testing.T, lines []string) []int {
	t.Helper()
	var ids []int
	for _, text := range lines {
		l, err := audit.ReadLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if l.Sequence != 0 {
			ids = append(ids, l.Sequence)
		}
	}
	return ids
}

// TestExportPart exports the entries in an operator's scope and in a span of time. Each part
// verifies without the database, and without the rest.
func TestExportPart(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			s := p.sealer("one")
			p.act(t, 7)
			p.seal(t, s, 7)
			p.act(t, 5)
			p.seal(t, s, 5)
			even := func(e audit.Entry) bool { return e.Subject.Number(audit.Card)%2 == 0 }
			at := func(number int) time.Time { return example(number).At }
			for _, row := range []struct {
				part Part
				want []int
			}{
				{Part{}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
				{Part{Sees: even}, []int{2, 4, 6, 8, 10, 12}},
				{Part{From: at(3), To: at(6)}, []int{3, 4, 5}},
				{Part{From: at(10)}, []int{10, 11, 12}},
				{Part{To: at(2), Sees: even}, nil},
				{Part{From: at(12).Add(time.Hour)}, nil},
				{Part{To: at(1).Add(-time.Hour)}, nil},
			} {
				lines := p.exportPart(t, row.part)
				if got := sequencesIn(t, lines); !slices.Equal(got, row.want) {
					t.Errorf("%+v has %v, want %v", row.part, got, row.want)
				}
				report := p.verifyLines(t, s.head.Note, lines)
				if report.Err() != nil || !report.Part || report.Entries != len(row.want) {
					t.Errorf("%+v: %+v, %v", row.part, report, report.Err())
				}
			}
		})
	}
}

// TestEmptyPart exports a part of a log without sealed entries.
func TestEmptyPart(t *testing.T) {
	t.Parallel()
	err := ExportPart(t.Context(), embedded(t).store, Part{}, func() io.Writer {
		t.Error("the export is begun")
		return nil
	})
	if !errors.Is(err, ErrEmpty) {
		t.Errorf("the error is %v", err)
	}
}

// TestVerifyPart tampers with an export of a part in every detectable way.
func TestVerifyPart(t *testing.T) {
	t.Parallel()
	p, whole := exported(t)
	lines := p.exportPart(t, Part{Sees: func(e audit.Entry) bool {
		return e.Subject.Number(audit.Card) > 5005
	}})
	if len(lines) != 17 || p.verifyLines(t, "", lines).Err() != nil {
		t.Fatalf("%d lines, %v", len(lines), p.verifyLines(t, "", lines).Err())
	}
	for name, test := range map[string]struct {
		alter func(l []string) []string
		first int // bad entry
	}{
		"changed": {func(l []string) []string {
			l[3] = strings.Replace(l[3], "changed", "created", 1)
			return l
		}, 8},
		"changed with its hash": {func(l []string) []string {
			l[3] = withProofOf(t, rewrite(t, l[3]), l[3])
			return l
		}, 8},
		"with another proof": {func(l []string) []string {
			l[3] = withProofOf(t, l[3], l[4])
			return l
		}, 8},
		"without a proof": {func(l []string) []string {
			l[3] = withProofOf(t, l[3], whole[7])
			return l
		}, 8},
		"of the whole log": {func(l []string) []string { l[3] = whole[7]; return l }, 8},
		"moved":            {func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }, 10},
		"repeated":         {func(l []string) []string { return slices.Insert(l, 4, l[3]) }, 9},
		"cut":              {func(l []string) []string { return l[:10] }, 15},
		"no beginning":     {func(l []string) []string { return l[1:] }, 1},
		"begun twice":      {func(l []string) []string { return slices.Insert(l, 3, l[0]) }, 8},
		"follows the whole": {func(l []string) []string {
			return append(slices.Clone(whole), l...)
		}, 21},
		"a line of the whole": {func(l []string) []string { l[16] = whole[4]; return l }, 21},
		"another checkpoint": {func(l []string) []string {
			l[16] = withCheckpointOf(t, whole[4])
			return l
		}, 21},
		"a checkpoint within": {func(l []string) []string {
			l[3] = strings.TrimSuffix(l[3], "}\n") + `,"checkpoint":"x"}` + "\n"
			return l
		}, 8},
		"another size": {func(l []string) []string {
			l[0] = strings.Replace(l[0], `\n20\n`, `\n19\n`, 1)
			return l
		}, 1},
	} {
		report := p.verifyLines(t, "", test.alter(slices.Clone(lines)))
		if len(report.Findings) == 0 || report.Findings[0].First != test.first {
			t.Errorf("%s: found %v, want entry %d", name, report.Findings, test.first)
		}
	}
}

// withCheckpointOf returns a last line with the checkpoint of a batch.
func withCheckpointOf(t *testing.T, line string) string {
	t.Helper()
	l, err := audit.ReadLine([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	text, err := audit.Line{Checkpoint: l.Checkpoint}.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withProofOf returns a line with the proof of another one.
func withProofOf(t *testing.T, line, other string) string {
	t.Helper()
	l, err := audit.ReadLine([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	from, err := audit.ReadLine([]byte(other))
	if err != nil {
		t.Fatal(err)
	}
	l.Proof = from.Proof
	text, err := l.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
