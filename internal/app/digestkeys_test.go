package app

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
)

// rotating is an installation whose digest key is rotated.
type rotating struct {
	*testing.T
	Place
	driver, name string // of the database
}

// onBothDatabases runs a test in a new installation on each database.
func onBothDatabases(t *testing.T, run func(w rotating)) {
	for name, url := range map[string]func() string{
		"embedded":   func() string { return "" },
		"postgresql": func() string { return pgtest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			w := rotating{t, Place{Data: filepath.Join(t.TempDir(), "data")}, "sqlite", ""}
			w.name = filepath.Join(w.Data, databaseFile) + "?_pragma=busy_timeout(10000)"
			if w.Database.URL = url(); w.Database.URL != "" {
				w.driver, w.name = "pgx", w.Database.URL
			}
			initialize(t, w.Place)
			run(w)
		})
	}
}

// exec runs a statement behind the back of the program.
func (w rotating) exec(statement string) {
	w.Helper()
	db, err := sql.Open(w.driver, w.name)
	if err != nil {
		w.Fatal(err)
	}
	_, err = db.ExecContext(w.Context(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		w.Fatal(err)
	}
}

func (w rotating) state() DigestKeyState {
	w.Helper()
	state, err := DigestKeyOf(w.Context(), w.Place)
	if err != nil {
		w.Fatal(err)
	}
	return state
}

// wantRefused holds that an error says something.
func (w rotating) wantRefused(what string, err error, said string) {
	w.Helper()
	if err == nil || !strings.Contains(err.Error(), said) {
		w.Errorf("%s: %v, want %q", what, err, said)
	}
}

// keyset is what the database remembers of its keyset.
func (w rotating) keyset() string {
	w.Helper()
	keys, kept, err := w.Open(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer kept.Close()
	record, err := installationOf(w.Context(), kept)
	if err != nil || !strings.HasPrefix(record.Keyset, keys.Fingerprints().Keyset) {
		w.Errorf("the record is %+v, %v", record, err)
	}
	return record.Keyset
}

// TestDigestKeyCommands takes the digest key of an installation through a rotation, and tries each
// command at each phase.
func TestDigestKeyCommands(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(w rotating) {
		const soon = `UPDATE number_digests SET changed_at = changed_at - 60000`
		ctx, before := w.Context(), w.keyset()
		if state := w.state(); state != (DigestKeyState{Phase: string(digests.OneKey)}) {
			w.Errorf("before there is %+v", state)
		}
		w.wantRefused("no next key", RetireDigestKey(ctx, w.Place, 0), "there is no next key")
		made, err := RotateDigestKey(ctx, w.Place)
		if err != nil || made == 0 {
			w.Fatalf("key %d, %v", made, err)
		}
		state := w.state()
		if state.Phase != string(digests.TwoKeys) || state.Key != 0 || state.Next != made {
			w.Errorf("after rotate: %+v", state)
		}
		if got := w.keyset(); got != before {
			w.Errorf("after rotate a program of the version before finds the keyset %s", got)
		}
		_, err = RotateDigestKey(ctx, w.Place)
		w.wantRefused("rotate twice", err, "another rotation is under way")
		w.wantRefused("another key", RetireDigestKey(ctx, w.Place, made), "in use is 0")
		w.wantRefused("at once", RetireDigestKey(ctx, w.Place, 0), "less than a minute ago")
		w.exec(soon)
		if err := RetireDigestKey(ctx, w.Place, 0); err != nil {
			w.Fatal(err)
		}
		state = w.state()
		if state.Phase != string(digests.Moving) || state.Key != made || state.Next != 0 {
			w.Errorf("after retire: %+v", state)
		}
		if got := w.keyset(); got != before+"+"+strconv.Itoa(made) {
			w.Errorf("after retire the record is %s", got)
		}
		_, err = RotateDigestKey(ctx, w.Place)
		w.wantRefused("rotate too early", err, "another rotation is under way")
		keys, kept, err := w.Open(ctx)
		if err != nil {
			w.Fatal(err)
		}
		_, err = issuing.New(kept, keys, issuing.Settings{Mode: card.Production}).Redigest(ctx)
		if err := errors.Join(err, kept.Close()); err != nil {
			w.Fatal(err)
		}
		if state := w.state(); state.Phase != string(digests.OneKey) || state.Key != made {
			w.Errorf("at the end: %+v", state)
		}
		w.guards(before, made)
	})
}

// guards holds that after a rotation the place still refuses other keys.
func (w rotating) guards(fingerprint string, key int) {
	w.Helper()
	open := func() error {
		_, kept, err := w.Open(w.Context())
		if err != nil {
			return err
		}
		return kept.Close()
	}
	other := Place{Data: filepath.Join(w.TempDir(), "other")}
	initialize(w.T, other)
	file := filepath.Join(w.Data, "keyset.json")
	own, err := os.ReadFile(file)
	if err != nil {
		w.Fatal(err)
	}
	foreign, err := os.ReadFile(filepath.Join(other.Data, "keyset.json"))
	if err == nil {
		err = os.WriteFile(file, foreign, 0o600)
	}
	if err != nil {
		w.Fatal(err)
	}
	w.wantRefused("a foreign keyset", open(), "remembers the keyset "+fingerprint+", and")
	if err := os.WriteFile(file, own, 0o600); err != nil {
		w.Fatal(err)
	}
	if err := open(); err != nil {
		w.Error(err)
	}
	w.exec(`UPDATE installation SET keyset_fingerprint = '` + fingerprint + `'`)
	w.wantRefused("another database's digest key", open(), "put together of two")
	w.exec(`UPDATE installation SET keyset_fingerprint = '` + fingerprint + "+" +
		strconv.Itoa(key) + `'`)
	w.exec(`UPDATE number_digests SET wrapped = '1'`)
	w.wantRefused("a key that is damaged", open(), "cannot be opened")
}

// TestRetireWaitsForNumbers holds that a key is needed while a number has no other digest.
func TestRetireWaitsForNumbers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	state, err := digests.State{Phase: digests.OneKey}.Rotate(digests.Key{ID: 7}, at)
	if err != nil {
		t.Fatal(err)
	}
	err = retirable(state, 0, make([]digests.Sealed, 1), at.Add(time.Hour))
	if err == nil || !strings.Contains(err.Error(), "no digest under the key 7") {
		t.Errorf("the error is %v", err)
	}
	if err := retirable(state, 0, nil, at.Add(time.Hour)); err != nil {
		t.Error(err)
	}
}

// TestRetireWaitsForNodes holds that a key is not retired while a program of an earlier version is
// connected, and that nodes of this version do not count.
func TestRetireWaitsForNodes(t *testing.T) {
	t.Parallel()
	w := rotating{T: t, Place: Place{
		Data: filepath.Join(t.TempDir(), "data"), Database: Database{URL: pgtest.Empty(t)},
	}}
	initialize(t, w.Place)
	_, kept, err := w.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if err := kept.View(t.Context(), func(r store.Tx) error {
		_, err := r.Digests().Find()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.noEarlierNodes(t.Context()); err != nil {
		t.Errorf("a node of this version: %v", err)
	}
	earlier, err := sql.Open("pgx", w.Database.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer earlier.Close()
	conn, err := earlier.Conn(t.Context())
	if err == nil {
		_, err = conn.ExecContext(t.Context(), `SET application_name = 'mintmark'`)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.wantRefused("a node of an earlier version", w.noEarlierNodes(t.Context()),
		"programs of an earlier version")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
}
