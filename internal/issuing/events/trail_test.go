package events_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"mintmark/internal/auditlog"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	scopes "mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// auditorOf returns an auditor of the given banks, or of all if there is none.
func auditorOf(banks ...int) issuing.Operator {
	return issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "auditor"},
		Scope: scopes.Scope{All: len(banks) == 0, Banks: banks},
	}
}

// putEntries stores entries of programs 1 and 4, which belong to banks 1 and 4, of bank 4, and of
// no bank.
func putEntries(w *issuingtest.World) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		for i, e := range []audit.Entry{
			{ProgramID: 1, Subject: audit.Of(audit.Card, 5001)},
			{ProgramID: 4, Subject: audit.Of(audit.Card, 5001)},
			{BankID: 4, Subject: audit.Of(audit.Document, 7)},
			{BankID: 4, Subject: audit.Of(audit.Bank, 4)},
			{},
		} {
			e.At, e.Act, e.Name = tx.Now(), "put", string(rune('a'+i))
			e.Kind = audit.CommandLine
			if err := tx.Audit().Put(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestAuditOfScope reads the audit as operators of all banks and of one: lists, single entries,
// proofs and exports contain exactly what is in scope.
func TestAuditOfScope(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
	putEntries(w)
	_, err := w.Events.AuditExport(t.Context(), auditorOf(), issuing.Span{})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an export of a log without a seal: %v", err)
	}
	w.SealAll()
	for _, row := range []struct {
		who  issuing.Operator
		want string
	}{
		{auditorOf(), "edcba"}, {auditorOf(4), "dcb"}, {auditorOf(1), "a"}, {auditorOf(2), ""},
	} {
		listed, _, err := w.Events.AuditEntries(t.Context(), row.who, events.AuditQuery{},
			issuing.Page{Limit: 200})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range listed {
			if e.Act != "put" {
				continue
			}
			got += e.Name
			if want := map[string]int{"a": 1, "b": 4, "c": 4, "d": 4}[e.Name]; e.BankID != want {
				t.Errorf("%s is of bank %d, want %d", e.Name, e.BankID, want)
			}
			auditEntry, err := w.Events.AuditEntry(t.Context(), row.who, e.Sequence)
			if err != nil || auditEntry.Row != e.Row || e.Sequence == 0 {
				t.Errorf("entry %d is %+v: %v", e.Sequence, auditEntry, err)
			}
			proof, err := w.Events.AuditProof(t.Context(), row.who, e.Sequence)
			if err != nil || proof.Entry.Sequence != e.Sequence {
				t.Errorf("the proof of %d is of %d: %v", e.Sequence, proof.Entry.Sequence, err)
			}
		}
		if got != row.want {
			t.Errorf("%v lists %s, want %s", row.who.Scope, got, row.want)
		}
		wantExport(w, row.who, row.want)
	}
	all, _, err := w.Events.AuditEntries(t.Context(), auditorOf(), events.AuditQuery{},
		issuing.Page{Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Name != "a" || e.Act != "put" {
			continue
		}
		_, err = w.Events.AuditEntry(t.Context(), auditorOf(4), e.Sequence)
		_, proofErr := w.Events.AuditProof(t.Context(), auditorOf(4), e.Sequence)
		if !errors.Is(err, store.ErrNotFound) || !errors.Is(proofErr, store.ErrNotFound) {
			t.Errorf("out of scope: %v, %v", err, proofErr)
		}
	}
}

// wantExport exports the entries that an operator sees, by sequence, and verifies the export
// without the database.
func wantExport(w *issuingtest.World, who issuing.Operator, newestFirst string) {
	w.TB.Helper()
	write, err := w.Events.AuditExport(w.TB.Context(), who, issuing.Span{})
	if err != nil {
		w.TB.Fatal(err)
	}
	var text bytes.Buffer
	if err := write(w.TB.Context(), &text); err != nil {
		w.TB.Fatal(err)
	}
	got := ""
	for line := range strings.Lines(text.String()) {
		l, err := audit.ReadLine([]byte(line))
		if err != nil {
			w.TB.Fatal(err)
		}
		if l.Act == "put" {
			got = l.Actor.Name + got
		}
	}
	if got != newestFirst {
		w.TB.Errorf("%v exports %s, want %s", who.Scope, got, newestFirst)
	}
	report, err := auditlog.VerifyExport(w.Vault.LogVerifier(), nil, io.Reader(&text))
	if err != nil || report.Err() != nil || report.Part == who.Scope.All {
		w.TB.Errorf("%v: %+v, %v, %v", who.Scope, report, err, report.Err())
	}
}

// TestAuditLooksAtABoundedPart lists the acts of a key that acted once, long ago: the list
// continues after pages without items, and finds the entry.
func TestAuditLooksAtABoundedPart(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
	const others = 10_700
	err := w.Store.Update(t.Context(), func(tx store.Tx) error {
		for i := range others {
			e := audit.Entry{At: tx.Now(), Actor: audit.Actor{Kind: audit.APIKey, Name: "busy"}}
			if i == 0 {
				e.Name = "gone" // no key has this name any longer
			}
			if err := tx.Audit().Put(e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	q := events.AuditQuery{Kind: audit.APIKey, Actor: "gone"}
	page, count, pages := issuing.Page{Limit: 10}, 0, 0
	for {
		listed, last, err := w.Events.AuditEntries(t.Context(), auditorOf(), q, page)
		if err != nil {
			t.Fatal(err)
		}
		count, pages = count+len(listed), pages+1
		if last == "" {
			break
		}
		page.After = last
	}
	if count != 1 || pages < 2 {
		t.Errorf("%d entries on %d pages", count, pages)
	}
}

// TestAuditOfOneName lists the acts under a name that a key and an operator share.
func TestAuditOfOneName(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
	act := func(kind audit.Kind, name string, programID int) {
		w.Update(func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: tx.Now(), Actor: audit.Actor{Kind: kind, Name: name}, ProgramID: programID,
			})
		})
	}
	count := func(kind audit.Kind, name string) int {
		t.Helper()
		entries, _, err := w.Events.AuditEntries(t.Context(), auditorOf(),
			events.AuditQuery{Kind: kind, Actor: name}, issuing.Page{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	act(audit.APIKey, "example1", 1)
	if got := count("", "example1"); got != 1 {
		t.Errorf("%d entries of the key", got)
	}
	act(audit.Operator, "example1", 4)
	act(audit.Operator, "anna", 4)
	for kind, want := range map[audit.Kind]int{"": 2, audit.APIKey: 1, audit.Operator: 1} {
		if got := count(kind, "example1"); got != want {
			t.Errorf("%d entries of %q, want %d", got, kind, want)
		}
	}
	if got := count("", "anna"); got != 1 {
		t.Errorf("%d entries of the operator", got)
	}
	w.Update(func(tx store.Tx) error {
		return errors.Join(
			tx.Operators().Put(&scopes.Person{Name: "Anna Smith", State: scopes.Active, Created: tx.Now()}),
			tx.Keys().Put(apikey.Key{Name: "mmk_1", Label: "till", ProgramID: 4, Version: 2}))
	})
	act(audit.Operator, "Anna Smith", 4)
	act(audit.APIKey, "mmk_1", 4)
	for _, name := range []string{"anna smith", "mmk_1", "Till"} {
		if got := count("", name); got != 1 {
			t.Errorf("%d entries of %q", got, name)
		}
	}
	entries, _, err := w.Events.AuditEntries(t.Context(), auditorOf(),
		events.AuditQuery{Kind: audit.APIKey, Actor: "till"}, issuing.Page{Limit: 9})
	if err != nil || len(entries) != 1 || entries[0].KeyLabel != "till" || entries[0].Name != "mmk_1" {
		t.Errorf("the key has acted in %+v, %v", entries, err)
	}
}

// TestRefusals counts the refusals of callers, and records them once for each key and code.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
	note := func(key string, code, times int, address string) {
		for range times {
			w.CountRefusal(issuing.Refusal{
				Key: key, Code: code, Route: "/card/lock", Address: address,
			})
		}
	}
	note("example1", 150403, 1000, "192.0.2.1")
	note("example1", 150402, 1, "192.0.2.1")
	for i := range 30 {
		note("", 10001, 1, "192.0.2."+string(rune('A'+i)))
	}
	before := len(refusalEntries(w))
	if before != 0 {
		t.Errorf("%d entries before the first minute is over", before)
	}
	for range 2 {
		if err := w.FlushRefusals(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var outcomes []string
	for _, e := range refusalEntries(w) {
		outcomes = append(outcomes, e.Name+" "+e.Outcome)
		if e.Kind != audit.APIKey || e.Name == "example1" && e.ProgramID != 1 ||
			len(e.After) > 1000 || e.Name == "" && !strings.Contains(e.After, `"others":20`) {
			t.Errorf("the entry is %+v", e)
		}
	}
	want := " refused: 30 with code 10001\nexample1 refused: 1000 with code 150403\n" +
		"example1 refused: 1 with code 150402"
	if got := strings.Join(outcomes, "\n"); got != want {
		t.Errorf("entered\n%s", got)
	}
}

// TestRefusalsAreKept records refusals while the store fails: they are written later.
func TestRefusalsAreKept(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
	fails := true
	w.Through(func(tx store.Tx) store.Tx {
		if fails {
			return lostAudit{tx}
		}
		return tx
	})
	w.CountRefusal(issuing.Refusal{Key: "example1", Code: 150403})
	if err := w.FlushRefusals(t.Context()); !errors.Is(err, errEdge) {
		t.Fatalf("the error is %v", err)
	}
	w.CountRefusal(issuing.Refusal{Key: "example1", Code: 150403})
	fails = false
	if err := w.FlushRefusals(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries := refusalEntries(w)
	if len(entries) != 1 || entries[0].Outcome != "refused: 2 with code 150403" {
		t.Errorf("entered %+v", entries)
	}
}

var errEdge = errors.New("the store fails")

// lostAudit fails to store any entry.
type lostAudit struct{ store.Tx }

func (f lostAudit) Audit() store.Audit { return lostEntries{f.Tx.Audit()} }

type lostEntries struct{ store.Audit }

func (lostEntries) List(int, int, int) ([]audit.Entry, error) { return nil, errEdge }

func (lostEntries) Put(audit.Entry) error { return errEdge }

// refusalEntries returns the entries about refused requests, newest first.
func refusalEntries(w *issuingtest.World) []issuing.AuditEntry {
	w.TB.Helper()
	listed, _, err := w.Events.AuditEntries(w.TB.Context(), auditorOf(),
		events.AuditQuery{Kind: audit.APIKey, From: issuingtest.Start.Add(-time.Hour)},
		issuing.Page{Limit: 200})
	if err != nil {
		w.TB.Fatal(err)
	}
	return listed
}
