package auditlog

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/testkit/testrun"
	"mintmark/internal/vault"
)

// tampered is a log that is tampered with repeatedly.
type tampered struct {
	*place
	t      *testing.T
	db     *sql.DB
	random *rand.Rand

	rows       []int  // of the sealed entries, by sequence less 1
	batches    []int  // first sequences
	waiting    []int  // unsealed rows
	checkpoint string // stored elsewhere, of all sealed entries
	other      *vault.Vault
}

// tables are the tables that are restored after each tampering.
var tables = []string{"audit", "sealed_batches", "sealed_hashes"}

// newTampered seals entries in batches of many sizes, and leaves a few unsealed.
func newTampered(t *testing.T, p *place, seed uint64) *tampered {
	t.Helper()
	w := &tampered{place: p, t: t, db: p.connect(t), random: rand.New(rand.NewPCG(seed, 7))}
	s := p.sealer("one")
	for _, count := range []int{1, 1, 7, 30, 2, 3, 64, 5, 1, 20, 11, 1} {
		p.act(t, count)
		p.seal(t, s, count)
		w.batches = append(w.batches, s.head.First)
		for _, row := range s.head.Rows {
			w.rows = append(w.rows, row.Row)
		}
	}
	w.checkpoint = s.head.Note
	p.act(t, 3)
	for row := range 3 {
		w.waiting = append(w.waiting, w.rows[len(w.rows)-1]+row+1)
	}
	for _, table := range tables {
		_, err := w.db.ExecContext(t.Context(),
			`CREATE TABLE pristine_`+table+` AS SELECT * FROM `+table)
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	w.other, err = newKeys()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// setBack reverts a tampering.
func (w *tampered) setBack() {
	for _, table := range tables {
		for _, text := range []string{
			`DELETE FROM ` + table, `INSERT INTO ` + table + ` SELECT * FROM pristine_` + table,
		} {
			if _, err := w.db.ExecContext(w.t.Context(), text); err != nil {
				w.t.Fatalf("%s: %v", text, err)
			}
		}
	}
}

// blame identifies the entries, or the row, that a finding must name first.
type blame struct {
	first, last int
	row         int
}

// tampering changes the database and returns the expected finding and a description.
type tampering func(w *tampered) (blame, string)

var tamperings = []tampering{
	changeColumn, changeColumn, changeDigest, takeDigest, removeRow, swapRows, copyRow, makeUpRow,
	fillHole, changeWaiting, removeBatch, changeRoot, changeNote, changeEvents, otherKey,
	rebuildTail, cutTail, relist, changeHash, changeMark,
}

// sequence returns a random sequence.
func (w *tampered) sequence() int { return 1 + w.random.IntN(len(w.rows)) }

// batchOf returns the first and last sequence of the batch that contains an entry.
func (w *tampered) batchOf(sequence int) (first, last int) {
	for i, begin := range w.batches {
		end := len(w.rows)
		if i+1 < len(w.batches) {
			end = w.batches[i+1] - 1
		}
		if sequence <= end {
			return begin, end
		}
	}
	return 0, 0
}

// columns are the columns of a row, with a change of each.
var columns = []string{
	"acted_at = acted_at + 1", "actor_kind = 'operator'", "key_name = key_name || 'x'",
	"address = '192.0.2.2'", "route = '/card/unlock'", "request_id = ''", "reason = 'none'",
	"program_id = program_id + 1", "customer_id = customer_id + 1", "card_id = card_id + 1",
	"subject_kind = 'customer'", "subject_id = subject_id || '0'", "outcome = 'unchanged'",
	"card_before = ''", "card_after = card_after || ' '",
}

func changeColumn(w *tampered) (blame, string) {
	sequence, column := w.sequence(), columns[w.random.IntN(len(columns))]
	change(w.t, w.db, `UPDATE audit SET `+column+` WHERE audit_id = $1`, w.rows[sequence-1])
	return blame{first: sequence, last: sequence}, fmt.Sprintf("%s of entry %d", column, sequence)
}

func changeDigest(w *tampered) (blame, string) {
	sequence, at := w.sequence(), w.random.IntN(32)
	digest := w.digestOf(w.rows[sequence-1])
	digest[at] ^= 1
	change(w.t, w.db, `UPDATE audit SET digest = $1 WHERE audit_id = $2`,
		digest, w.rows[sequence-1])
	return blame{first: sequence, last: sequence}, fmt.Sprintf("digest of entry %d", sequence)
}

func (w *tampered) digestOf(row int) []byte {
	var digest []byte
	err := w.db.QueryRowContext(w.t.Context(),
		`SELECT digest FROM audit WHERE audit_id = $1`, row).Scan(&digest)
	if err != nil {
		w.t.Fatal(err)
	}
	return digest
}

func takeDigest(w *tampered) (blame, string) {
	sequence := w.sequence()
	change(w.t, w.db, `UPDATE audit SET digest = NULL WHERE audit_id = $1`, w.rows[sequence-1])
	return blame{first: sequence, last: sequence}, fmt.Sprintf("no digest of entry %d", sequence)
}

func removeRow(w *tampered) (blame, string) {
	sequence := w.sequence()
	change(w.t, w.db, `DELETE FROM audit WHERE audit_id = $1`, w.rows[sequence-1])
	return blame{first: sequence, last: sequence}, fmt.Sprintf("entry %d removed", sequence)
}

func swapRows(w *tampered) (blame, string) {
	f, two := w.sequence(), w.sequence()
	for f == two {
		two = w.sequence()
	}
	const far = 1 << 40
	for _, step := range [][2]int{
		{w.rows[f-1], far}, {w.rows[two-1], w.rows[f-1]}, {far, w.rows[two-1]},
	} {
		change(w.t, w.db, `UPDATE audit SET audit_id = $1 WHERE audit_id = $2`, step[1], step[0])
	}
	first := min(f, two)
	return blame{first: first, last: first}, fmt.Sprintf("entries %d and %d swapped", f, two)
}

// insertRow copies a row, including its digest, to another number.
const insertRow = `INSERT INTO audit (audit_id, acted_at, key_name, address, route, request_id,
		program_id, customer_id, card_id, outcome, card_before, card_after, actor_kind, reason,
		subject_kind, subject_id, digest)
	SELECT $1, acted_at, key_name, address, route, request_id, program_id, customer_id, card_id,
		outcome, card_before, card_after, actor_kind, reason, subject_kind, subject_id, digest
	FROM audit WHERE audit_id = $2`

func copyRow(w *tampered) (blame, string) {
	sequence := w.sequence()
	row := w.waiting[len(w.waiting)-1] + 1 + w.random.IntN(3)
	change(w.t, w.db, insertRow, row, w.rows[sequence-1])
	return blame{row: row}, fmt.Sprintf("entry %d copied to row %d", sequence, row)
}

func makeUpRow(w *tampered) (blame, string) {
	row := w.waiting[len(w.waiting)-1] + 1
	change(w.t, w.db, insertRow, row, w.rows[w.sequence()-1])
	digest := any(nil)
	if w.random.IntN(2) == 0 {
		digest = w.other.DigestEntry([]byte("anything"))
	}
	change(w.t, w.db, `UPDATE audit SET card_id = 9, subject_id = '9', digest = $1
		WHERE audit_id = $2`, digest, row)
	return blame{row: row}, fmt.Sprintf("row %d made up", row)
}

// fillHole inserts a row where the database never inserts one.
func fillHole(w *tampered) (blame, string) {
	row := -w.random.IntN(3)
	change(w.t, w.db, insertRow, row, w.waiting[0])
	return blame{row: row}, fmt.Sprintf("row %d put in", row)
}

func changeWaiting(w *tampered) (blame, string) {
	row := w.waiting[w.random.IntN(len(w.waiting))]
	column := columns[w.random.IntN(len(columns))]
	change(w.t, w.db, `UPDATE audit SET `+column+` WHERE audit_id = $1`, row)
	return blame{row: row}, fmt.Sprintf("%s of row %d, which waits", column, row)
}

func removeBatch(w *tampered) (blame, string) {
	first, last := w.batchOf(w.sequence())
	if last == len(w.rows) { // that would be the newest: see cutTail
		first, last = w.batchOf(1)
	}
	change(w.t, w.db, `DELETE FROM sealed_batches WHERE first_sequence = $1`, first)
	return blame{first: first, last: last}, fmt.Sprintf("batch of %d removed", first)
}

func changeRoot(w *tampered) (blame, string) {
	first, last := w.batchOf(w.sequence())
	change(w.t, w.db, `UPDATE sealed_batches SET root = $1 WHERE first_sequence = $2`,
		make([]byte, 32), first)
	return blame{first: first, last: last}, fmt.Sprintf("root of the batch of %d", first)
}

func changeNote(w *tampered) (blame, string) {
	first, last := w.batchOf(w.sequence())
	note := strings.Replace(w.checkpoint, "\n", "x\n", 1)
	change(w.t, w.db, `UPDATE sealed_batches SET note = $1 WHERE first_sequence = $2`, note, first)
	return blame{first: first, last: last}, fmt.Sprintf("note of the batch of %d", first)
}

// changeEvents turns a random entry into an event, or an event into an ordinary entry.
func changeEvents(w *tampered) (blame, string) {
	first, last := w.batchOf(w.sequence())
	var rows []byte
	err := w.db.QueryRowContext(w.t.Context(),
		`SELECT audit_ids FROM sealed_batches WHERE first_sequence = $1`, first).Scan(&rows)
	if err != nil {
		w.t.Fatal(err)
	}
	rows[0] ^= 1
	change(w.t, w.db, `UPDATE sealed_batches SET audit_ids = $1 WHERE first_sequence = $2`,
		rows, first)
	return blame{first: first, last: last}, fmt.Sprintf("events of the batch of %d", first)
}

// changeMark changes a position that no hash covers, and from which the next batch continues.
func changeMark(w *tampered) (blame, string) {
	first, last := w.batchOf(w.sequence())
	mark := []string{
		"newest_audit_id = newest_audit_id + 9", "newest_audit_id = newest_audit_id - 1",
		"settled_audit_id = newest_audit_id + 9", "first_event = first_event + 1",
		"entries = entries + 1",
	}[w.random.IntN(5)]
	change(w.t, w.db, `UPDATE sealed_batches SET `+mark+` WHERE first_sequence = $1`, first)
	return blame{first: first, last: last + 1}, fmt.Sprintf("%s, batch of %d", mark, first)
}

// relist has a batch name its rows one number higher.
func relist(w *tampered) (blame, string) {
	first, last := w.batchOf(w.sequence())
	var rows []byte
	err := w.db.QueryRowContext(w.t.Context(),
		`SELECT audit_ids FROM sealed_batches WHERE first_sequence = $1`, first).Scan(&rows)
	if err != nil {
		w.t.Fatal(err)
	}
	rows[0] ^= 2
	change(w.t, w.db, `UPDATE sealed_batches SET audit_ids = $1 WHERE first_sequence = $2`,
		rows, first)
	return blame{first: first, last: last}, fmt.Sprintf("rows of the batch of %d", first)
}

// cut removes all batches from first on, as if nothing had been sealed since.
func (w *tampered) cut(first int) {
	change(w.t, w.db, `DELETE FROM sealed_batches WHERE first_sequence >= $1`, first)
	change(w.t, w.db, `DELETE FROM sealed_hashes WHERE first_hash >= $1`,
		tlog.StoredHashCount(int64(first-1)))
}

// forge changes an entry, and reseals everything from its batch on with the given keys.
func (w *tampered) forge(by *vault.Vault) (sequence int) {
	sequence = w.sequence()
	first, _ := w.batchOf(sequence)
	w.cut(first)
	if _, err := w.db.ExecContext(w.t.Context(), `DELETE FROM leases`); err != nil {
		w.t.Fatal(err)
	}
	e := example(9999)
	change(w.t, w.db, `UPDATE audit SET request_id = $1, subject_id = $2, card_id = $3,
		acted_at = $4, digest = $5 WHERE audit_id = $6`,
		e.RequestID, e.Subject.ID, 14999, e.At.UnixMilli(),
		by.DigestEntry(e.AppendContent(nil)), w.rows[sequence-1])
	forger := w.sealer("forger")
	forger.Keys = by
	w.seal(w.t, forger, len(w.rows)-first+1+len(w.waiting))
	return sequence
}

// otherKey forges the end of the log without having its keys.
func otherKey(w *tampered) (blame, string) {
	sequence := w.forge(w.other)
	first, _ := w.batchOf(sequence)
	return blame{first: first, last: len(w.rows) + len(w.waiting)},
		fmt.Sprintf("forged with another key from entry %d on", sequence)
}

// rebuildTail forges the end of the log with its own keys: only a checkpoint stored elsewhere
// reveals it.
func rebuildTail(w *tampered) (blame, string) {
	sequence := w.forge(w.keys)
	return blame{first: 1, last: len(w.rows)},
		fmt.Sprintf("forged with its own keys from entry %d on", sequence)
}

// cutTail removes the newest batches with their rows, and the unsealed rows.
func cutTail(w *tampered) (blame, string) {
	first, _ := w.batchOf(w.sequence())
	w.cut(first)
	change(w.t, w.db, `DELETE FROM audit WHERE audit_id >= $1`, w.rows[first-1])
	return blame{first: first, last: len(w.rows)}, fmt.Sprintf("cut at %d", first)
}

func changeHash(w *tampered) (blame, string) {
	first, last := w.batchOf(w.sequence())
	change(w.t, w.db, `UPDATE sealed_hashes SET hashes = $1 WHERE first_hash = $2`,
		make([]byte, 32), tlog.StoredHashCount(int64(first-1)))
	return blame{first: first, last: last}, fmt.Sprintf("hashes of the batch of %d", first)
}

// check compares a report with the tampering.
func (b blame) check(t *testing.T, what string, report *Report) {
	t.Helper()
	if len(report.Findings) == 0 {
		t.Errorf("%s: nothing was found", what)
		return
	}
	finding := report.Findings[0]
	if b.first == 0 {
		if finding.First != 0 || finding.Row != b.row {
			t.Errorf("%s: found %v", what, finding)
		}
		return
	}
	if finding.First < b.first || finding.Last > b.last || finding.Last < finding.First {
		t.Errorf("%s: found %v, want among %d to %d", what, finding, b.first, b.last)
	}
}

// TestTampering tampers with a log in a file, a thousand times in a full run, and several times
// with one on a server. Everything is detected, and the first bad entry is named.
func TestTampering(t *testing.T) {
	t.Parallel()
	times := map[string]int{"embedded": 5 * len(tamperings), "postgresql": 2 * len(tamperings)}
	if testrun.Full() {
		times["embedded"] = 1000
	}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTampered(t, open(t), uint64(times[name]))
			for i := range times[name] {
				blame, what := tamperings[i%len(tamperings)](w)
				blame.check(t, what, w.verify(t, w.checkpoint))
				w.setBack()
				if i%100 == 0 { // the control
					if err := w.verify(t, w.checkpoint).Err(); err != nil {
						t.Fatalf("after %s was undone: %v", what, err)
					}
				}
			}
		})
	}
}

// TestWhatCheckpointsAreFor checks that a log that was forged with its own keys, or truncated, is
// detected with a checkpoint from elsewhere and with nothing else.
func TestWhatCheckpointsAreFor(t *testing.T) {
	t.Parallel()
	w := newTampered(t, embedded(t), 3)
	for _, row := range []tampering{rebuildTail, cutTail} {
		_, what := row(w)
		if err := w.verify(t).Err(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		err := w.verify(t, w.checkpoint).Err()
		if err == nil || !strings.Contains(err.Error(), w.checkpoint) {
			t.Errorf("%s: the checkpoint kept elsewhere is not shown: %v", what, err)
		}
		w.setBack()
	}
	for _, foreign := range []string{"", "x\n1\n", strings.Replace(w.checkpoint, "1", "2", 1)} {
		_, err := Verify(t.Context(), w.store, Verification{
			Keys: w.keys, Checkpoints: []string{foreign},
		})
		if err == nil {
			t.Errorf("%q is taken as a checkpoint", foreign)
		}
	}
}

// TestSealedCopy copies an entry, including its digest, and has the sealer seal the copy.
func TestSealedCopy(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	s := p.sealer("one")
	p.act(t, 5)
	p.seal(t, s, 5)
	change(t, p.connect(t), insertRow, 6, 3)
	p.act(t, 1)
	p.seal(t, s, 2)
	report := p.verify(t)
	blame{first: 6, last: 6}.check(t, "a copy that was sealed", report)
	if !strings.Contains(report.Err().Error(), "is a copy of entry 3") {
		t.Error(report.Err())
	}
}
