package main

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// loopCards is the number of cards that a loop writes to. The loop cycles through them as the lock
// operation does, as if each of its writes came from the next of 64 connections.
const loopCards = 10_000

// limits compares locks with a bare loop that writes the same rows into the same kind of database.
func (b *bench) limits(e engine) (err error) {
	serving, err := b.served(e, loopCards, "limit")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	directory, turns, err := b.loopData(e, "loop")
	if err != nil {
		return err
	}
	bare := func() (float64, error) { return loop(directory, turns, b.lasting) }
	direct := func() (float64, error) { return directLoop(directory, turns, b.lasting) }
	lock := b.rate(locking(serving.address, loopCards), many)
	err = b.compare("lock, 64 connections / bare loop, 64 in a commit", 0.5, lock, bare)
	if err != nil {
		return err
	}
	return b.compare("the same, where the loop has our driver and settings", 0, lock, direct)
}

// loopData creates a database for a loop, and returns its directory and the rows to write.
func (b *bench) loopData(
	e engine, purpose string,
) (directory string, turns [2][]written, err error) {
	directory, err = b.data(e, loopCards, purpose)
	if err != nil {
		return "", turns, err
	}
	turns, err = lockedRows(b.program, directory)
	return directory, turns, err
}

// lockedRows returns the rows that the program writes when a card is locked, and when it is
// unlocked. It has a running program do both and reads them from the database, so that the loop
// writes the same rows.
func lockedRows(program, directory string) (turns [2][]written, err error) {
	serving, err := startServer(program, directory, "")
	if err != nil {
		return turns, err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	db, err := embedded{}.open(directory)
	if err != nil {
		return turns, err
	}
	defer db.Close()
	const card = firstCard + 7
	for turn := range turns {
		turns[turn], err = rowsOf(db, card, func() error {
			return lockOnce(serving.address, card, turn)
		})
		if err != nil {
			return turns, err
		}
	}
	return turns, nil
}

// durable holds the settings without which a loop would be less durable than the program; tuned
// holds those that only make it faster.
var (
	durable = []string{"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"}
	tuned   = []string{"temp_store(MEMORY)", "cache_size(-16000)", "wal_autocheckpoint(8000)"}
)

// loop uses the database with its defaults, through database/sql and its driver.
func loop(directory string, turns [2][]written, lasting time.Duration) (float64, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(directory, "mintmark.db")+
		"?_pragma="+strings.Join(durable, "&_pragma="))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	return writeLocks(turns, lasting, func(text string) (func(...any) error, error) {
		statement, err := db.Prepare(text)
		return func(args ...any) error {
			_, err := statement.Exec(args...)
			return err
		}, err
	})
}

// directLoop talks to the database as the program does, with the same settings.
func directLoop(directory string, turns [2][]written, lasting time.Duration) (float64, error) {
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
	return writeLocks(turns, lasting, func(text string) (func(...any) error, error) {
		statement, err := conn.Prepare(text)
		return func(args ...any) error {
			for i, arg := range args {
				if err := bind(statement, i+1, arg); err != nil {
					return err
				}
			}
			_, err := statement.Step()
			return errors.Join(err, statement.Reset())
		}, err
	})
}

// bind binds a value that was read from the database.
func bind(statement *sqlite.Stmt, at int, value any) error {
	switch value := value.(type) {
	case nil:
		statement.BindNull(at)
	case string:
		statement.BindText(at, value)
	case []byte:
		statement.BindBytes(at, value)
	case int64:
		statement.BindInt64(at, value)
	case float64:
		statement.BindFloat(at, value)
	case bool:
		statement.BindBool(at, value)
	default:
		return fmt.Errorf("a %T cannot be written", value)
	}
	return nil
}

// prepared is a prepared statement of one turn.
type prepared struct {
	written
	run func(...any) error
}

// writeLocks writes the rows of locks, 64 locks per transaction, and returns the locks per second.
func writeLocks(
	turns [2][]written, lasting time.Duration,
	prepare func(text string) (func(...any) error, error),
) (float64, error) {
	begin, err := prepare("BEGIN IMMEDIATE")
	if err != nil {
		return 0, err
	}
	commit, err := prepare("COMMIT")
	if err != nil {
		return 0, err
	}
	var ready [2][]prepared
	for turn, rows := range turns {
		for _, row := range rows {
			run, err := prepare(row.text)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", row.text, err)
			}
			ready[turn] = append(ready[turn], prepared{row, run})
		}
	}
	started, turn := time.Now(), 0
	for ; time.Since(started) < lasting; turn++ {
		if err := begin(); err != nil {
			return 0, err
		}
		for connection := range many {
			card := firstCard + nthCard(loopCards, connection, turn)
			for _, row := range ready[turn%2] {
				if err := row.run(row.args(card, time.Now().UnixMilli())...); err != nil {
					return 0, fmt.Errorf("%s: %w", row.text, err)
				}
			}
		}
		if err := commit(); err != nil {
			return 0, err
		}
	}
	return float64(turn*many) / time.Since(started).Seconds(), nil
}
