package auditlog

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// childEnv is the variable with the database and the keys of a child process.
const childEnv = "AUDITLOG_TEST_CHILD"

// openChild opens a database with keys from a directory.
func openChild(driver, name, dir string) (*place, error) {
	keys, err := vault.Open(vault.Settings{Dir: dir, PinKeyBits: 2048})
	if err != nil {
		return nil, err
	}
	p := &place{driver: driver, name: name, keys: keys}
	if driver == "sqlite" {
		kept, _, err := cached.Open(context.Background(), name, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		p.store = kept
	} else {
		engine, err := postgres.Open(context.Background(), name, postgres.Options{})
		if err != nil {
			return nil, err
		}
		p.store = sqlstore.New(engine)
	}
	p.store.DigestEntries(p.digest)
	return p, nil
}

// TestMain is also the child process of TestKilled.
func TestMain(m *testing.M) {
	named := strings.Split(os.Getenv(childEnv), "\n")
	if len(named) != 3 {
		os.Exit(m.Run())
	}
	panic(actAndSeal(named[0], named[1], named[2]))
}

// actAndSeal acts and seals until the process is killed.
func actAndSeal(driver, name, dir string) error {
	p, err := openChild(driver, name, dir)
	if err != nil {
		return err
	}
	go func() {
		for {
			p.row++
			err := p.store.Update(context.Background(), func(tx store.Tx) error {
				return tx.Audit().Put(example(p.row))
			})
			if err != nil {
				panic(err)
			}
		}
	}()
	s := New(p.store, Settings{
		Node: "one", Keys: p.keys, Log: slog.New(slog.DiscardHandler),
		IsEvent: func(audit.Entry) bool { return true },
	})
	for {
		sealed, err := s.Seal(context.Background())
		if err != nil {
			return err
		}
		if sealed > 0 {
			fmt.Println("sealed", s.head.Size())
		}
	}
}

// TestKilled repeatedly kills a process that acts and seals, at any time. Sealed entries stay
// sealed, and the next process seals the others.
func TestKilled(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			dir := t.TempDir()
			keys, err := vault.Open(vault.Settings{Dir: dir, PinKeyBits: 2048})
			if err != nil {
				t.Fatal(err)
			}
			p.keys = keys
			for range 20 {
				said := p.kill(t, dir)
				report := p.verify(t)
				if report.Err() != nil || report.Entries < said {
					t.Fatalf("%d entries, of %d: %v", report.Entries, said, report.Err())
				}
			}
			drain(t, p.sealer("one"))
			report := p.verify(t)
			if report.Err() != nil || report.Waiting != 0 {
				t.Errorf("%d entries wait: %v", report.Waiting, report.Err())
			}
		})
	}
}

// kill starts a child, kills it after a few batches, and returns how many entries it reported as
// sealed.
func (p *place) kill(t *testing.T, dir string) (said int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+p.driver+"\n"+p.name+"\n"+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	left := 1 + rand.IntN(4)
	lines := bufio.NewScanner(out)
	for lines.Scan() && left > 0 {
		if _, err := fmt.Sscanf(lines.Text(), "sealed %d", &said); err == nil {
			left--
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if left > 0 {
		t.Fatal("the child has ended by itself")
	}
	return said
}
