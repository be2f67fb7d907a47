// Package testworld provides the parts that a service needs to tests: a store on each engine, keys,
// and the demo data.
package testworld

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mintmark/internal/app/demo"
	"mintmark/internal/base/clock"
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// Start is the initial time of a test's clock.
var Start = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

var openKeys = sync.OnceValues(func() (*vault.Vault, error) {
	return vault.Open(vault.Settings{PinKeyBits: 2048, AllowPlainPins: true})
})

// Keys returns the keys that all tests of a process share, because generating them takes long. They
// accept plain PINs.
func Keys(t testing.TB) *vault.Vault {
	t.Helper()
	keys, err := openKeys()
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// Memory opens an empty store in memory. A nil clock is the clock of the machine, as in File and
// Server. Each store is closed at the end of the test.
func Memory(t testing.TB, by *clock.Clock) store.Store {
	t.Helper()
	kept, _, err := cached.OpenMemory(context.Background(), sqlite.Options{Clock: by})
	return opened(t, kept, err)
}

// File opens the store in a file, which is created if necessary.
func File(t testing.TB, path string, by *clock.Clock) store.Store {
	t.Helper()
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{Clock: by})
	return opened(t, kept, err)
}

// Server opens a store on PostgreSQL.
func Server(t testing.TB, url string, by *clock.Clock) store.Store {
	t.Helper()
	return ServerWith(t, url, postgres.Options{Clock: by})
}

// ServerWith is Server with other options.
func ServerWith(t testing.TB, url string, options postgres.Options) store.Store {
	t.Helper()
	engine, err := postgres.Open(context.Background(), url, options)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, sqlstore.New(engine), nil)
}

func opened(t testing.TB, kept store.Store, err error) store.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return kept
}

// WriteDemo writes the demo data, encrypted under Keys, into a store without programs.
func WriteDemo(t testing.TB, kept store.Store) {
	t.Helper()
	if err := writeDemo(kept, Keys(t)); err != nil {
		t.Fatal(err)
	}
}

func writeDemo(kept store.Store, keys *vault.Vault) error {
	data, err := demo.Read()
	if err != nil {
		return err
	}
	return kept.Update(context.Background(), func(tx store.Tx) error {
		programs, err := tx.Programs().List()
		if err != nil || len(programs) > 0 {
			return err
		}
		return data.Write(tx, keys, rand.Reader, card.SandboxEnding)
	})
}

// demoFile is created once: each test works on a copy. Its unverified cards have a creation date so
// late that none expires in a test that moves its clock.
var demoFile = sync.OnceValues(func() ([]byte, error) {
	keys, err := openKeys()
	if err != nil {
		return nil, err
	}
	directory, err := os.MkdirTemp("", "testworld")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "mintmark.db")
	late := clock.FrozenAt(Start.AddDate(10, 0, 0))
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{Clock: late})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeDemo(kept, keys), kept.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// DemoFile returns a new database file with the demo data.
func DemoFile(t testing.TB) (path string) {
	t.Helper()
	text, err := demoFile()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "mintmark.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
