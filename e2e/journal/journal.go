// Package journal records the answers to callers, and compares them row by row with a PostgreSQL
// database after servers have crashed. What was answered 200 must be there once, what was answered
// 50503 must not be there, and 50504 leaves both open.
package journal

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// The codes that a caller may get while the database is unavailable.
const (
	refused = 50503
	unknown = 50504
)

// Entry is the answer to one request.
type Entry struct {
	Request string // request id, as in the audit log
	Route   string
	Tag     string // of the ordered card
	Card    int    // 0 if an order got no answer
	Lock    string // of the card, after the act
	Code    int    // 200, or the code of the first error; 0 for no answer
	At      time.Time
}

// Journal is an append-only list of entries.
type Journal struct {
	lock    sync.Mutex
	entries []Entry
	done    int
	noted   chan struct{} // closed by the next entry; nil if nothing waits for one
}

func (j *Journal) note(e Entry) {
	j.lock.Lock()
	defer j.lock.Unlock()
	j.entries = append(j.entries, e)
	if j.noted != nil {
		close(j.noted)
		j.noted = nil
	}
	if e.Code == http.StatusOK {
		j.done++
	}
}

// Done counts the requests that were answered 200.
func (j *Journal) Done() int {
	j.lock.Lock()
	defer j.lock.Unlock()
	return j.done
}

// Await waits until the given number of requests were answered 200, or the context ends.
func (j *Journal) Await(ctx context.Context, done int) error {
	for {
		j.lock.Lock()
		if j.done >= done {
			j.lock.Unlock()
			return nil
		}
		if j.noted == nil {
			j.noted = make(chan struct{})
		}
		noted := j.noted
		j.lock.Unlock()
		select {
		case <-noted:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Entries returns all entries in the order of the answers.
func (j *Journal) Entries() []Entry {
	j.lock.Lock()
	defer j.lock.Unlock()
	return j.entries
}

// Verdict is the result of a comparison.
type Verdict struct {
	Done, Lost      int // answered 200, and how many of them are missing
	Refused, Kept   int // answered 50503, and how many of them are there
	Unknown, Proved int // answered 50504, and how many of them are there
	// Strange lists other mismatches and other answers.
	Strange []string
}

// Clean reports whether everything is as answered.
func (v Verdict) Clean() bool { return v.Lost == 0 && v.Kept == 0 && len(v.Strange) == 0 }

// String returns the counts, and some of the strange entries.
func (v Verdict) String() string {
	some := v.Strange[:min(5, len(v.Strange))]
	return fmt.Sprintf("answered 200: %d, %d of them lost; 50503: %d, %d of them kept; "+
		"50504: %d, %d of them kept; strange: %d %q", v.Done, v.Lost, v.Refused, v.Kept,
		v.Unknown, v.Proved, len(v.Strange), some)
}

func (v *Verdict) strange(format string, args ...any) {
	v.Strange = append(v.Strange, fmt.Sprintf(format, args...))
}

// row is an audit row.
type row struct {
	route string
	card  int
}

// kept is a stored card.
type kept struct {
	tag, lock      string
	revision, rows int // rows: audit rows
}

// held is what a database holds of the requests with a key.
type held struct {
	rows  map[string][]row
	cards map[int]kept
	tags  map[string]int
}

// Compare compares the journal, which must have all requests with a key, with a database.
func (j *Journal) Compare(ctx context.Context, url, key string) (Verdict, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return Verdict{}, err
	}
	defer conn.Close(ctx)
	h, err := look(ctx, conn, key)
	if err != nil {
		return Verdict{}, err
	}
	var v Verdict
	requested := make(map[string]bool)
	locks := make(map[int]string)
	for _, e := range j.Entries() {
		requested[e.Request] = true
		v.judge(e, h)
		for _, there := range h.rows[e.Request] {
			locks[there.card] = e.Lock
		}
	}
	for request, rows := range h.rows {
		if !requested[request] || len(rows) != 1 {
			v.strange("request %s has %d rows, asked for: %t", request, len(rows), requested[request])
		}
	}
	for card, lock := range locks {
		if c := h.cards[card]; c.lock != lock || c.revision != c.rows {
			v.strange("card %d should be %s and is %+v", card, lock, c)
		}
	}
	return v, nil
}

// judge compares one answer with the database.
func (v *Verdict) judge(e Entry, h held) {
	there := len(h.rows[e.Request]) > 0
	if there {
		r := h.rows[e.Request][0]
		if r.route != e.Route || e.Card > 0 && r.card != e.Card {
			v.strange("%+v is %+v", e, r)
		}
	}
	if e.Tag != "" && (h.tags[e.Tag] > 0) != there {
		v.strange("%+v: the trail has it: %t, the cards have it: %t", e, there, !there)
	}
	switch e.Code {
	case http.StatusOK:
		v.Done++
		if !there {
			v.Lost++
			v.strange("lost: %+v", e)
		}
	case refused:
		v.Refused++
		if there {
			v.Kept++
			v.strange("kept: %+v", e)
		}
	case unknown:
		v.Unknown++
		if there {
			v.Proved++
		}
	default:
		v.strange("%+v", e)
	}
}

// look reads the requests with a key from a database.
func look(ctx context.Context, conn *pgx.Conn, key string) (held, error) {
	h := held{
		rows: make(map[string][]row), cards: make(map[int]kept), tags: make(map[string]int),
	}
	rows, err := conn.Query(ctx,
		`SELECT request_id, route, card_id FROM audit WHERE key_name = $1`, key)
	if err != nil {
		return held{}, err
	}
	var request string
	var r row
	_, err = pgx.ForEachRow(rows, []any{&request, &r.route, &r.card}, func() error {
		h.rows[request] = append(h.rows[request], r)
		return nil
	})
	if err != nil {
		return held{}, err
	}
	rows, err = conn.Query(ctx, `SELECT card_id, COALESCE(tag, ''), lock_type, revision,
		(SELECT count(*) FROM audit a WHERE a.card_id = c.card_id) FROM cards c`)
	if err != nil {
		return held{}, err
	}
	var id int
	var c kept
	_, err = pgx.ForEachRow(rows, []any{&id, &c.tag, &c.lock, &c.revision, &c.rows}, func() error {
		h.cards[id], h.tags[c.tag] = c, id
		return nil
	})
	return h, err
}
