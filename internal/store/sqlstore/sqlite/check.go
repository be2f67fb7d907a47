package sqlite

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store/sqlstore/db"
)

// ErrDamaged: the file of the database is corrupt.
var ErrDamaged = errors.New("the database is damaged")

// maxFindings bounds the number of reported findings about a damaged file.
const maxFindings = 20

// check examines a database without changing it. It returns one line for each problem. Other
// processes may use the database meanwhile.
//
// Every check reads the structure of every page. A deep check also compares each index with its
// table and looks for rows with a dangling foreign key, which takes several times as long.
func check(ctx context.Context, on *connection, deep bool) ([]string, error) {
	defer on.conn.SetInterrupt(on.conn.SetInterrupt(ctx.Done()))
	form := "quick_check"
	if deep {
		form = "integrity_check"
	}
	var problems []string
	err := on.run(ctx, func(row db.Scan) error {
		var line string
		err := row(&line)
		if line != "ok" {
			problems = append(problems, line)
		}
		return err
	}, fmt.Sprintf("PRAGMA %s(%d)", form, maxFindings), nil)
	if err == nil && deep {
		var orphans []string
		orphans, err = findOrphans(ctx, on)
		problems = append(problems, orphans...)
	}
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if isCorrupt(err) {
		return append(problems, err.Error()), nil
	}
	return problems, err
}

// findOrphans looks for rows with a dangling foreign key.
func findOrphans(ctx context.Context, on *connection) ([]string, error) {
	var problems []string
	err := on.run(ctx, func(row db.Scan) error {
		var table, parent string
		var id, key int
		err := row(&table, &id, &parent, &key)
		if len(problems) < maxFindings {
			problems = append(problems, fmt.Sprintf("row %d of %s has no row in %s", id, table, parent))
		}
		return err
	}, "PRAGMA foreign_key_check", nil)
	return problems, err
}

// isCorrupt reports whether an error means that the file is too damaged to be read.
func isCorrupt(err error) bool {
	switch resultCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return true
	}
	return false
}
