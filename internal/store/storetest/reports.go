package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	reporting "mintmark/internal/domain/order"
	"mintmark/internal/store"
)

var reports = []test{
	{"AtOnce", reportAtOnce},
	{"Lists", reportLists},
	{"Program", reportProgram},
}

// report returns a report with a value in every field.
func report(id string) store.ReceivedReport {
	return store.ReceivedReport{
		Report: reporting.Report{
			ID: id, OrderID: "7-ab", CardID: 5001, Kind: reporting.Refused, At: created,
			Reason: "no such street",
		},
		ProgramID: programID, Received: created.Add(time.Minute), Result: reporting.Ignored,
		Why: "the card is Verified",
	}
}

func findReport(t *testing.T, s store.Store, id string) store.ReceivedReport {
	t.Helper()
	return find(t, s, func(r store.Tx) (store.ReceivedReport, error) {
		return r.Reports().Find(id)
	})
}

// reportAtOnce has many callers store the same report concurrently. One of them succeeds.
func reportAtOnce(t *testing.T, s store.Store) {
	wantOneWinner(t, 20, store.ErrExists, func(int) error {
		return s.Update(ctx, func(tx store.Tx) error { return tx.Reports().Put(report("one")) })
	})
}

// reportLists lists the reports of a card, and the ignored reports, newest first.
func reportLists(t *testing.T, s store.Store) {
	for i := range 6 {
		receivedReport := report(fmt.Sprint(i))
		receivedReport.Received = created.Add(time.Duration(i/2) * time.Second) // two at a time
		receivedReport.CardID = 5001 + i%2
		if i%3 == 0 {
			receivedReport.Result, receivedReport.Why = reporting.Applied, ""
		}
		update(t, s, func(tx store.Tx) error { return tx.Reports().Put(receivedReport) })
	}
	ids := func(list func(store.Reports) ([]store.ReceivedReport, error)) string {
		var texts []string
		for _, receivedReport := range find(t, s, func(r store.Tx) ([]store.ReceivedReport, error) {
			return list(r.Reports())
		}) {
			wantSame(t, receivedReport, findReport(t, s, receivedReport.ID))
			texts = append(texts, receivedReport.ID)
		}
		return strings.Join(texts, " ")
	}
	received := find(t, s, func(r store.Tx) ([]store.ReceivedReport, error) {
		return r.Reports().FindMany([]string{"3", "9", "0", "3"})
	})
	slices.SortFunc(received, func(a, b store.ReceivedReport) int { return strings.Compare(a.ID, b.ID) })
	wantSame(t, received, []store.ReceivedReport{findReport(t, s, "0"), findReport(t, s, "3")})
	for _, row := range []struct {
		cardID, limit int
		want          string
	}{
		{5001, 9, "4 2 0"}, {5002, 2, "5 3"}, {1, 9, ""},
	} {
		wantSame(t, ids(func(r store.Reports) ([]store.ReceivedReport, error) {
			return r.ListByCard(row.cardID, row.limit)
		}), row.want)
	}
	for limit, want := range map[int]string{9: "5 4 2 1", 3: "5 4 2"} {
		wantSame(t, ids(func(r store.Reports) ([]store.ReceivedReport, error) {
			return r.ListIgnored(limit)
		}), want)
	}
}

// reportProgram finds the program of a card in any program.
func reportProgram(t *testing.T, s store.Store) {
	background(t, s)
	put := kept(t, s, plain("one"))
	for _, row := range []struct {
		cardID int
		want   error
	}{{put.ID, nil}, {put.ID + 1, store.ErrNotFound}, {0, store.ErrNotFound}} {
		count := 0
		err := s.View(context.Background(), func(r store.Tx) error {
			var err error
			count, err = r.Reports().FindProgram(row.cardID)
			return err
		})
		wantError(t, "FindProgram", err, row.want)
		if row.want == nil {
			wantSame(t, count, programID)
		}
	}
}
