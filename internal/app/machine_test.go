package app

import (
	"fmt"
	"math"
	"mintmark/internal/testkit/testinstall"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestOffset compares a clock with the moments between which it was read.
func TestOffset(t *testing.T) {
	t.Parallel()
	before := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	after := before.Add(time.Second)
	for _, row := range []struct{ shown, want time.Duration }{
		{-time.Minute, -time.Minute}, {-1, -1}, {0, 0}, {time.Millisecond, 0}, {time.Second, 0},
		{time.Second + 1, 1}, {time.Hour, time.Hour - time.Second},
	} {
		if got := offset(before.Add(row.shown), before, after); got != row.want {
			t.Errorf("%v after the first moment it is %v, want %v", row.shown, got, row.want)
		}
	}
}

// TestClockOfTheServer has a database server tell another time than this machine. A node shows the
// difference. The embedded database has no clock of its own.
func TestClockOfTheServer(t *testing.T) {
	t.Parallel()
	testinstall.OnBothDatabases(t, func(w testinstall.Installation) {
		w.Parallel()
		running := startAt(w.T, w.Location)
		at := offsetOf(w, running)
		if w.Database.URL == "" {
			if !math.IsNaN(at) {
				w.Errorf("the embedded database has a clock, which is %v s off", at)
			}
			return
		}
		if math.Abs(at) > 1 {
			w.Fatalf("one clock is %v s off itself", at)
		}
		for _, want := range []float64{7, -7200} {
			tellsTime(w, want)
			// Each look connects anew where it meets a connection that was ended.
			for looks := 0; math.IsNaN(at) || math.Abs(at-want) > 1; looks++ {
				if looks == 100 {
					w.Fatalf("a server that is %v s ahead is shown %v s ahead", want, at)
				}
				at = offsetOf(w, running)
			}
		}
	})
}

// offsetOf is what the metrics show, and no number where they show nothing, as while a node
// connects anew.
func offsetOf(w testinstall.Installation, running *App) float64 {
	w.Helper()
	match := regexp.MustCompile(`(?m)^mintmark_clock_offset_seconds (\S+)$`).
		FindStringSubmatch(scrape(w.T, running))
	if match == nil {
		return math.NaN()
	}
	seconds, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		w.Fatal(err)
	}
	return seconds
}

// tellsTime has the server tell another time in the database: functions stand before its own on the
// path of whoever connects from then on, which everybody has to.
func tellsTime(w testinstall.Installation, ahead float64) {
	w.Helper()
	address, err := url.Parse(w.Database.URL)
	if err != nil {
		w.Fatal(err)
	}
	w.Exec("CREATE SCHEMA IF NOT EXISTS elsewhere")
	for _, name := range []string{"now", "clock_timestamp"} {
		w.Exec(fmt.Sprintf(`CREATE OR REPLACE FUNCTION elsewhere.%s() RETURNS timestamptz
			LANGUAGE sql VOLATILE
			AS $$ SELECT pg_catalog.%[1]s() + INTERVAL '%v seconds' $$`, name, ahead))
	}
	w.Exec("ALTER DATABASE " + strings.TrimPrefix(address.Path, "/") +
		" SET search_path = elsewhere, pg_catalog, public")
	w.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`)
}
