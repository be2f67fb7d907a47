// Package exchange holds the SQL of the table processor_files: the numbered files that are
// exchanged with the card processor. Package fileport decides what is in them.
package exchange

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Files are the rows of the table processor_files.
type Files struct{ Session db.Session }

const columns = `f.direction, f.sequence, f.line_count, f.digest, f.created_at, f.text, f.ended_at`

func scan(row db.Scan) (store.File, error) {
	var f store.File
	err := row(&f.Direction, &f.Sequence, &f.Count, &f.Digest, db.Time{To: &f.Created}, &f.Text,
		db.Time{To: &f.Ended})
	return f, err
}

// one returns the first row of a query, or store.ErrNotFound.
func (t Files) one(text string, args ...any) (store.File, error) {
	found, err := db.List(t.Session, scan, text, args...)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.File{}, err
	}
	return found[0], nil
}

const find = `SELECT ` + columns + ` FROM processor_files f
	WHERE f.direction = $1 AND f.sequence = $2`

// Find returns a file by its number.
func (t Files) Find(d store.Direction, sequence int) (store.File, error) {
	return t.one(find, d, sequence)
}

const findLast = `SELECT ` + columns + ` FROM processor_files f
	WHERE f.direction = $1 ORDER BY f.sequence DESC LIMIT 1`

// FindLast returns the file with the highest number.
func (t Files) FindLast(d store.Direction) (store.File, error) { return t.one(findLast, d) }

// Files that have their text are few, and have a partial index.
const listUnwritten = `SELECT ` + columns + ` FROM processor_files f
	WHERE f.text IS NOT NULL ORDER BY f.sequence LIMIT 0 + $1`

// ListUnwritten returns files that still have their text.
func (t Files) ListUnwritten(limit int) ([]store.File, error) {
	return db.List(t.Session, scan, listUnwritten, limit)
}

const insert = `INSERT INTO processor_files (direction, sequence, line_count, digest, created_at,
		text, ended_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7)`

// Put inserts a file.
func (t Files) Put(f store.File) error {
	return t.Session.Write(insert, f.Direction, f.Sequence, f.Count, f.Digest,
		db.Millis(f.Created), db.OrNull(f.Text), db.Millis(f.Ended))
}

const update = `UPDATE processor_files SET text = $1, ended_at = $2
	WHERE direction = $3 AND sequence = $4`

// Change replaces text and end of a file.
func (t Files) Change(f store.File) error {
	return t.Session.Change(update, db.OrNull(f.Text), db.Millis(f.Ended), f.Direction, f.Sequence)
}

const deleteBefore = `DELETE FROM processor_files
	WHERE direction = $1 AND sequence < $2 AND text IS NULL`

// DeleteBefore deletes files with lower numbers.
func (t Files) DeleteBefore(d store.Direction, sequence int) error {
	return t.Session.Write(deleteBefore, d, sequence)
}
