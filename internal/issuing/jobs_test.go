package issuing_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestJobsActUnderTheirNames runs each background job once with and once without work. Each leaves
// entries under its own kind and name for its work, and none for a run without work.
func TestJobsActUnderTheirNames(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	late := w.InStatus(w.Stored(issuingtest.VerifiedCard), "PendingVerification")
	reset := order.Order{
		CardID: issuingtest.SystemLocked, Kind: order.SetPin, State: order.Waiting, SealedPin: []byte("pin"),
		Created: issuingtest.Start,
	}
	w.Update(func(tx store.Tx) error { return tx.Orders().Put(reset) })
	issuingtest.Backlog(t, w.Store, 150, issuingtest.Start)
	w.Clock.Advance(200 * 24 * time.Hour)
	run := func() {
		t.Helper()
		if _, err := w.Cards.ExpireUnverified(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Orders.ExpirePins(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.PurgeAnswers(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	run()
	run()

	var forgotten []audit.Entry
	w.View(func(r store.Tx) (err error) { forgotten, err = r.Audit().List(0, 0, 100); return err })
	for _, test := range []struct {
		job     string
		entries []audit.Entry
		want    []audit.Entry
	}{
		{issuing.ExpireJob, w.Trail(late.ID), []audit.Entry{{
			Act: "expire", ProgramID: 1, Subject: audit.Of(audit.Card, late.ID),
			Outcome: "changed",
			Before:  `{"expiredDate":"","status":"PendingVerification"}`,
			After:   `{"expiredDate":"2026-12-18T12:00:00Z","status":"Expired"}`,
		}}},
		{issuing.ExpirePinsJob, w.Trail(issuingtest.SystemLocked), []audit.Entry{{
			Act: "expire PIN", ProgramID: 1, Subject: audit.Of(audit.Card, issuingtest.SystemLocked),
			Outcome: "PIN expired",
		}, {
			Act: "expire PIN", ProgramID: 1, Subject: audit.Of(audit.Card, issuingtest.SystemLocked),
			Outcome: "order failed",
			Before:  `{"orderId":"1-","kind":"card.pin","state":"waiting"}`,
			After: `{"orderId":"1-","kind":"card.pin","state":"failed",` +
				`"lastError":"its PIN was too old"}`,
		}}},
		{issuing.PurgeAnswersJob, jobsAmong(forgotten), []audit.Entry{ // newest first
			{Act: "forget answers", Outcome: "50 dropped"},
			{Act: "forget answers", Outcome: "100 dropped"},
		}},
	} {
		for i := range test.want {
			test.want[i].At, test.want[i].Actor = w.Clock.Now(), issuingtest.JobOf(test.job)
		}
		if diff := cmp.Diff(test.want, test.entries); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.job, diff)
		}
	}
}

// jobsAmong returns the entries of background jobs.
func jobsAmong(entries []audit.Entry) []audit.Entry {
	var rows []audit.Entry
	for _, e := range entries {
		if e.Kind == audit.Job {
			rows = append(rows, e)
		}
	}
	return rows
}
