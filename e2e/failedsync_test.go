//go:build check

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
)

// TestFailedSync makes a sync fail while sixteen callers write, and compares the answers with what
// the next start finds. What was acknowledged must be there, what was rejected must not, and the
// process must end without help.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // the disk of a database server is the server's
	}
	data := madeData(t)
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	all := new(outcomes)
	failures := setting(t, "MINTMARK_SYNC_FAILURES", 5)
	for round := range failures {
		// One sync of a thread fails, or all from one on. Syncs of the database file are rare:
		// there is one when the log is written back.
		file, which := logFile, strconv.Itoa(1+rand.IntN(20))
		switch round % 5 {
		case 1, 3:
			which += "+"
		case 4:
			file, which = databaseFile, "1+"
		}
		s := &syncFailure{T: t, all: all, data: data(), name: fmt.Sprintf("%s %s", file, which)}
		s.serve(program, file, which)
		s.write(func() bool { return false })
		s.ended()
		kept := s.compare()
		if kept > 0 {
			t.Errorf("%s: %d refused writes are kept", s.name, kept)
		}
	}
	t.Logf("%d failed syncs; %v", failures, all)
}

// TestFailedSyncIsNoticed builds a program that treats a failed sync as a rejected write, as if the
// disk were full. TestFailedSync's checks must find that it keeps rejected writes.
func TestFailedSyncIsNoticed(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return
	}
	data := madeData(t)
	program := forgiving(t)
	all := new(outcomes)
	for range 5 {
		s := &syncFailure{T: t, all: all, data: data(), name: "forgiving", forgiving: true}
		s.serve(program, logFile, "5+")
		// The program continues, and each commit overwrites the failed ones before it. So the last
		// commits have to fail.
		s.write(func() bool { return s.inARow.Load() > 50 })
		if kept := s.compare(); kept > 0 {
			t.Logf("%v; %d of those answered 50503 are kept", all, kept)
			return
		}
	}
	t.Errorf("nothing that was refused is kept: %v", all)
}

// outcomes counts answers.
type outcomes struct{ answered, refused, untold, untoldKept atomic.Int64 }

func (a *outcomes) String() string {
	return fmt.Sprintf("%d writes answered 200, %d answered 50503, %d 50504 or nothing, of which "+
		"%d are kept", a.answered.Load(), a.refused.Load(), a.untold.Load(), a.untoldKept.Load())
}

// syncFailure is one run of the program with a failing sync.
type syncFailure struct {
	*testing.T
	name      string
	all       *outcomes
	data      string
	process   *process
	forgiving bool         // the program continues after a failure
	broken    atomic.Bool  // a caller was told that the commit outcome is unknown
	inARow    atomic.Int64 // rejections since the last 200

	mu       sync.Mutex
	outcomes map[string]outcome // of the orders, by tag
}

type outcome int

const (
	done    outcome = iota // answered 200
	notDone                // answered 50503
	untold                 // answered 50504, or without an answer
)

// madeData creates the data of a sandbox and returns a function that copies it.
func madeData(t *testing.T) func() string {
	t.Helper()
	original := filepath.Join(t.TempDir(), "data")
	same(t, "exit code", sandbox(t, "--data", original).end(syscall.SIGTERM), 0)
	return func() string {
		data := filepath.Join(t.TempDir(), "data")
		// The copy must not be readable by other users either.
		if out, err := exec.Command("cp", "-a", original, data).CombinedOutput(); err != nil {
			t.Fatalf("copy the data: %v: %s", err, out)
		}
		return data
	}
}

// forgiving builds the program with another rule for errors of a commit.
func forgiving(t *testing.T) (program string) {
	t.Helper()
	source, err := filepath.Abs("../internal/store/sqlstore/sqlite/failure.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	const rule = "return !slices.Contains(certain, resultCode(err).ToPrimary())"
	changed := strings.Replace(string(text), rule, "return len(certain) == 0", 1)
	changed = strings.Replace(changed, `	"slices"`+"\n", "", 1)
	if !strings.Contains(string(text), rule) {
		t.Fatal("the rule for errors of a commit reads differently now")
	}
	directory := t.TempDir()
	other, overlay := filepath.Join(directory, "failure.go"), filepath.Join(directory, "overlay")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{source: other}})
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(directory, "mintmark")
	err = errors.Join(os.WriteFile(other, []byte(changed), 0o600),
		os.WriteFile(overlay, replace, 0o600), build("..", "-overlay", overlay, "-o", program))
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// serve starts the program under a tracer that makes syncs of a file fail.
func (s *syncFailure) serve(program, file, which string) {
	s.Helper()
	s.outcomes = make(map[string]outcome)
	traced := exec.Command("strace", "-D", "-f", "--seccomp-bpf", "-qq",
		"-o", filepath.Join(s.TempDir(), "trace"), "-P", filepath.Join(s.data, file),
		"-e", "signal=none", "-e", "trace=fsync,fdatasync",
		"-e", "inject=fsync,fdatasync:error=EIO:when="+which, program)
	// Under a tracer, each signal that Go sends to its own threads is expensive.
	traced.Env = append(os.Environ(), "GODEBUG=asyncpreemptoff=1")
	s.process = serveSandbox(s.T, traced, "--data", s.data)
}

// write makes callers order cards and read them, until the program is gone or enough returns true.
func (s *syncFailure) write(enough func() bool) {
	const callers = 16
	// A program that does not end would make the test hang.
	late := time.Now().Add(time.Minute)
	var working sync.WaitGroup
	for caller := range callers {
		working.Go(func() {
			api := client.New(s.process.url, "example1", "example1")
			for i := 0; !enough() && s.order(api, fmt.Sprintf("%d no %d", caller, i)); i++ {
				if time.Now().After(late) {
					s.Errorf("%s: the program does not end", s.name)
					return
				}
			}
		})
	}
	working.Wait()
	if s.forgiving {
		s.process.end(syscall.SIGKILL)
	}
}

// order orders a card and reads it, and reports whether the program is still there. A request that
// begins after a caller was told that the commit outcome is unknown must not succeed.
func (s *syncFailure) order(api *client.Client, name string) (goOn bool) {
	wanted := newCard(name)
	broken := s.broken.Load()
	ordered, err := api.CardInitiate(s.Context(), wanted)
	result := s.count(err)
	s.mu.Lock()
	s.outcomes[wanted.Tag] = result
	s.mu.Unlock()
	failure := new(client.Failure)
	if result == untold {
		s.broken.Store(true)
		return errors.As(err, &failure)
	}
	if result == notDone {
		return true
	}
	_, err = api.CardGet(s.Context(), customer, ordered.CardID)
	if broken && !s.forgiving {
		s.Errorf("%s: answered after the failure", s.name)
	}
	return err == nil || errors.As(err, &failure)
}

// count classifies an answer.
func (s *syncFailure) count(err error) outcome {
	failure := new(client.Failure)
	switch {
	case err == nil:
		s.all.answered.Add(1)
		s.inARow.Store(0)
		return done
	case errors.As(err, &failure) && failure.Has(50503):
		s.all.refused.Add(1)
		s.inARow.Add(1)
		return notDone
	case errors.As(err, &failure) && !failure.Has(50504):
		s.Errorf("%s: a write is answered %v", s.name, err)
	}
	s.all.untold.Add(1)
	return untold
}

// ended checks that the program has ended without help, and has logged why.
func (s *syncFailure) ended() {
	s.Helper()
	same(s.T, s.name+": exit code", s.process.wait(), 1)
	said := strings.Contains(s.process.log.String(), `level=ERROR msg="the disk has failed`)
	same(s.T, s.name+": an ERROR in the log", said, true)
}

// compare restarts the program and checks what it had answered. It returns the number of rejected
// writes that are stored.
func (s *syncFailure) compare() (refusedKept int) {
	s.Helper()
	program := sandbox(s.T, "--data", s.data)
	listed := listMade(s.T, client.New(program.url, "example1", "example1"))
	for tag, outcome := range s.outcomes {
		_, kept := listed[tag]
		if outcome == done && !kept {
			s.Errorf("%s: the card of the tag %q was answered and is gone", s.name, tag)
		}
		if outcome == notDone && kept {
			refusedKept++
		}
		if outcome == untold && kept {
			s.all.untoldKept.Add(1)
		}
		delete(listed, tag)
	}
	same(s.T, s.name+": cards without an order", len(listed), 0)
	same(s.T, s.name+": exit code after the failure", program.end(syscall.SIGTERM), 0)
	checkDatabase(s.T, s.data)
	return refusedKept
}
