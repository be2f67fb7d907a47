//go:build long

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/vault"
)

// TestDigestKeyOverKills rotates the digest key of a serving installation. The node is killed while
// a rotation adds digests and while it moves them; in the end, every number has only a digest under
// the next key.
func TestDigestKeyOverKills(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	node := p.serve()
	status := func() (state installation.DigestKeyState) {
		t.Helper()
		out := p.done("digest-key", "status", "--config", p.config, "--output", "json")
		if err := json.Unmarshal([]byte(out), &state); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		return state
	}
	again := func() {
		node.end(syscall.SIGKILL)
		node = p.serve()
	}
	await := func(what string, done func(installation.DigestKeyState) bool) {
		t.Helper()
		testrun.Within(t, what, func() bool { return done(status()) })
	}
	key := 0
	for range 2 {
		next := strings.Fields(p.done("digest-key", "rotate", "--config", p.config))[0]
		again()
		await("every number has two digests", func(s installation.DigestKeyState) bool {
			return s.Numbers > 0 && s.Left == 0
		})
		p.refused("less than a minute ago", "digest-key", "retire", fmt.Sprint(key),
			"--config", p.config)
		db := ledger.Open(t, p.data)
		_, err := db.ExecContext(t.Context(),
			`UPDATE number_digests SET changed_at = changed_at - 60000`)
		if err != nil {
			t.Fatal(err)
		}
		p.done("digest-key", "retire", fmt.Sprint(key), "--config", p.config)
		again()
		await("no number has two digests", func(s installation.DigestKeyState) bool {
			return s.Phase == "one key"
		})
		key = status().Key
		same(t, "the key", fmt.Sprint(key), next)
		wantDigests(t, p.data)
	}
	node.end(syscall.SIGTERM)
}

// wantDigests checks that every number has only a digest under the key in use.
func wantDigests(t *testing.T, data string) {
	t.Helper()
	keys, err := installation.OpenVault(data, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := installation.OpenStore(t.Context(), data, ledger.Database(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	err = kept.View(t.Context(), func(r store.Tx) error {
		state, err := r.CardNumbers().FindDigestState()
		if err != nil {
			return err
		}
		numbers, err := r.BankKeys().ListSealedNumbers(store.SealedQuery{
			BankID: 1, Mark: keys.OwnMark(), Limit: 1000,
		})
		if err != nil || len(numbers) == 0 || state.Key.ID == vault.KeysetKey {
			t.Fatalf("%d numbers, %+v, %v", len(numbers), state, err)
		}
		for _, n := range numbers {
			number, err := keys.OpenNumber(n.Sealed, n.CardID)
			if err != nil {
				return err
			}
			want, err := keys.DigestNumberUnder(state.Key.ID, state.Key.Wrapped, number)
			if err != nil {
				return err
			}
			sealed, err := r.CardNumbers().Find(1, n.CardID)
			if err != nil {
				return err
			}
			if string(sealed.Digest.First) != string(want) || sealed.Digest.Second != nil {
				t.Errorf("card %d has the digests %+v", n.CardID, sealed.Digest)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
