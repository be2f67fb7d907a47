package postgres

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/migrations"
	"mintmark/internal/testkit/pgtest"
)

// endAll ends every other connection to the database, as a server does when it shuts down.
const endAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE datname = current_database() AND pid <> pg_backend_pid()`

// storeBank stores a bank.
func storeBank(e *Engine, id int) error {
	return e.Update(context.Background(), func(s db.Session) error {
		return errors.Join(roundTrip(s), s.Write(putBank, id))
	})
}

const putBank = `INSERT INTO banks (bank_id, name) VALUES ($1, '0')
	ON CONFLICT (bank_id) DO UPDATE SET name = excluded.name`

// roundTrip makes a round trip.
func roundTrip(s db.Session) error {
	var count int
	_, err := db.Find(s, []any{&count}, `SELECT COUNT(*) FROM programs`)
	return err
}

// TestPostgresGone terminates the connections in the middle of transactions. They must fail with an
// error that allows a retry, and the next ones must reach the server.
func TestPostgresGone(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := opened(t, url)
	end := func() { pgtest.Run(t, url, endAll) }
	err := s.Update(context.Background(), func(s db.Session) error {
		err := roundTrip(s)
		end()
		return errors.Join(err, s.Write(putBank, 1))
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("an Update: got the error %v", err)
	}
	err = s.View(context.Background(), func(s db.Session) error {
		first := roundTrip(s)
		end()
		return errors.Join(first, roundTrip(s))
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a View: got the error %v", err)
	}
	if err := storeBank(s, 2); err != nil {
		t.Errorf("afterward: %v", err)
	}
}

// TestPostgresReadOnly makes the server read-only, as it is after a failover.
func TestPostgresReadOnly(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := opened(t, url)
	name := url[strings.LastIndex(url[:strings.Index(url, "?")], "/")+1 : strings.Index(url, "?")]
	pgtest.Run(t, url, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	pgtest.Run(t, url, endAll)
	for range 2 {
		if err := storeBank(s, 1); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("got the error %v", err)
		}
	}
	pgtest.Run(t, url, "BEGIN READ WRITE; ALTER DATABASE "+name+
		" SET default_transaction_read_only = off; COMMIT")
	if err := storeBank(s, 1); err != nil {
		t.Errorf("afterward: %v", err)
	}
}

func TestPostgresOpenUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	_, err = Open(context.Background(), "postgres://a:secret@"+address+"/b", Options{})
	if !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody listens: got the error %v", err)
	}
	_, err = Open(context.Background(), "postgres://a:secret@b:port/c", Options{})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("no connection string: got the error %v", err)
	}
}

// TestPostgresWaitsForStandby lets a commit wait for a standby that never answers, and cancels the
// wait. The server then reports that it has committed; the store must not report it as done.
func TestPostgresWaitsForStandby(t *testing.T) {
	t.Parallel()
	url := pgtest.Alone(t)
	s := opened(t, url)
	if err := storeBank(s, 1); err != nil {
		t.Fatal(err)
	}
	pgtest.Run(t, url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
	pgtest.Run(t, url, "SELECT pg_reload_conf()")
	time.Sleep(200 * time.Millisecond) //nolint:forbidigo // Every process reads the setting by itself.
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	interrupted := make(chan struct{})
	time.AfterFunc(time.Second, func() {
		defer close(interrupted)
		pgtest.Run(t, url, `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
			WHERE wait_event = 'SyncRep'`)
	})
	began := time.Now()
	err := s.Update(ctx, func(s db.Session) error {
		return errors.Join(roundTrip(s), s.Write(putBank, 2))
	})
	if !errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("got the error %v after %v", err, time.Since(began))
	}
	<-interrupted
	pgtest.Run(t, url, "ALTER SYSTEM RESET synchronous_standby_names")
	pgtest.Run(t, url, "SELECT pg_reload_conf()")
}

// TestPostgresOpenAtOnce opens one new database several times at the same moment, as nodes do that
// are started together.
func TestPostgresOpenAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := Open(context.Background(), url, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var versions int
	err = conn.QueryRow(context.Background(),
		`SELECT count(*) FROM goose_db_version WHERE version_id > 0`).Scan(&versions)
	newest, unknown := migrations.Newest(migrations.PostgreSQL)
	if err != nil || unknown != nil || versions != int(newest) {
		t.Errorf("%d migrations were made, want %d (%v)", versions, newest, err)
	}
}

// TestListen checks that the change of a key is notified immediately, and again after the
// connection was lost.
func TestListen(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := opened(t, url)
	ctx, stop := context.WithCancel(context.Background())
	changed := make(chan struct{}, 1)
	var listening sync.WaitGroup
	listening.Go(func() { s.Listen(ctx, changed) })
	defer listening.Wait()
	defer stop()
	for round := range 2 {
		told := false
		for range 40 {
			pgtest.Run(t, url, `UPDATE access_revision SET revision = revision + 1`)
			select {
			case <-changed:
				told = true
			case <-time.After(100 * time.Millisecond):
			}
			if told {
				break
			}
		}
		if !told {
			t.Errorf("round %d: the change was not told", round)
		}
		pgtest.Run(t, url, endAll)
	}
}

// opened opens the engine on a database, and closes it when the test ends.
func opened(t *testing.T, url string) *Engine {
	t.Helper()
	e, err := Open(context.Background(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
