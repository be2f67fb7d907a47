package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/testkit/testrun"
)

// opened opens a database in a new file, and closes it when the test ends.
func opened(t *testing.T, options Options) (e *Engine, path string) {
	t.Helper()
	path = newPath(t)
	return openedAt(t, path, options), path
}

// openedAt opens the database in a file, and closes it when the test ends.
func openedAt(t *testing.T, path string, options Options) *Engine {
	t.Helper()
	e, err := Open(context.Background(), path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil && e.Failure() == nil {
			t.Errorf("Close: %v", err)
		}
	})
	return e
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "mintmark.db") }

// withSettings returns the settings of a writer and more.
func withSettings(more ...string) []string { return slices.Concat(writerSettings, more) }

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return file.Size()
}

func mustUpdate(t *testing.T, e *Engine, fn func(db.Session) error) {
	t.Helper()
	if err := e.Update(context.Background(), fn); err != nil {
		t.Errorf("Update: %v", err)
	}
}

// putBank inserts a bank, the smallest record there is.
func putBank(s db.Session, id int) error {
	return s.Write(`INSERT INTO banks (bank_id, name) VALUES ($1, '')`, id)
}

// listBanks returns the query for the ids of all banks.
func listBanks(into *[]int) db.Query {
	return db.Rows(into, func(row db.Scan) (id int, err error) {
		err = row(&id)
		return id, err
	}, `SELECT bank_id FROM banks ORDER BY bank_id`)
}

// banks returns the ids of the stored banks.
func banks(t *testing.T, e *Engine) []int {
	t.Helper()
	var ids []int
	list := func(s db.Session) error { return s.Query(listBanks(&ids)) }
	err := e.View(context.Background(), list)
	if err != nil {
		t.Error(err)
	}
	return ids
}

// testUpdate is one Update of a test, which inserts a bank.
type testUpdate struct {
	bank int
	end  func(db.Session) error // ends the closure after its write; nil means success
}

var errRefused = errors.New("refused")

func refuse(db.Session) error { return errRefused }

// updateTogether runs Updates that all wait in the queue behind the first one, in the order of the
// list, and returns the error of each. A panic of a closure is returned as an error.
func updateTogether(t *testing.T, e *Engine, asks ...testUpdate) []error {
	errs := make([]error, len(asks))
	var all sync.WaitGroup
	hold, held := make(chan struct{}), make(chan struct{})
	for i, a := range asks {
		all.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					errs[i] = asError(cause)
				}
			}()
			errs[i] = e.Update(context.Background(), func(s db.Session) error {
				if i == 0 {
					close(held)
					<-hold
				}
				if err := putBank(s, a.bank); err != nil {
					return err
				}
				if a.end == nil {
					return nil
				}
				return a.end(s)
			})
		})
		<-held
		awaitQueue(t, e, i)
	}
	close(hold)
	all.Wait()
	return errs
}

func asError(cause any) error {
	if err, ok := cause.(error); ok {
		return err
	}
	return fmt.Errorf("%v", cause)
}

// awaitQueue waits until at least the given number of Updates wait in the queue.
func awaitQueue(t *testing.T, e *Engine, many int) {
	t.Helper()
	testrun.Within(t, fmt.Sprint(many, " Updates wait"), func() bool {
		e.queue.mu.Lock()
		defer e.queue.mu.Unlock()
		return len(e.queue.waiting) >= many
	})
}

func wantErrors(t *testing.T, got, want []error) {
	t.Helper()
	for i, err := range got {
		if !errors.Is(err, want[i]) {
			t.Errorf("Update %d: got the error %v, want %v", i, err, want[i])
		}
	}
}

func wantBanks(t *testing.T, e *Engine, want ...int) {
	t.Helper()
	if got := banks(t, e); !slices.Equal(got, want) {
		t.Errorf("the banks %v are kept, want %v", got, want)
	}
}

// commits counts the commits in a log that has not been written back. The last frame of each commit
// holds the size of the database; each commit waits for the disk once.
func commits(t *testing.T, path string) int {
	t.Helper()
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	const header, pageHeader = 32, 24
	if len(log) < header {
		return 0
	}
	page, salt := int(binary.BigEndian.Uint32(log[8:])), log[16:24]
	count := 0
	for at := header; at+pageHeader+page <= len(log); at += pageHeader + page {
		ofThisLog := bytes.Equal(log[at+8:at+16], salt)
		if ofThisLog && binary.BigEndian.Uint32(log[at+4:]) != 0 {
			count++
		}
	}
	return count
}

// withWriter calls a function with the writer's connection.
func withWriter(e *Engine, do func(*connection)) {
	on := <-e.writers
	defer func() { e.writers <- on }()
	do(on)
}

// hookStatement sets a function that is called before each run of a statement on a connection. If
// it fails, the statement fails with its error.
func hookStatement(t *testing.T, on *connection, text string, do func() error) {
	t.Helper()
	s, err := on.prepare(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	s.fault = do
}

// panics is the code for a statement on which the library panics.
const panics sqlite.ResultCode = -1

// failStatement makes a statement on a connection fail with a code.
func failStatement(t *testing.T, on *connection, text string, code sqlite.ResultCode) {
	t.Helper()
	hookStatement(t, on, text, func() error {
		if code == panics {
			panic(errors.New("the roof is on fire"))
		}
		return code.ToError()
	})
}

// clearHook undoes before and fail.
func clearHook(on *connection, text string) { on.prepared[text].fault = nil }
