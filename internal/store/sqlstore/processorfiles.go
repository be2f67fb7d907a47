package sqlstore

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// files implements store.Files on the table processor_files.
type files struct{ *tx }

const fileColumns = `f.direction, f.sequence, f.line_count, f.digest, f.created_at, f.text,
		f.ended_at`

func scanFile(row db.Scan) (store.File, error) {
	var f store.File
	err := row(&f.Direction, &f.Sequence, &f.Count, &f.Digest, db.Time{To: &f.Created}, &f.Text,
		db.Time{To: &f.Ended})
	return f, err
}

const findFile = `SELECT ` + fileColumns + ` FROM processor_files f
	WHERE f.direction = $1 AND f.sequence = $2`

func (t files) Find(d store.Direction, sequence int) (store.File, error) {
	return db.One(t.session, scanFile, findFile, d, sequence)
}

const findLastFile = `SELECT ` + fileColumns + ` FROM processor_files f
	WHERE f.direction = $1 ORDER BY f.sequence DESC LIMIT 1`

// FindLast returns the file with the highest number.
func (t files) FindLast(d store.Direction) (store.File, error) {
	return db.One(t.session, scanFile, findLastFile, d)
}

// Files that still have their text are few, and have a partial index.
const listUnwrittenFiles = `SELECT ` + fileColumns + ` FROM processor_files f
	WHERE f.text IS NOT NULL ORDER BY f.sequence LIMIT 0 + $1`

// ListUnwritten returns files that still have their text.
func (t files) ListUnwritten(limit int) ([]store.File, error) {
	return db.List(t.session, scanFile, listUnwrittenFiles, limit)
}

const insertFile = `INSERT INTO processor_files (direction, sequence, line_count, digest,
		created_at, text, ended_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7)`

func (t files) Put(f store.File) error {
	return t.session.Write(insertFile, f.Direction, f.Sequence, f.Count, f.Digest,
		db.Millis(f.Created), db.OrNull(f.Text), db.Millis(f.Ended))
}

const updateFile = `UPDATE processor_files
	SET text = $1, line_count = $2, digest = $3, ended_at = $4
	WHERE direction = $5 AND sequence = $6`

// Change updates the text, line count, digest and end of a file.
func (t files) Change(f store.File) error {
	return t.session.Change(updateFile, db.OrNull(f.Text), f.Count, f.Digest, db.Millis(f.Ended),
		f.Direction, f.Sequence)
}

const deleteFiles = `DELETE FROM processor_files
	WHERE direction = $1 AND sequence < $2 AND text IS NULL`

// DeleteBefore deletes the files with lower numbers, except those that still have their text.
func (t files) DeleteBefore(d store.Direction, sequence int) error {
	return t.session.Write(deleteFiles, d, sequence)
}
