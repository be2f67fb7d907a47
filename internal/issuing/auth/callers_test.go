package auth

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/testrun"
)

// hasher digests secrets for the tests: any digest of 32 bytes will do.
type hasher struct{}

func (hasher) DigestSecret(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return digest[:]
}

func secretOf(text string, expires time.Time) apikey.Secret {
	return apikey.Secret{Digest: hasher{}.DigestSecret(text), Expires: expires}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// start is the time at which the clock of a test starts.
var start = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// counting is a store that counts the reads of the key list.
type counting struct {
	store.Store
	lists atomic.Int64
}

func (c *counting) View(ctx context.Context, fn func(store.Tx) error) error {
	return c.Store.View(ctx, func(r store.Tx) error { return fn(countingReader{r, c}) })
}

type countingReader struct {
	store.Tx
	of *counting
}

func (c countingReader) Keys() store.Keys { return countingKeys{c.Tx.Keys(), c.of} }

type countingKeys struct {
	store.Keys
	of *counting
}

func (c countingKeys) List() ([]apikey.Key, error) {
	c.of.lists.Add(1)
	return c.Keys.List()
}

// open opens a store in a file.
func open(t *testing.T, path string) store.Store {
	t.Helper()
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	return kept
}

// put stores keys, and their program if it does not exist yet.
func put(t *testing.T, kept store.Store, keys ...apikey.Key) {
	t.Helper()
	err := kept.Update(context.Background(), func(tx store.Tx) error {
		if err := putProgram(tx); err != nil {
			return err
		}
		for _, key := range keys {
			key.ProgramID, key.Version = 1, 1
			if err := tx.Keys().Put(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func putProgram(tx store.Tx) error {
	programs, err := tx.Programs().List()
	if err != nil || len(programs) > 0 {
		return err
	}
	if err := tx.Banks().Put(store.Bank{ID: 1}); err != nil {
		return err
	}
	return tx.Programs().Put(program.Program{
		Issuing:  program.Issuing{ID: 1, BankID: 1, VerificationWindowDays: 90},
		Settings: program.Settings{Name: "Example1", TimeZone: "UTC"},
	})
}

// world is a Callers with its own store and a stopped clock.
type world struct {
	*Callers
	store *counting
	clock *clock.Clock
	path  string // of the database
}

func newWorld(t *testing.T, listener Listener, keys ...apikey.Key) world {
	t.Helper()
	w := world{clock: clock.FrozenAt(start), path: filepath.Join(t.TempDir(), "mintmark.db")}
	w.store = &counting{Store: open(t, w.path)}
	put(t, w.store, keys...)
	var err error
	w.Callers, err = Open(t.Context(), w.store, hasher{},
		Settings{Clock: w.clock, Listener: listener})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w world) matches(name, secret string) bool {
	_, matches := w.Authenticate(name, secret)
	return matches
}

func TestAllowsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil,
		apikey.Key{Name: "a", Allow: loopback},
		apikey.Key{Name: "b", Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.7/32")}},
		apikey.Key{Name: "c"})
	for text, want := range map[string]bool{
		"127.0.0.1": true, "192.0.2.7": true, "192.0.2.8": false, "::1": false,
		"::ffff:127.0.0.1": true,
	} {
		if got := w.AllowsAddress(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is allowed: %v, want %v", text, got, want)
		}
	}
	empty := newWorld(t, nil)
	if empty.AllowsAddress(netip.MustParseAddr("127.0.0.1")) || empty.AllowsAddress(netip.Addr{}) {
		t.Error("an address is allowed although there is no key")
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil,
		apikey.Key{Name: "rotating", Secrets: []apikey.Secret{
			secretOf("old", start.Add(time.Hour)), secretOf("new", time.Time{}),
		}},
		apikey.Key{Name: "rotated", Secrets: []apikey.Secret{
			secretOf("old", start.Add(-time.Second)), secretOf("new", time.Time{}),
		}},
		apikey.Key{Name: "revoked"})
	for _, row := range []struct {
		name, secret string
		want         bool
	}{
		{"rotating", "old", true},
		{"rotating", "new", true},
		{"rotating", "newer", false},
		{"rotating", "", false},
		{"rotated", "old", false},
		{"rotated", "new", true},
		{"revoked", "new", false},
		{"revoked", "", false},
		{"Rotating", "new", false}, // names are case-sensitive
		{"unknown", "new", false},
		{"", "", false},
	} {
		key, got := w.Authenticate(row.name, row.secret)
		if got != row.want {
			t.Errorf("%s with %q matches: %v, want %v", row.name, row.secret, got, row.want)
		}
		if got && key.Name != row.name {
			t.Errorf("%s gives the key %s", row.name, key.Name)
		}
	}
}

// TestSecretsExpireByTheClock moves the clock to the time at which a secret expires.
func TestSecretsExpireByTheClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, apikey.Key{Name: "a", Secrets: []apikey.Secret{
		secretOf("old", start.Add(time.Hour)), secretOf("new", time.Time{}),
	}})
	w.clock.Advance(time.Hour - time.Nanosecond)
	if !w.matches("a", "old") {
		t.Error("a secret is refused before it expires")
	}
	w.clock.Advance(time.Nanosecond)
	if w.matches("a", "old") {
		t.Error("an expired secret is accepted")
	}
	if !w.matches("a", "new") {
		t.Error("the secret that does not expire is refused")
	}
}

// running runs a world in the background until the test ends.
func running(t *testing.T, w world) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		w.Run(ctx, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() { stop(); <-ended })
}

// TestChangesAreSeen checks that a key changed by another process takes effect within a second: a
// new secret, a new address, a revoked key.
func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before := apikey.Key{
			Name: "a", Allow: loopback, Secrets: []apikey.Secret{secretOf("old", time.Time{})},
		}
		w := newWorld(t, nil, before)
		running(t, w)

		after := before
		after.Revision = 1
		after.Secrets = []apikey.Secret{secretOf("new", time.Time{})}
		after.Allow = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
		put(t, open(t, w.path), after)
		testrun.Pass(time.Second)
		if w.matches("a", "old") || !w.matches("a", "new") ||
			w.AllowsAddress(netip.MustParseAddr("127.0.0.1")) ||
			!w.AllowsAddress(netip.MustParseAddr("192.0.2.1")) {
			t.Error("the change is not seen within a second")
		}
	})
}

// signals is sent to by the test.
type signals chan struct{}

func (a signals) Listen(ctx context.Context, changed chan<- struct{}) {
	for {
		select {
		case <-a:
			changed <- struct{}{}
		case <-ctx.Done():
			return
		}
	}
}

// TestSignalsAreFollowed checks that a signalled change takes effect immediately, before the next
// poll, although the store that holds the keys sends no signals.
func TestSignalsAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signalled := make(signals)
		w := newWorld(t, signalled, apikey.Key{Name: "a"})
		running(t, w)
		synctest.Wait()
		put(t, w.store, apikey.Key{
			Name: "a", Secrets: []apikey.Secret{secretOf("b", time.Time{})}, Revision: 1,
		})
		if w.matches("a", "b") {
			t.Error("the change counts before it is signalled")
		}
		select {
		case signalled <- struct{}{}:
		case <-time.After(pollEvery / 2):
			t.Fatal("nobody listens to the signals")
		}
		synctest.Wait()
		if !w.matches("a", "b") {
			t.Error("the signalled change does not count")
		}
	})
}

// TestKeysAreReadOnce checks that the keys are not read again while none has changed: the store is
// polled several times a second.
func TestKeysAreReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil, apikey.Key{Name: "a"})
		running(t, w)
		testrun.Pass(time.Hour)
		if lists := w.store.lists.Load(); lists != 1 {
			t.Errorf("the keys were read %d times, want once", lists)
		}
		put(t, w.store, apikey.Key{Name: "b"})
		testrun.Pass(time.Hour)
		if lists := w.store.lists.Load(); lists != 2 {
			t.Errorf("after a change the keys were read %d times, want twice", lists)
		}
	})
}

// TestKeysOutliveTheDatabase checks that the keys last read stay valid while the database is
// unreachable.
func TestKeysOutliveTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil,
		apikey.Key{Name: "a", Secrets: []apikey.Secret{secretOf("b", time.Time{})}})
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.refresh(t.Context()); err == nil {
		t.Error("a closed store can be read")
	}
	if !w.matches("a", "b") {
		t.Error("the key is refused")
	}
	if _, err := Open(t.Context(), w.store, hasher{}, Settings{}); err == nil {
		t.Error("callers can be authenticated although no keys could be read")
	}
}
