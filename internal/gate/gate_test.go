package gate

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/apikey"
	"mintmark/internal/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// hasher digests secrets for the tests; the gate does not care how.
type hasher struct{}

func (hasher) DigestSecret(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return digest[:]
}

func secretOf(text string, expires time.Time) apikey.Secret {
	return apikey.Secret{Digest: hasher{}.DigestSecret(text), Expires: expires}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

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

func put(t *testing.T, kept store.Store, keys ...apikey.Key) {
	t.Helper()
	err := kept.Update(context.Background(), func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: 1}); err != nil {
			return err
		}
		err := tx.Programs().Put(program.Program{
			Issuing:  program.Issuing{ID: 1, BankID: 1, VerificationWindowDays: 90},
			Settings: program.Settings{Name: "Example1", TimeZone: "UTC"},
		})
		if err != nil {
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

// newGate returns a gate with these keys, and the file they are in.
func newGate(t *testing.T, keys ...apikey.Key) (*Gate, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	kept := open(t, path)
	put(t, kept, keys...)
	g, err := Open(t.Context(), kept, hasher{})
	if err != nil {
		t.Fatal(err)
	}
	return g, path
}

func TestKnows(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t,
		apikey.Key{Name: "a", Allow: loopback},
		apikey.Key{Name: "b", Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.7/32")}},
		apikey.Key{Name: "c"})
	for text, want := range map[string]bool{
		"127.0.0.1": true, "192.0.2.7": true, "192.0.2.8": false, "::1": false,
		"::ffff:127.0.0.1": true,
	} {
		if got := g.Knows(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is known: %v, want %v", text, got, want)
		}
	}
	empty, _ := newGate(t)
	if empty.Knows(netip.MustParseAddr("127.0.0.1")) || empty.Knows(netip.Addr{}) {
		t.Error("a gate without keys knows an address")
	}
}

func TestUnlock(t *testing.T) {
	t.Parallel()
	soon, past := time.Now().Add(time.Hour), time.Now().Add(-time.Second)
	g, _ := newGate(t,
		apikey.Key{Name: "rotating", Secrets: []apikey.Secret{
			secretOf("old", soon), secretOf("new", time.Time{}),
		}},
		apikey.Key{Name: "rotated", Secrets: []apikey.Secret{
			secretOf("old", past), secretOf("new", time.Time{}),
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
		{"Rotating", "new", false}, // a name is compared as it is
		{"nobody", "new", false},
		{"", "", false},
	} {
		key, got := g.Unlock(row.name, row.secret)
		if got != row.want {
			t.Errorf("%s with %q opens: %v, want %v", row.name, row.secret, got, row.want)
		}
		if got && key.Name != row.name {
			t.Errorf("%s opens the key %s", row.name, key.Name)
		}
	}
}

// TestChangesAreSeen holds that a change of a key by another process counts within a second: a
// new secret, a new address, a revoked key.
func TestChangesAreSeen(t *testing.T) {
	t.Parallel()
	before := apikey.Key{
		Name: "a", Allow: loopback, Secrets: []apikey.Secret{secretOf("old", time.Time{})},
	}
	g, path := newGate(t, before)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		g.Run(ctx, slog.New(slog.DiscardHandler), nil)
	}()
	defer func() { stop(); <-ended }()

	after := before
	after.Secrets = []apikey.Secret{secretOf("new", time.Time{})}
	after.Allow = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	put(t, open(t, path), after)
	seen := func() bool {
		_, old := g.Unlock("a", "old")
		_, renewed := g.Unlock("a", "new")
		return !old && renewed && !g.Knows(netip.MustParseAddr("127.0.0.1")) &&
			g.Knows(netip.MustParseAddr("192.0.2.1"))
	}
	for deadline := time.Now().Add(time.Second); !seen(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the change is not seen within a second")
		}
	}
}

// TestKeysAreReadOnce holds that nothing is read anew while no key has changed: the gate asks
// several times a second.
func TestKeysAreReadOnce(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, apikey.Key{Name: "a"})
	before := g.keys.Load()
	if err := g.refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if g.keys.Load() != before {
		t.Error("the keys were read anew")
	}
}

// TestKeysOutliveTheDatabase holds that the keys that were read last count while the database is
// out of reach, and that nobody waits for it.
func TestKeysOutliveTheDatabase(t *testing.T) {
	t.Parallel()
	g, _ := newGate(t, apikey.Key{Name: "a", Secrets: []apikey.Secret{secretOf("b", time.Time{})}})
	if err := g.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.refresh(t.Context()); err == nil {
		t.Error("a closed store can be read")
	}
	if _, opened := g.Unlock("a", "b"); !opened {
		t.Error("the key no longer opens")
	}
	if _, err := Open(t.Context(), g.store, hasher{}); err == nil {
		t.Error("a gate without keys to read is open")
	}
}
