package main

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// limits compares locks with a bare loop that writes the same rows into the same kind of database.
func (b *bench) limits(e engine) (err error) {
	const cards = 10_000
	grouped, err := b.served(e, cards, "limit", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, grouped.stop()) }()
	directory, err := b.data(e, cards, "loop")
	if err != nil {
		return err
	}
	loop := func(together int) side {
		return func() (float64, error) { return e.loop(directory, together, b.lasting) }
	}
	err = b.compare("lock, 64 connections / bare loop, 64 in a commit", 0.5,
		b.rate(locking(grouped.address, cards), many), loop(many))
	if err != nil {
		return err
	}
	return b.compare("bare loop, 64 in a commit / one", 0, loop(many), loop(1))
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

func (embedded) loop(directory string, together int, lasting time.Duration) (float64, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(directory, "mintmark.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var prepared [4]*sql.Stmt
	for i, text := range []string{"BEGIN IMMEDIATE", loopCard, loopAudit, "COMMIT"} {
		prepared[i], err = db.Prepare(text)
		if err != nil {
			return 0, err
		}
	}
	started, done := time.Now(), 0
	for time.Since(started) < lasting {
		if _, err := prepared[0].Exec(); err != nil {
			return 0, err
		}
		for range together {
			now, n := time.Now().UnixMilli(), done%1000
			lock := [...]string{"CST", "TMP"}
			if done/1000%2 == 1 {
				lock = [...]string{"UNL", "UNK"}
			}
			_, err := prepared[1].Exec(lock[0], lock[1], now, firstCard+n)
			if err != nil {
				return 0, fmt.Errorf("write a card: %w", err)
			}
			_, err = prepared[2].Exec(now, firstCustomer, firstCard+n)
			if err != nil {
				return 0, fmt.Errorf("write a row of the trail: %w", err)
			}
			done++
		}
		if _, err := prepared[3].Exec(); err != nil {
			return 0, err
		}
	}
	return float64(done) / time.Since(started).Seconds(), nil
}
