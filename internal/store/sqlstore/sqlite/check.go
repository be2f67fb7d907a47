package sqlite

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store/sqlstore/db"
)

// ErrDamaged: the file of the database is not as a database must be.
var ErrDamaged = errors.New("the database is damaged")

// mostFindings bounds how much is told about a damaged file.
const mostFindings = 20

// check looks at the database of a session, and changes nothing. It returns what is wrong, a line
// each, and nothing when all is well. It may run beside those who use the database.
//
// Every page is looked at for its form. A deep check also compares each index with its table, and
// looks for rows that refer to what is not there; that takes several times as long.
func check(ctx context.Context, on *connection, deep bool) ([]string, error) {
	defer on.conn.SetInterrupt(on.conn.SetInterrupt(ctx.Done()))
	form := "quick_check"
	if deep {
		form = "integrity_check"
	}
	var found []string
	err := on.run(ctx, func(row db.Scan) error {
		var line string
		err := row(&line)
		if line != "ok" {
			found = append(found, line)
		}
		return err
	}, fmt.Sprintf("PRAGMA %s(%d)", form, mostFindings), nil)
	if err == nil && deep {
		var orphans []string
		orphans, err = findOrphans(ctx, on)
		found = append(found, orphans...)
	}
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if damage(err) {
		return append(found, err.Error()), nil
	}
	return found, err
}

// findOrphans looks for rows that refer to what is not there.
func findOrphans(ctx context.Context, on *connection) ([]string, error) {
	var found []string
	err := on.run(ctx, func(row db.Scan) error {
		var table, parent string
		var id, key int
		err := row(&table, &id, &parent, &key)
		if len(found) < mostFindings {
			found = append(found, fmt.Sprintf("row %d of %s has no row in %s", id, table, parent))
		}
		return err
	}, "PRAGMA foreign_key_check", nil)
	return found, err
}

// damage reports whether an error says that the file is damaged, so much that it cannot be read.
func damage(err error) bool {
	switch resultCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return true
	}
	return false
}
