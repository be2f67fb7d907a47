package auditlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// exported returns the lines of an export of a log of 20 entries in batches of 5.
func exported(t *testing.T) (*place, []string) {
	t.Helper()
	p := sealed20(t, embedded(t))
	return p, p.export(t)
}

// sealed20 seals 20 entries in batches of 5.
func sealed20(t *testing.T, p *place) *place {
	t.Helper()
	s := p.sealer("one")
	for range 4 {
		p.act(t, 5)
		p.seal(t, s, 5)
	}
	return p
}

// onEach runs a test on each kind of database. Fresh opens one with 20 sealed entries.
func onEach(t *testing.T, test func(t *testing.T, fresh func() *place)) {
	t.Helper()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func() *place { return sealed20(t, open(t)) })
		})
	}
}

func (p *place) export(t *testing.T) []string {
	t.Helper()
	var text bytes.Buffer
	if err := Export(t.Context(), p.store, &text); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(text.String()))
}

// verifyLines returns the findings of a verification of files.
func (p *place) verifyLines(t *testing.T, checkpoint string, files ...[]string) *Report {
	t.Helper()
	var readers []io.Reader
	for _, lines := range files {
		readers = append(readers, strings.NewReader(strings.Join(lines, "")))
	}
	var checkpoints []string
	if checkpoint != "" {
		checkpoints = []string{checkpoint}
	}
	report, err := VerifyExport(p.keys.LogVerifier(), checkpoints, readers...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// rewrite changes the entry in a line and the hash with it.
func rewrite(t *testing.T, line string) string {
	t.Helper()
	l, err := audit.ReadLine([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := l.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	sealed.Outcome = "forged"
	forged := audit.LineOf(sealed)
	forged.Checkpoint = l.Checkpoint
	text, err := forged.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestExport tampers with an export in every way. The report names the first bad entry, or its
// batch.
func TestExport(t *testing.T) {
	t.Parallel()
	p, lines := exported(t)
	if len(lines) != 21 {
		t.Fatalf("%d lines", len(lines))
	}
	newest, err := Checkpoint(t.Context(), p.store)
	if err != nil {
		t.Fatal(err)
	}
	whole := p.verifyLines(t, newest, lines)
	if whole.Err() != nil || whole.Entries != 20 || whole.Checkpoint != newest {
		t.Fatalf("%+v: %v", whole, whole.Err())
	}
	without := func(from, to int) func([]string) []string {
		return func(l []string) []string { return slices.Delete(l, from, to) }
	}
	withoutCheckpoint := func(line string) string {
		checkpoint := strings.Index(line, `,"checkpoint"`)
		return line[:checkpoint] + "}\n"
	}
	swapped := func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }
	for name, test := range map[string]struct {
		alter func(l []string) []string
		blame blame
	}{
		"changed": {func(l []string) []string {
			l[6] = strings.Replace(l[6], "changed", "created", 1)
			return l
		}, blame{first: 7, last: 7}},
		"changed with its hash": {func(l []string) []string {
			l[6] = rewrite(t, l[6])
			return l
		}, blame{first: 6, last: 10}},
		"first removed":    {without(0, 1), blame{first: 1, last: 1}},
		"removed":          {without(6, 7), blame{first: 7, last: 7}},
		"last removed":     {without(19, 20), blame{first: 16, last: 20}},
		"cut":              {without(12, 21), blame{first: 13, last: 13}},
		"checkpoint alone": {without(0, 20), blame{first: 1, last: 1}},
		"swapped":          {swapped, blame{first: 4, last: 4}},
		"repeated": {func(l []string) []string {
			return slices.Insert(l, 6, l[5])
		}, blame{first: 7, last: 7}},
		"no JSON": {func(l []string) []string { l[2] = "x\n"; return l }, blame{first: 3, last: 3}},
		"another checkpoint": {func(l []string) []string {
			l[20] = strings.Replace(l[20], `\n20\n`, `\n19\n`, 1)
			return l
		}, blame{first: 20, last: 20}},
		"checkpoint of a batch": {func(l []string) []string {
			l[9] = strings.Replace(l[9], `\n10\n`, `\n11\n`, 1)
			return l
		}, blame{first: 6, last: 10}},
		"only the hash left": {func(l []string) []string {
			line, err := audit.ReadLine([]byte(l[6]))
			if err != nil {
				t.Fatal(err)
			}
			bare, err := audit.Line{Sequence: line.Sequence, Hash: line.Hash}.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			l[6] = string(bare)
			return l
		}, blame{first: 7, last: 7}},
		"no checkpoint of a batch": {func(l []string) []string {
			l[9] = withoutCheckpoint(l[9])
			return l
		}, blame{first: 21, last: 21}},
		"behind a signature": {func(l []string) []string {
			l[9] = strings.Replace(l[9], `\n"}`, `\nx"}`, 1)
			return l
		}, blame{first: 6, last: 10}},
		"a signature behind another": {func(l []string) []string {
			l[9] = strings.Replace(l[9], `\n"}`, `\n— other AAAAAAAA\n"}`, 1)
			return l
		}, blame{first: 6, last: 10}},
		"another signature of a batch": {func(l []string) []string {
			end := strings.LastIndex(l[9], `\n"}`)
			l[9] = l[9][:end-8] + "AAAAAA==" + l[9][end:]
			return l
		}, blame{first: 6, last: 10}},
		"behind the last signature": {func(l []string) []string {
			l[20] = strings.Replace(l[20], `\n","batches`, `\n— other AAAAAAAA\n","batches`, 1)
			return l
		}, blame{first: 20, last: 20}},
		"carriage return": {func(l []string) []string {
			l[6] = strings.Replace(l[6], "\n", "\r\n", 1)
			return l
		}, blame{first: 7, last: 7}},
		"no line feed": {func(l []string) []string {
			l[20] = strings.TrimSuffix(l[20], "\n")
			return l
		}, blame{first: 21, last: 21}},
		"another spelling of a moment": {func(l []string) []string {
			l[6] = strings.Replace(l[6], `Z","actor"`, `+00:00","actor"`, 1)
			return l
		}, blame{first: 7, last: 7}},
		"beside a checkpoint": {func(l []string) []string {
			l[20] = strings.Replace(l[20], "{", `{"act":"forged",`, 1)
			return l
		}, blame{first: 21, last: 21}},
		"hash alone": {func(l []string) []string {
			l[6] = strings.Replace(l[6], `"hash":"`, `"hash":"AAAA`, 1)
			return l
		}, blame{first: 7, last: 7}},
	} {
		report := p.verifyLines(t, "", test.alter(slices.Clone(lines)))
		test.blame.check(t, name, report)
	}
	old := slices.Clone(lines)
	old[20] = strings.Replace(old[20], `,"batches":4`, "", 1)
	if err := p.verifyLines(t, newest, old).Err(); err != nil {
		t.Errorf("an export of a version that counted no batches: %v", err)
	}
	// An older export is a prefix of a newer log, and not the other way round.
	p.act(t, 1)
	s := p.sealer("one")
	drain(t, s)
	blame{first: 21, last: 21}.check(t, "older", p.verifyLines(t, s.head.Note, lines))
	if err := p.verifyLines(t, newest, p.export(t)).Err(); err != nil {
		t.Error(err)
	}
}

// TestExportOfADamagedLog exports a log from which an entry was removed. The export does not
// verify.
func TestExportOfADamagedLog(t *testing.T) {
	t.Parallel()
	for _, row := range []int{1, 7} {
		p, _ := exported(t)
		change(t, p.connect(t), fmt.Sprintf(`DELETE FROM audit WHERE audit_id = %d`, row))
		blame{first: row, last: row}.check(t, "a removed entry", p.verifyLines(t, "", p.export(t)))
	}
}

// TestArchive moves entries to files. The log verifies with and without them, directly and
// exported, and a tampered file is detected.
func TestArchive(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		p := fresh()
		before := p.export(t)
		db := p.connect(t)
		change(t, db, `UPDATE sealed_batches SET sealed_at = first_sequence`)
		dir := t.TempDir()
		var files []string
		move := func(until int) (Archived, error) {
			name := filepath.Join(dir, "archive"+string(rune('a'+len(files))))
			files = append(files, name)
			return Move(t.Context(), p.store, Moving{
				Before: time.UnixMilli(int64(until)), File: name, Keys: p.keys, Put: putArchived,
			})
		}
		for _, step := range []struct{ until, first, last int }{{7, 1, 10}, {12, 11, 15}} {
			moved, err := move(step.until)
			if err != nil || moved != (Archived{step.first, step.last}) {
				t.Fatalf("moved %v, error %v", moved, err)
			}
		}
		if _, err := move(12); !errors.Is(err, ErrNothing) {
			t.Errorf("nothing to move gives %v", err)
		}
		files = files[:2]
		report := p.verify(t)
		if report.Err() != nil || report.Entries != 20 || report.Archived != 15 {
			t.Errorf("%+v: %v", report, report.Err())
		}
		p.wantArchived(t, files, 0)
		p.wantArchived(t, files[1:], 10)
		if err := p.store.View(t.Context(), func(r store.Tx) error {
			left, err := r.AuditLog().List(0, 99)
			if len(left) != 5 || left[0].Sequence != 16 {
				t.Errorf("left are %+v", left)
			}
			return err
		}); err != nil {
			t.Error(err)
		}

		var texts [][]string
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, slices.Collect(strings.Lines(string(text))))
		}
		after := p.export(t)
		for name, list := range map[string][][]string{
			"export": {after}, "archive": {texts[0]}, "archives": texts,
			"all": append(texts, after),
		} {
			if err := p.verifyLines(t, "", list...).Err(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if slices.Equal(before, after) {
			t.Error("the export still has the entries")
		}
		bad := strings.Replace(strings.Join(texts[1], ""), "changed", "created", 1)
		if err := os.WriteFile(files[1], []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		report = p.verifyArchives(t, files)
		blame{first: 11, last: 11}.check(t, "an archive that was changed", report)
	})
}

func putArchived(tx store.Tx, a Archived) error {
	return tx.Audit().Put(a.Entry(tx.Now(), audit.Actor{Kind: audit.Operator, Name: "alice"}))
}

// TestArchiveThatNeverWas removes the first entries, and claims that they were archived: with and
// without an earlier archive, and with a forged entry about it.
func TestArchiveThatNeverWas(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		p := fresh()
		db := p.connect(t)
		forge := func(through int, entry string) {
			change(t, db, fmt.Sprintf(`DELETE FROM audit WHERE audit_id <= %d`, through))
			change(t, db, fmt.Sprintf(`INSERT INTO archived_entries (through_sequence, archived_at)
				VALUES (%d, 1)`, through))
			if entry != "" {
				change(t, db, entry)
			}
		}
		change(t, db, `UPDATE sealed_batches SET sealed_at = first_sequence`)
		_, err := Move(t.Context(), p.store, Moving{
			Before: time.UnixMilli(7), File: filepath.Join(t.TempDir(), "archive"), Keys: p.keys,
			Put: putArchived,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.verify(t).Err(); err != nil {
			t.Fatal(err)
		}
		forge(12, "")
		blame{first: 11, last: 12}.check(t, "an archive that never was", p.verify(t))
		forge(13, fmt.Sprintf(`UPDATE audit SET outcome = '%s' WHERE route = '%s'`,
			fmt.Sprintf(archiveOutcome, 11, 13), archiveAct))
		report := p.verify(t)
		if !slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Last == 13 }) {
			t.Errorf("an entry that was made up: %v", report.Err())
		}
	})
}

func (p *place) verifyArchives(t *testing.T, files []string) *Report {
	t.Helper()
	with := Verification{Keys: p.keys}
	for _, name := range files {
		archive, err := OpenArchive(name)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		with.Archives = append(with.Archives, archive)
	}
	report, err := Verify(t.Context(), p.store, with)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func (p *place) wantArchived(t *testing.T, files []string, bare int) {
	t.Helper()
	report := p.verifyArchives(t, files)
	if report.Err() != nil || report.Entries != 20 || report.Archived != bare {
		t.Errorf("%d files: %+v: %v", len(files), report, report.Err())
	}
}

// TestArchiveOfADamagedLog removes no entry that is not intact in the file.
func TestArchiveOfADamagedLog(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, fresh func() *place) {
		p := fresh()
		change(t, p.connect(t), `DELETE FROM audit WHERE audit_id = 3`)
		file := filepath.Join(t.TempDir(), "archive")
		_, err := Move(t.Context(), p.store, Moving{
			Before: time.Now().Add(time.Hour), File: file, Keys: p.keys,
		})
		if err == nil {
			t.Fatal("a damaged log is archived")
		}
		blame{first: 3, last: 3}.check(t, "the log", p.verify(t))
		// A file is never replaced.
		if _, err := Move(t.Context(), p.store, Moving{
			Before: time.Now().Add(time.Hour), File: file, Keys: p.keys,
		}); !errors.Is(err, os.ErrExist) {
			t.Errorf("a file that exists gives %v", err)
		}
	})
}
