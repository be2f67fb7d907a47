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

// writing holds the settings for tests that crash the server. Commits are delayed and flushed in
// groups, so that at any time many commits are about to be acknowledged. Nothing is synced: a crash
// of the server leaves the machine's memory intact.
var writing = append(careless, "full_page_writes=on", "synchronous_commit=on",
	"commit_delay=5000", "commit_siblings=1", "wal_writer_delay=10s", "wal_buffers=16MB")

// Crashing starts a server for a single test to crash. The server ends with the test process.
func Crashing(t testing.TB) *Server {
	t.Helper()
	s, err := start(writing)
	if err != nil {
		t.Fatalf("a PostgreSQL to test with: %v\nRun scripts/need postgres.", err)
	}
	return s
}

// Crash kills the server without a checkpoint and restarts it immediately. It returns when the
// server accepts connections.
func (s *Server) Crash() error {
	if _, err := fmt.Fprintln(s.lifeline, "crash"); err != nil {
		return err
	}
	if err := s.awaitStart(); err != nil {
		return err
	}
	return awaitServer(s.URL)
}

// committing finds a server process in the middle of a commit.
const committing = `SELECT pid FROM pg_stat_activity
	WHERE state = 'active' AND query = 'COMMIT' AND pid <> pg_backend_pid() LIMIT 1`

// KillBackend kills one server process with signal 9 while it commits. The server then ends all
// others and recovers as after a crash. KillBackend returns when the server accepts connections
// again.
func (s *Server) KillBackend() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
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
		// The server accepts connections until it notices.
		if _, err := conn.Exec(ctx, "SELECT pg_sleep(10)"); err == nil {
			return fmt.Errorf("the server goes on without process %d", pid)
		}
		return awaitServer(s.URL)
	}
}
