package sqlstore

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/store"
)

// Condition is what a look at a database from outside finds. Nothing is changed by the look, and a
// server may be at work on the database meanwhile.
type Condition struct {
	Engine string // the software and its version

	// Schema is the newest migration that the database has seen, Known the newest of this program.
	// What follows is looked at only where they are the same.
	Schema, Known int64

	NewestAct   time.Time // in the audit trail, as the next ones zero when there is none
	OldestOrder time.Time // that waits for the processor
	OldestPin   time.Time // that waits for the processor
	OldestReply time.Time // that is kept for a repeated request

	// LogBytes is the length of the embedded database's log.
	LogBytes int64
	// Damage is what a deep look has found broken in the embedded database.
	Damage []string

	// Server is what is found on a PostgreSQL server only.
	Server *ServerCondition
}

// ServerCondition is what is found on a PostgreSQL server.
type ServerCondition struct {
	Version          int               // as in 150004
	Now              time.Time         // by its clock
	Settings         map[string]string // on which it depends that what was answered is kept
	Local, Encrypted bool              // the connection
	Invalid          []string          // constraints and indexes that do not hold for all rows
	BadPages         int64             // pages whose checksum was found wrong
}

// tables are asked for what both databases keep alike.
const (
	newestMigration = `SELECT MAX(version_id) FROM goose_db_version`
	newestAct       = `SELECT acted_at FROM audit ORDER BY audit_id DESC LIMIT 1`
	oldestOrder     = `SELECT created_at FROM orders
		WHERE done_at IS NULL AND (kind <> 'pin' OR pin_expired_at IS NULL)
		ORDER BY order_id LIMIT 1`
	oldestPin = `SELECT created_at FROM orders WHERE sealed_pin IS NOT NULL
		ORDER BY created_at, order_id LIMIT 1`
	oldestReply = `SELECT answered_at FROM replays ORDER BY answered_at LIMIT 1`
)

// lookAt fills in what both databases keep alike.
func (c *Condition) lookAt(ctx context.Context, one session, directory string) error {
	known, err := newestKnown(directory)
	if err != nil {
		return err
	}
	c.Known = known
	if err := one.queryRow(ctx, newestMigration)(&c.Schema); err != nil {
		return err
	}
	if c.Schema != c.Known {
		return nil
	}
	for text, to := range map[string]*time.Time{
		newestAct: &c.NewestAct, oldestOrder: &c.OldestOrder, oldestPin: &c.OldestPin,
		oldestReply: &c.OldestReply,
	} {
		err := one.queryRow(ctx, text)(timeColumn{to})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// newestKnown is the newest migration in a directory.
func newestKnown(directory string) (int64, error) {
	entries, err := fs.ReadDir(migrations, directory)
	newest := int64(0)
	for _, entry := range entries {
		number, _, _ := strings.Cut(entry.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, err
}
