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

// ofParts maps each part of the contract that the read cache answers or is evicted by to its
// subjects in the suite.
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

// ofStore lists the subjects about closures and about snapshots.
var ofStore = []string{"ReadOnly", "Transactions", "Contention", "Snapshots", "Close"}

// suite runs the subjects that involve the read cache. All others pass straight to the store
// inside, and package sqlstore tests them; a full run includes them here, too.
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

// ofSandbox returns a store on an engine that supports snapshots. The test closes it when it ends.
func ofSandbox(t *testing.T, engine *sqlite.Engine, err error) store.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, cached.New(sqlstore.New(snapshot.Guard(engine)), engine, cached.DefaultBytes), nil)
}

// TestParts checks that ofParts lists each part that this package implements, and no part that it
// passes through to the store inside.
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

// opened returns the store and closes it when the test ends.
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
