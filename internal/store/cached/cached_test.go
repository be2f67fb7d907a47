package cached_test

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/snapshot"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/store/storetest"
	"mintmark/internal/testkit/testrun"
)

// ofParts are the subjects of the suite about the parts of the contract that the memory answers or
// is evicted by.
var ofParts = map[string][]string{
	"Accounts":  {"RoundTrip", "CardViews", "Constraints"},
	"Balances":  {"Money"},
	"BankKeys":  {"BankKeys"},
	"Banks":     {"RoundTrip", "Records"},
	"Cards":     {"RoundTrip", "Bulk", "Sentinels", "Change", "CardViews", "Casing", "Order"},
	"Customers": {"RoundTrip", "Feeds", "Privacy"},
	"Issuance":  {"Issuance"},
	"Programs":  {"RoundTrip", "Records"},
}

// ofStore are those about the closures themselves, and about the worlds.
var ofStore = []string{"ReadOnly", "Transactions", "Contention", "Snapshots", "Close"}

// suite runs the subjects with which the memory has to do. All others reach the store inside as
// they are, where package sqlstore runs them; a full run has them here, too.
func suite(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	if testrun.Full() {
		storetest.Run(t, open)
		return
	}
	names := slices.Clone(ofStore)
	for _, of := range ofParts {
		names = append(names, of...)
	}
	slices.Sort(names)
	storetest.RunOnly(t, slices.Compact(names), open)
}

func TestFile(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T) store.Store {
		path := filepath.Join(t.TempDir(), "mintmark.db")
		engine, err := sqlite.Open(context.Background(), path, sqlite.Options{})
		return ofSandbox(t, engine, err)
	})
}

func TestMemory(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T) store.Store {
		engine, err := sqlite.OpenMemory(context.Background(), sqlite.Options{})
		return ofSandbox(t, engine, err)
	})
}

// ofSandbox returns the store on an engine that keeps worlds apart, until the test ends.
func ofSandbox(t *testing.T, engine *sqlite.Engine, err error) store.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, cached.New(sqlstore.New(snapshot.Guard(engine)), engine, cached.DefaultBytes), nil)
}

// TestParts holds that ofParts has each part that is not that of the store inside.
func TestParts(t *testing.T) {
	t.Parallel()
	s, _, err := cached.OpenMemory(context.Background(), sqlite.Options{})
	s = opened(t, s, err)
	own := reflect.TypeOf(s).Elem().PkgPath()
	var parts []string
	mustUpdate(t, s, func(tx store.Tx) error {
		for method := range reflect.TypeFor[store.Tx]().Methods() {
			if method.Type.NumIn() > 0 || method.Type.Out(0).Kind() != reflect.Interface {
				continue
			}
			part := reflect.ValueOf(tx).MethodByName(method.Name).Call(nil)[0].Elem().Type()
			if part.Kind() == reflect.Pointer {
				part = part.Elem()
			}
			if part.PkgPath() == own {
				parts = append(parts, method.Name)
			}
		}
		return nil
	})
	for _, part := range parts {
		if ofParts[part] == nil {
			t.Errorf("the subjects of the part %s are missing", part)
		}
	}
	if len(parts) != len(ofParts) {
		t.Errorf("the parts %q are those of this package, and %d are listed", parts, len(ofParts))
	}
}

// opened returns the store until the test ends.
func opened(t *testing.T, s *cached.Store, err error) *cached.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}
