package installation_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/operate/access"
	"mintmark/internal/operate/backup"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testinstall"
)

// TestCommandsWaitForAWriter has another process write for longer than either database would wait.
// Every command that makes changes beside a server waits for its turn and succeeds.
func TestCommandsWaitForAWriter(t *testing.T) {
	t.Parallel()
	testinstall.OnBothDatabases(t, func(w testinstall.Installation) {
		w.Parallel()
		newOperator := func(name string) access.NewOperator {
			return access.NewOperator{Location: w.Location, Name: name, Roles: []string{"auditor"}}
		}
		if _, err := access.CreateOperator(w.Context(), newOperator("ada")); err != nil {
			w.Fatal(err)
		}
		// On a server the first command waits for five of these seconds.
		released := holdWriteLock(w, 12*time.Second)

		hasty, cancel := context.WithTimeout(w.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := access.CreateToken(hasty, newOperator("hasty")); err == nil || released.Load() {
			w.Errorf("whoever waits no longer gets %v", err)
		}
		done := make(chan error)
		commands := map[string]func(context.Context) error{
			"token create": func(ctx context.Context) error {
				text, err := access.CreateToken(ctx, newOperator("ci"))
				if err == nil && !strings.HasPrefix(text, "mmo_") {
					err = errors.New("it is no token: " + text)
				}
				return err
			},
			"operator create": func(ctx context.Context) error {
				_, err := access.CreateOperator(ctx, newOperator("grace"))
				return err
			},
			"operator invite": func(ctx context.Context) error {
				_, err := access.InviteOperator(ctx, newOperator("ada"))
				return err
			},
			"digest-key rotate": func(ctx context.Context) error {
				_, err := installation.RotateDigestKey(ctx, w.Location)
				return err
			},
			"backup": func(ctx context.Context) error {
				_, err := backup.Create(ctx, w.Location, filepath.Join(w.TempDir(), "backup"))
				return err
			},
		}
		for name, run := range commands {
			go func() {
				err := run(w.Context())
				if err == nil && !released.Load() {
					err = errors.New("it has not waited")
				}
				if err != nil {
					err = errors.Join(errors.New(name), err)
				}
				done <- err
			}()
		}
		for range commands {
			if err := <-done; err != nil {
				w.Error(err)
			}
		}
	})
}

// holdWriteLock writes to the database for the given time; released reports whether it has ended.
func holdWriteLock(w testinstall.Installation, lasts time.Duration) (released *atomic.Bool) {
	w.Helper()
	db, err := sql.Open(w.Driver, w.Name)
	if err != nil {
		w.Fatal(err)
	}
	begin := []string{"BEGIN IMMEDIATE"}
	if w.Driver == "pgx" {
		begin = []string{"BEGIN", "LOCK TABLE audit IN EXCLUSIVE MODE"}
	}
	conn, err := db.Conn(w.Context())
	for _, statement := range begin {
		if err == nil {
			_, err = conn.ExecContext(w.Context(), statement)
		}
	}
	if err != nil {
		w.Fatal(err)
	}
	released = new(atomic.Bool)
	time.AfterFunc(lasts, func() {
		released.Store(true)
		_, err := conn.ExecContext(context.Background(), "ROLLBACK")
		if err := errors.Join(err, conn.Close(), db.Close()); err != nil {
			w.Error(err)
		}
	})
	return released
}
