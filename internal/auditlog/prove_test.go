package auditlog

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// TestProofs proves every entry of logs of every size up to 100, and that each log is a prefix of
// those that follow. A proof with one changed hash proves nothing.
func TestProofs(t *testing.T) {
	t.Parallel()
	const most = 100
	p := embedded(t)
	s := p.sealer("one")
	roots := []tlog.Hash{{}}
	for size := 1; size <= most; size++ {
		p.act(t, 1)
		p.seal(t, s, 1)
		opened, err := audit.OpenCheckpoint(s.head.Note, p.keys.LogVerifier())
		if err != nil || opened.Size != int64(size) {
			t.Fatalf("the checkpoint of size %d: %+v, %v", size, opened, err)
		}
		roots = append(roots, opened.Root)
		for sequence := 1; sequence <= size; sequence++ {
			p.checkProof(t, sequence, roots[size])
		}
		for earlier := 1; earlier <= size; earlier++ {
			p.checkConsistency(t, roots, earlier, size)
		}
	}
	_, err := Prove(t.Context(), p.store, most+1)
	if err == nil {
		t.Error("an entry that is not there has a proof")
	}
}

// checkProof proves an entry in the newest log.
func (p *place) checkProof(t *testing.T, sequence int, root tlog.Hash) {
	t.Helper()
	proof, err := Prove(t.Context(), p.store, sequence)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := proof.Entry.Sealed()
	if err != nil || entry.Sequence != sequence {
		t.Fatalf("entry %d is %+v, %v", sequence, entry, err)
	}
	leaf := entry.LeafHash()
	check := func() error {
		return tlog.CheckRecord(proof.Hashes, proof.Size, root, proof.Index, leaf)
	}
	if err := check(); err != nil {
		t.Fatalf("entry %d of %d: %v", sequence, proof.Size, err)
	}
	for i := range proof.Hashes {
		proof.Hashes[i][i%tlog.HashSize] ^= 1
		if check() == nil {
			t.Errorf("entry %d of %d: hash %d does not matter", sequence, proof.Size, i)
		}
		proof.Hashes[i][i%tlog.HashSize] ^= 1
	}
	leaf[0] ^= 1
	if check() == nil {
		t.Errorf("entry %d of %d: any entry is proved", sequence, proof.Size)
	}
}

// checkConsistency proves that the log of one size is a prefix of that of another.
func (p *place) checkConsistency(t *testing.T, roots []tlog.Hash, earlier, size int) {
	t.Helper()
	var proof tlog.TreeProof
	err := p.store.View(t.Context(), func(r store.Tx) error {
		var err error
		proof, err = tlog.ProveTree(int64(size), int64(earlier),
			tlog.HashReaderFunc(r.AuditLog().FindHashes))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func() error {
		return tlog.CheckTree(proof, int64(size), roots[size], int64(earlier), roots[earlier])
	}
	if err := check(); err != nil {
		t.Fatalf("%d in %d: %v", earlier, size, err)
	}
	for i := range proof {
		proof[i][i%tlog.HashSize] ^= 1
		if check() == nil {
			t.Errorf("%d in %d: hash %d does not matter", earlier, size, i)
		}
		proof[i][i%tlog.HashSize] ^= 1
	}
}

// TestKeptHashes changes stored hashes of a tree, one after the other, in a full run all of them:
// each change is detected.
func TestKeptHashes(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	s := p.sealer("one")
	for range 10 {
		p.act(t, 10)
		p.seal(t, s, 10)
	}
	p.wantWhole(t, 100)
	db := p.connect(t)
	var kept []byte
	step := int64(7)
	if testrun.Full() {
		step = 1
	}
	for index := int64(0); index < tlog.StoredHashCount(100); index += step {
		var first int64
		row := db.QueryRowContext(t.Context(), `SELECT first_hash, hashes FROM sealed_hashes
			WHERE first_hash <= $1 ORDER BY first_hash DESC LIMIT 1`, index)
		if err := row.Scan(&first, &kept); err != nil {
			t.Fatal(err)
		}
		bad := append([]byte{}, kept...)
		bad[tlog.HashSize*(index-first)+index%tlog.HashSize] ^= 1
		const put = `UPDATE sealed_hashes SET hashes = $1 WHERE first_hash = $2`
		change(t, db, put, bad, first)
		if p.verify(t).Err() == nil {
			t.Errorf("hash %d was changed, and nothing was found", index)
		}
		change(t, db, put, kept, first)
	}
	p.wantWhole(t, 100)
	change(t, db, `DELETE FROM sealed_hashes WHERE first_hash = 0`)
	err := p.store.View(t.Context(), func(r store.Tx) error {
		_, err := r.AuditLog().FindHashes([]int64{0})
		return err
	})
	if err == nil || p.verify(t).Err() == nil {
		t.Error("hashes were removed, and nothing was found")
	}
}

// TestSavedProof verifies a saved proof without the database. A changed or truncated one is
// detected.
func TestSavedProof(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	s := p.sealer("one")
	p.act(t, 5)
	p.seal(t, s, 5)
	proof, err := Prove(t.Context(), p.store, 3)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := json.MarshalIndent(proof, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if report := p.verifyLines(t, s.head.Note, []string{string(saved)}); report.Err() != nil ||
		!report.Part || report.Entries != 1 {
		t.Errorf("%+v, %v", report, report.Err())
	}
	for _, changed := range []string{
		strings.Replace(string(saved), `"act": "`, `"act": "un`, 1),
		strings.Replace(string(saved), `"index": 2`, `"index": 1`, 1),
		string(saved[:len(saved)-2]),
	} {
		if changed == string(saved) {
			t.Fatal("nothing was changed in ", changed)
		}
		if p.verifyLines(t, s.head.Note, []string{changed}).Err() == nil {
			t.Errorf("verified %s", changed)
		}
	}
}
