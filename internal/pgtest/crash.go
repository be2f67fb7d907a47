package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// writing are the settings for tests that crash the server. What a commit waits for is written at
// the last moment and for several at once, so that at each moment much is lost that was about to
// be answered. Nothing is synced: a crash of the server leaves the machine's memory as it is.
var writing = append(careless, "full_page_writes=on", "synchronous_commit=on",
	"commit_delay=5000", "commit_siblings=1", "wal_writer_delay=10s", "wal_buffers=16MB")

// Crashing starts a server that a test has for itself, to make it crash. It ends with the test
// process.
func Crashing(t testing.TB) *Server {
	t.Helper()
	s, err := start(writing)
	if err != nil {
		t.Fatalf("a PostgreSQL to test with: %v\nRun scripts/need-postgres.", err)
	}
	return s
}

// Crash ends the server without a chance to write anything down, and starts it again at once. It
// returns when the server takes connections.
func (s *Server) Crash() error {
	if _, err := fmt.Fprintln(s.lifeline, "crash"); err != nil {
		return err
	}
	if err := s.awaitStart(); err != nil {
		return err
	}
	return awaitServer(s.URL)
}

// committing finds a process of the server that is in the middle of a commit.
const committing = `SELECT pid FROM pg_stat_activity
	WHERE state = 'active' AND query = 'COMMIT' AND pid <> pg_backend_pid() LIMIT 1`

// KillBackend ends one process of the server with signal 9 while it commits. The server then ends
// all the others and recovers as after a crash. It returns when connections are taken again.
func (s *Server) KillBackend() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for {
		var pid int
		err := conn.QueryRow(ctx, committing).Scan(&pid)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			continue
		case err != nil:
			return err
		}
		backend, err := os.FindProcess(pid)
		if err != nil {
			return err
		}
		if err := backend.Kill(); err != nil {
			return err
		}
		// Until the server has noticed, it goes on to take connections.
		if _, err := conn.Exec(ctx, "SELECT pg_sleep(10)"); err == nil {
			return fmt.Errorf("the server does not mind that process %d is gone", pid)
		}
		return awaitServer(s.URL)
	}
}
