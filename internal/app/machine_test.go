package app

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/testkit/testinstall"
)

// TestClockOfTheServer gives the database server another time than this machine. A node must show
// the difference, read by the server's clock as it writes by it, and repair data dated in the
// future once the clock is set back. The embedded database uses the clock of this machine.
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
			shiftServerClock(w, want)
			// Each scrape reconnects if it finds a terminated connection.
			for looks := 0; math.IsNaN(at) || math.Abs(at-want) > 1; looks++ {
				if looks == 100 {
					w.Fatalf("a server that is %v s ahead is shown %v s ahead", want, at)
				}
				at = offsetOf(w, running)
			}
			written, read := timesOf(w, running)
			if off := read.Sub(written); off.Abs() > time.Second {
				w.Errorf("under a server that is %v s ahead reads are %v ahead of writes", want, off)
			}
			sessions := running.people.Sessions()
			running.mendSetBack(w.Context())
			_, open, unread := sessions.FindCtx(w.Context(), "first")
			if open || unread != nil {
				w.Errorf("a session of the future is open: %t, %v", open, unread)
			}
			if err := sessions.CommitCtx(w.Context(), "first", []byte{1}, time.Time{}); err != nil {
				w.Error(err)
			}
		}
	})
}

// timesOf returns the time of a transaction that writes, and of one that only reads.
func timesOf(w testinstall.Installation, running *App) (written, read time.Time) {
	w.Helper()
	err := errors.Join(
		running.store.Update(w.Context(), func(tx store.Tx) error { written = tx.Now(); return nil }),
		running.store.View(w.Context(), func(r store.Tx) error { read = r.Now(); return nil }))
	if err != nil {
		w.Fatal(err)
	}
	return written, read
}

// offsetOf returns the clock offset in the metrics, or NaN if they have none, for example while a
// node reconnects.
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

// shiftServerClock changes the time of the server for one database: functions that precede its own
// on the search path of every new connection, which it forces by ending the old ones.
func shiftServerClock(w testinstall.Installation, ahead float64) {
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
