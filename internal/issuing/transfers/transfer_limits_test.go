package transfers_test

import (
	"fmt"
	"testing"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/testkit/issuingtest"
)

// TestLimitsOfPeriods checks where days and months begin, in the program's time zone, and what
// counts in them.
func TestLimitsOfPeriods(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	limit := func(most int64) *program.Limit {
		amount := issuingtest.Cents(most)
		return &program.Limit{MaximumAmount: &amount}
	}
	limits := map[string]func(*program.Settings){
		"user's day":    func(s *program.Settings) { s.PerUserDailyWithdrawLimit = limit(100) },
		"user's month":  func(s *program.Settings) { s.PerUserMonthlyWithdrawLimit = limit(100) },
		"program's day": func(s *program.Settings) { s.PerProgramDailyWithdrawLimit = limit(100) },
	}
	// A day on which clocks go forward, one on which they go back, and one in the middle of a
	// month.
	days := []time.Time{
		time.Date(2026, time.March, 8, 0, 0, 0, 0, zone),
		time.Date(2026, time.November, 1, 0, 0, 0, 0, zone),
		time.Date(2026, time.June, 17, 0, 0, 0, 0, zone),
	}
	for name, set := range limits {
		t.Run(name, func(t *testing.T) {
			issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) { periodsOf(t, w, name, set, days) })
		})
	}
}

func periodsOf(
	t *testing.T, w *issuingtest.World, name string, set func(*program.Settings), days []time.Time,
) {
	zone := days[0].Location()
	w.Spendable(1_000_000)
	w.SetLimits(set)
	spent := 0
	try := func(at time.Time, amount int64, want authorization.Reason) transfers.Authorized {
		t.Helper()
		spent++
		atMoment(w, at)
		return authorize(w, issuingtest.PurchaseRequest(fmt.Sprint(name, spent), amount), want)
	}
	for _, day := range days {
		next := day.AddDate(0, 0, 1)
		if name == "user's month" {
			day = time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, zone)
			next = day.AddDate(0, 1, 0)
		}
		try(day, 60, authorization.Approved)
		held := try(next.Add(-time.Millisecond), 40, authorization.Approved)
		try(next.Add(-time.Millisecond), 1, authorization.OverLimit)
		release(w, held.HoldID, authorization.Released)
		held = try(next.Add(-time.Millisecond), 30, authorization.Approved)
		try(next.Add(-time.Millisecond), 11, authorization.OverLimit)
		post(w, authorization.PostingRequest{
			ID: held.ID, HoldID: held.HoldID, Amount: issuingtest.Cents(35),
		})
		try(next.Add(-time.Millisecond), 6, authorization.OverLimit)
		try(next.Add(-time.Millisecond), 5, authorization.Approved)
		late := try(next, 100, authorization.Approved)
		try(next, 1, authorization.OverLimit)
		release(w, late.HoldID, authorization.Released)
	}
}
