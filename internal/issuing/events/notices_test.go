package events_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// programEntries returns the entries of an act of one program that concern no card, oldest first.
func programEntries(w *issuingtest.World, programID int, act string) []audit.Entry {
	w.TB.Helper()
	var all, entries []audit.Entry
	w.View(func(r store.Tx) (err error) {
		all, err = r.Audit().List(programID, 0, 1000)
		return err
	})
	for i := range all {
		if e := all[len(all)-1-i]; e.Act == act {
			entries = append(entries, e)
		}
	}
	return entries
}

// TestWarnOfKeys checks that a program is warned once, 14 days before, of each secret that expires,
// but not of an expired one or of a revoked key.
func TestWarnOfKeys(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	ends := issuingtest.Start.Add(30 * 24 * time.Hour)
	digest := func(fill byte) []byte {
		digest := make([]byte, 32)
		digest[0] = fill
		return digest
	}
	key := apikey.Key{
		Name: "ends", ProgramID: 1, Version: 1, Secrets: []apikey.Secret{
			{Digest: digest(1), Expires: ends}, {Digest: digest(2), Expires: ends.Add(time.Hour)},
		},
	}
	revoked, never, over := key, key, key
	revoked.Name, revoked.Revoked, revoked.Secrets = "revoked", issuingtest.Start, nil
	never.Name, never.Secrets = "never", []apikey.Secret{{Digest: digest(3)}}
	over.Name = "over"
	over.Secrets = []apikey.Secret{{Digest: digest(4), Expires: issuingtest.Start}}
	w.Update(func(tx store.Tx) error {
		for _, k := range []apikey.Key{key, revoked, never, over} {
			if err := tx.Keys().Put(k); err != nil {
				return err
			}
		}
		return nil
	})
	warn := func(want int) {
		t.Helper()
		got, err := w.Events.WarnOfKeys(t.Context())
		if err != nil || got != want {
			t.Errorf("%d warnings (%v), want %d", got, err, want)
		}
	}
	warn(0)
	w.Clock.Advance(30*24*time.Hour - events.KeyWarning)
	warn(1)
	warn(0)
	w.Clock.Advance(time.Hour)
	warn(1)
	warn(0)
	rows := programEntries(w, 1, "key expiring")
	if len(rows) != 2 {
		t.Fatalf("the entries are %+v", rows)
	}
	first := rows[0]
	if first.Actor != issuingtest.JobOf(issuing.KeysJob) || first.Outcome != "noted" ||
		first.Subject != (audit.Subject{Kind: audit.Key, ID: "ends"}) ||
		first.After != `{"expires":"2026-07-01T12:00:00Z"}` {
		t.Errorf("the entry is %+v", first)
	}
}

// TestAnnounceDocuments checks that each program of a bank is notified once when a document comes
// into force, and once when it expires; older changes are not announced.
func TestAnnounceDocuments(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	announce := func(want int) {
		t.Helper()
		got, err := w.Events.AnnounceDocuments(t.Context())
		if err != nil || got != want {
			t.Errorf("%d announcements (%v), want %d", got, err, want)
		}
	}
	announce(0) // the demo documents changed long ago or change later
	document := bankdoc.Document{
		ID: 9000, BankID: 1, Culture: "en-US", Type: "FeeSchedule", Title: "T", HTML: "h",
		Effective: issuingtest.Start.Add(time.Hour), Expires: issuingtest.Start.Add(3 * time.Hour),
	}
	old := document
	old.ID, old.Effective, old.Expires = 9001, issuingtest.Start.Add(-31*24*time.Hour), time.Time{}
	w.Update(func(tx store.Tx) error {
		if err := tx.Documents().Put(old); err != nil {
			return err
		}
		return tx.Documents().Put(document)
	})
	announce(0)
	w.Clock.Advance(time.Hour)
	announce(1)
	announce(0)
	w.Clock.Advance(24 * time.Hour) // after a day of downtime
	announce(1)
	announce(0)
	for act, want := range map[string]string{
		"document effective": `{"culture":"en-US","documentType":"FeeSchedule",` +
			`"effectiveDate":"2026-06-01T13:00:00Z"}`,
		"document expired": `{"culture":"en-US","documentType":"FeeSchedule",` +
			`"expireDate":"2026-06-01T15:00:00Z"}`,
	} {
		rows := programEntries(w, 1, act)
		if len(rows) != 1 {
			t.Fatalf("%s: the entries are %+v", act, rows)
		}
		if e := rows[0]; e.Actor != issuingtest.JobOf(issuing.DocumentsJob) || e.After != want ||
			e.Subject != audit.Of(audit.Document, 9000) {
			t.Errorf("the entry is %+v", e)
		}
	}
}
