package main

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// limits compares locks with a bare loop that writes the same rows into the same kind of database.
func (b *bench) limits(e engine) (err error) {
	const cards = loopCards
	grouped, err := b.served(e, cards, "limit", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, grouped.stop()) }()
	directory, err := b.data(e, cards, "loop")
	if err != nil {
		return err
	}
	bare := func(together int) side {
		return func() (float64, error) { return loop(directory, together, b.lasting) }
	}
	lock := b.rate(locking(grouped.address, cards), many)
	err = b.compare("lock, 64 connections / bare loop, 64 in a commit", 0.5, lock, bare(many))
	if err != nil {
		return err
	}
	direct := func() (float64, error) { return directLoop(directory, many, b.lasting) }
	err = b.compare("the same, where the loop has our driver and settings", 0, lock, direct)
	if err != nil {
		return err
	}
	return b.compare("bare loop, 64 in a commit / one", 0, bare(many), bare(1))
}

// The rows of a lock, as the service writes them.
const (
	loopCard = `UPDATE cards SET lock_type = $1, lock_reason = $2, modified_at = $3,
		revision = revision + 1 WHERE card_id = $4`
	loopAudit = `INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id,
		customer_id, card_id, outcome, card_before, card_after)
	VALUES ($1, 'example1', '127.0.0.1', '/card/lock', '0b0cd1fd-a6a9-4a47-a8a5-c3d14c2a5a9e', 1,
		$2, $3, 'changed', '{"lockReasonTypeCode":"UNK","lockTypeCode":"UNL"}',
		'{"lockReasonTypeCode":"TMP","lockTypeCode":"CST"}')`
)

// loopCards is how many cards a loop writes to. It goes through them like locking does, as if each
// of its writes came from the next of 64 connections.
const loopCards = 10_000

// durable are the settings without which a loop would promise less than the program does, and tuned
// are those that only make it faster.
var (
	durable = []string{"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"}
	tuned   = []string{"temp_store(MEMORY)", "cache_size(-16000)", "wal_autocheckpoint(8000)"}
)

// loop takes the database as it comes, by way of database/sql and the driver that belongs to it.
func loop(directory string, together int, lasting time.Duration) (float64, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(directory, "mintmark.db")+
		"?_pragma="+strings.Join(durable, "&_pragma="))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	return writeLocks(together, lasting, func(text string) (func(...any) error, error) {
		statement, err := db.Prepare(text)
		return func(args ...any) error {
			_, err := statement.Exec(args...)
			return err
		}, err
	})
}

// directLoop speaks to the database like the program does, and sets it in the same way.
func directLoop(directory string, together int, lasting time.Duration) (float64, error) {
	conn, err := sqlite.OpenConn(filepath.Join(directory, "mintmark.db"), sqlite.OpenReadWrite)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	for _, setting := range slices.Concat(durable, tuned) {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+setting, nil); err != nil {
			return 0, err
		}
	}
	return writeLocks(together, lasting, func(text string) (func(...any) error, error) {
		statement, err := conn.Prepare(text)
		return func(args ...any) error {
			for i, arg := range args {
				switch arg := arg.(type) {
				case string:
					statement.BindText(i+1, arg)
				case int:
					statement.BindInt64(i+1, int64(arg))
				case int64:
					statement.BindInt64(i+1, arg)
				}
			}
			_, err := statement.Step()
			return errors.Join(err, statement.Reset())
		}, err
	})
}

// writeLocks writes the rows of locks, so many in a transaction, and returns how many a second.
func writeLocks(
	together int, lasting time.Duration, prepare func(text string) (func(...any) error, error),
) (float64, error) {
	var run [4]func(...any) error
	for i, text := range []string{"BEGIN IMMEDIATE", loopCard, loopAudit, "COMMIT"} {
		var err error
		run[i], err = prepare(text)
		if err != nil {
			return 0, err
		}
	}
	started, done := time.Now(), 0
	for time.Since(started) < lasting {
		if err := run[0](); err != nil {
			return 0, err
		}
		for range together {
			now, turn := time.Now().UnixMilli(), done/many
			n := nthCard(loopCards, done%many, turn)
			kind, reason := "CST", "TMP"
			if turn%2 == 1 {
				kind, reason = "UNL", "UNK"
			}
			err := errors.Join(run[1](kind, reason, now, firstCard+n),
				run[2](now, firstCustomer+n/perCustomer, firstCard+n))
			if err != nil {
				return 0, err
			}
			done++
		}
		if err := run[3](); err != nil {
			return 0, err
		}
	}
	return float64(done) / time.Since(started).Seconds(), nil
}
