package sqlstore

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"

	"zombiezen.com/go/sqlite"
)

// ExamineFile looks at an embedded database, at every page of it if the look is to be deep.
func ExamineFile(ctx context.Context, path string, deep bool) (Condition, error) {
	c := Condition{}
	name := "file:" + url.PathEscape(path)
	log, err := os.Stat(path + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// Nobody has it open. To open it in the ordinary way would make a log.
		name += "?immutable=1"
	case err != nil:
		return c, err
	default:
		c.LogBytes = log.Size()
	}
	conn, err := sqlite.OpenConn(name, sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return c, classifySQLite(err)
	}
	one := &liteSession{conn: conn, prepared: make(map[string]*liteStatement)}
	defer one.close()
	for _, setting := range bothSettings {
		if _, err := one.exec(ctx, "PRAGMA "+setting); err != nil {
			return c, err
		}
	}
	var version string
	if err := one.queryRow(ctx, "SELECT sqlite_version()")(&version); err != nil {
		return c, err
	}
	c.Engine = "SQLite " + version
	err = c.lookAt(ctx, one, "migrations/sqlite")
	if deep {
		// Damage may be why the look has failed, and says more.
		c.Damage = damage(ctx, one)
	}
	if len(c.Damage) > 0 {
		return c, nil
	}
	return c, err
}

// maxDamage bounds how much of what is broken is told.
const maxDamage = 20

// damage has SQLite read the whole file.
func damage(ctx context.Context, one session) []string {
	var found []string
	note := func(text string) {
		if len(found) < maxDamage && text != "ok" {
			found = append(found, text)
		}
	}
	err := one.query(ctx, func(row scan) error {
		var text string
		err := row(&text)
		note(text)
		return err
	}, "PRAGMA integrity_check")
	if err != nil {
		note(err.Error())
	}
	err = one.query(ctx, func(row scan) error {
		var table, parent string
		var rowID int
		err := row(&table, &rowID, &parent)
		note("a row of " + table + " refers to one that is not in " + parent)
		return err
	}, "PRAGMA foreign_key_check")
	if err != nil {
		note(err.Error())
	}
	return found
}
