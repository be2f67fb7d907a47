package installation_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testinstall"
)

func stateOf(w testinstall.Installation) installation.DigestKeyState {
	w.Helper()
	state, err := installation.DigestKeyOf(w.Context(), w.Location)
	if err != nil {
		w.Fatal(err)
	}
	return state
}

// keysetOf returns the keyset that is recorded in the database.
func keysetOf(w testinstall.Installation) string {
	w.Helper()
	keys, kept, err := w.Open(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	defer kept.Close()
	var record store.InstallationRecord
	err = kept.View(w.Context(), func(r store.Tx) error {
		var err error
		record, err = r.Installation().Find()
		return err
	})
	if err != nil || !strings.HasPrefix(record.Keyset, keys.Fingerprints().Keyset) {
		w.Errorf("the record is %+v, %v", record, err)
	}
	return record.Keyset
}

// backdateRotation moves the start of a rotation a minute back.
const backdateRotation = `UPDATE number_digests SET changed_at = changed_at - 60000`

// TestDigestKeyCommands takes the digest key of an installation through a rotation, and tries each
// command in each phase.
func TestDigestKeyCommands(t *testing.T) {
	t.Parallel()
	testinstall.OnBothDatabases(t, func(w testinstall.Installation) {
		ctx, before := w.Context(), keysetOf(w)
		first := installation.DigestKeyState{Phase: string(digests.OneKey)}
		if state := stateOf(w); state != first {
			w.Errorf("before there is %+v", state)
		}
		w.WantRefused("no next key",
			installation.RetireDigestKey(ctx, w.Location, 0), "there is no next key")
		count, err := installation.RotateDigestKey(ctx, w.Location)
		if err != nil || count == 0 {
			w.Fatalf("key %d, %v", count, err)
		}
		state := stateOf(w)
		if state.Phase != string(digests.TwoKeys) || state.Key != 0 || state.Next != count {
			w.Errorf("after rotate: %+v", state)
		}
		if got := keysetOf(w); got != before {
			w.Errorf("after rotate the previous version finds the keyset %s", got)
		}
		_, err = installation.RotateDigestKey(ctx, w.Location)
		w.WantRefused("rotate twice", err, "another rotation is under way")
		w.WantRefused("another key",
			installation.RetireDigestKey(ctx, w.Location, count), "in use is 0")
		w.WantRefused("at once",
			installation.RetireDigestKey(ctx, w.Location, 0), "less than a minute ago")
		w.Exec(backdateRotation)
		if err := installation.RetireDigestKey(ctx, w.Location, 0); err != nil {
			w.Fatal(err)
		}
		state = stateOf(w)
		if state.Phase != string(digests.Moving) || state.Key != count || state.Next != 0 {
			w.Errorf("after retire: %+v", state)
		}
		if got := keysetOf(w); got != before+"+"+strconv.Itoa(count) {
			w.Errorf("after retire the record is %s", got)
		}
		_, err = installation.RotateDigestKey(ctx, w.Location)
		w.WantRefused("rotate too early", err, "another rotation is under way")
		opened, kept, err := w.Open(ctx)
		if err != nil {
			w.Fatal(err)
		}
		service := keys.New(issuing.New(kept, opened, issuing.Settings{Mode: card.Production}))
		_, err = service.Rehash(ctx)
		if err := errors.Join(err, kept.Close()); err != nil {
			w.Fatal(err)
		}
		if state := stateOf(w); state.Phase != string(digests.OneKey) || state.Key != count {
			w.Errorf("at the end: %+v", state)
		}
		checkKeysetGuard(w, before, count)
	})
}

// checkKeysetGuard checks that after a rotation the installation still rejects other keys.
func checkKeysetGuard(w testinstall.Installation, fingerprint string, key int) {
	w.Helper()
	open := func() error {
		_, kept, err := w.Open(w.Context())
		if err != nil {
			return err
		}
		return kept.Close()
	}
	other := installation.Location{Data: filepath.Join(w.TempDir(), "other")}
	testinstall.Init(w.T, other)
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
	w.WantRefused("a foreign keyset", open(), "remembers the keyset "+fingerprint+", and")
	if err := os.WriteFile(file, own, 0o600); err != nil {
		w.Fatal(err)
	}
	if err := open(); err != nil {
		w.Error(err)
	}
	w.Exec(`UPDATE installation SET keyset_fingerprint = '` + fingerprint + `'`)
	w.WantRefused("another database's digest key", open(), "assembled from two databases")
	w.Exec(`UPDATE installation SET keyset_fingerprint = '` + fingerprint + "+" +
		strconv.Itoa(key) + `'`)
	w.Exec(`UPDATE number_digests SET wrapped = '1'`)
	w.WantRefused("a key that is damaged", open(), "unwrap the digest key")
}

// TestRetireWaitsForNodes checks that a key is not retired while a program of an earlier version is
// connected, and that nodes of this version do not prevent it.
func TestRetireWaitsForNodes(t *testing.T) {
	t.Parallel()
	w := testinstall.New(t, pgtest.Empty(t))
	_, kept, err := w.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if err := kept.View(t.Context(), func(r store.Tx) error {
		_, err := r.CardNumbers().FindDigestState()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := installation.RotateDigestKey(t.Context(), w.Location); err != nil {
		t.Fatal(err)
	}
	w.Exec(backdateRotation)
	earlier, err := sql.Open("pgx", w.Database.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := earlier.Conn(t.Context())
	if err == nil {
		_, err = conn.ExecContext(t.Context(), `SET application_name = 'mintmark'`)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.WantRefused("a node of an earlier version",
		installation.RetireDigestKey(t.Context(), w.Location, 0), "programs of an earlier version")
	if err := errors.Join(conn.Close(), earlier.Close()); err != nil {
		t.Fatal(err)
	}
	if err := installation.RetireDigestKey(t.Context(), w.Location, 0); err != nil {
		t.Errorf("with a node of this version: %v", err)
	}
}
