package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// faultsVariable sets the number of crashes of the server, and of killed server processes.
const faultsVariable = "MINTMARK_FAULTS"

// journal holds the answer to each write, by the id of what was written.
type journal struct {
	lock    sync.Mutex
	answers map[string]error
	done    atomic.Int64
	written testrun.Events
}

func (j *journal) note(id string, err error) {
	j.lock.Lock()
	defer j.lock.Unlock()
	j.answers[id] = err
	if err == nil {
		j.done.Add(1)
		j.written.Happened()
	}
}

// awaitMore waits until the given number of further writes have succeeded.
func (j *journal) awaitMore(t *testing.T, more int64) {
	t.Helper()
	enough := j.done.Load() + more
	j.written.Until(t, "more is written", func() bool { return j.done.Load() >= enough })
}

// verdict counts the answers: done, and of these lost; refused, and of these kept; unknown; and
// strange answers and rows.
type verdict struct{ done, lost, refused, kept, unknown, strange int }

// compare compares the journal with the database, row by row.
func (j *journal) compare(t *testing.T, p *Engine) (v verdict) {
	t.Helper()
	rows, err := p.pool.Query(t.Context(), `SELECT request_id, count(*) FROM audit GROUP BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for rows.Next() {
		var id string
		var count int
		if err := rows.Scan(&id, &count); err != nil {
			t.Fatal(err)
		}
		counts[id] = count
		if _, known := j.answers[id]; !known || count != 1 {
			v.strange++
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for id, answer := range j.answers {
		there := counts[id] > 0
		switch {
		case answer == nil && there:
			v.done++
		case answer == nil:
			v.done++
			v.lost++
		case errors.Is(answer, store.ErrUnavailable) && there:
			v.refused++
			v.kept++
		case errors.Is(answer, store.ErrUnavailable):
			v.refused++
		case errors.Is(answer, store.ErrUnknownOutcome):
			v.unknown++
		default:
			v.strange++
			t.Logf("%s: %v", id, answer)
		}
	}
	return v
}

// runCrashes runs sixteen writers on two nodes while the server crashes and its processes are
// killed, and compares the answers with the rows in the database. Commits without an answer are
// settled by findOutcome, or by their tokens if it is nil.
func runCrashes(
	t *testing.T, faults int, findOutcome func(*Engine) func(*session, error) error,
) verdict {
	t.Helper()
	server := pgtest.Crashing(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	j := &journal{answers: make(map[string]error)}
	var nodes [2]*Engine
	for i := range nodes {
		node, err := Open(ctx, server.URL, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer node.Close()
		if findOutcome != nil {
			node.findOutcome = findOutcome(node)
		}
		nodes[i] = node
	}
	var writing sync.WaitGroup
	const writers = 16
	for i := range writers {
		writing.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				id := fmt.Sprintf("%d.%d", i, n)
				err := nodes[i%len(nodes)].Update(context.Background(), writeEntry(id))
				j.note(id, err)
				if err != nil {
					time.Sleep(5 * time.Millisecond) //nolint:forbidigo // A caller's pause while the server starts.
				}
			}
		})
	}
	for n := range 2 * faults {
		j.awaitMore(t, 200)
		fail := server.Crash
		if n%2 == 1 {
			fail = server.KillBackend
		}
		if err := fail(); err != nil {
			t.Fatal(err)
		}
	}
	j.awaitMore(t, 200)
	stop()
	writing.Wait()
	v := j.compare(t, nodes[0])
	t.Logf("%d crashes, %d killed processes: %d done, %d of them lost; %d refused, "+
		"%d of them kept; %d unknown; %d strange", faults, faults, v.done, v.lost, v.refused,
		v.kept, v.unknown, v.strange)
	return v
}

// numbers holds the server's transaction ids, by session: see byNumber.
var numbers sync.Map

// writeEntry returns a closure that writes one row, and records the id of the transaction.
func writeEntry(id string) func(db.Session) error {
	return func(s db.Session) error {
		var number string
		_, err := db.Find(s, []any{&number}, `SELECT CAST(pg_current_xact_id() AS TEXT)`)
		if err != nil {
			return err
		}
		numbers.Store(s, number)
		return s.Write(putAudit, id)
	}
}

// putAudit inserts a row with an id.
const putAudit = `INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id,
		customer_id, card_id, outcome, card_before, card_after)
	VALUES (0, '', '', '', $1, 0, 0, 0, '', '', '')`

// faults returns how often each fault is injected.
func faults(t *testing.T) int {
	t.Helper()
	given := os.Getenv(faultsVariable)
	if given == "" {
		return 2
	}
	wanted, err := strconv.Atoi(given)
	if err != nil {
		t.Fatalf("%s: %v", faultsVariable, err)
	}
	return wanted
}

// TestCrashedServer checks that everything reported as done is stored, and that nothing reported as
// not done is.
func TestCrashedServer(t *testing.T) {
	t.Parallel()
	v := runCrashes(t, faults(t), nil)
	if v.lost > 0 || v.kept > 0 || v.strange > 0 {
		t.Errorf("%+v", v)
	}
	if v.refused == 0 {
		t.Error("no commit was interrupted")
	}
}

// TestCrashedServerByNumber proves that TestCrashedServer detects losses: it settles commits by the
// server's transaction id. After a crash the server reuses the ids of transactions that had not
// reached the disk.
func TestCrashedServerByNumber(t *testing.T) {
	t.Parallel()
	if v := runCrashes(t, max(4, faults(t)), byNumber); v.lost == 0 {
		t.Error("nothing was lost")
	}
}

func byNumber(p *Engine) func(*session, error) error {
	const ask = `SELECT COALESCE(pg_xact_status(CAST($1 AS xid8)), ''),
		CAST(pg_logical_emit_message(true, 'mintmark', 'settled') AS TEXT)`
	return func(s *session, cause error) error {
		number, _ := numbers.Load(db.Session(s))
		//nolint:forbidigo // As the engine itself asks for an outcome.
		for end := time.Now().Add(outcomeTime); time.Now().Before(end); time.Sleep(outcomeStep) {
			var outcome, position string
			err := p.pool.QueryRow(context.Background(), ask, number).Scan(&outcome, &position)
			switch {
			case err == nil && outcome == "committed":
				return nil
			case err == nil && outcome == "aborted":
				return fmt.Errorf("%w: %w", store.ErrUnavailable, cause)
			}
		}
		return fmt.Errorf("%w: %w", store.ErrUnknownOutcome, cause)
	}
}
