package sqlstore

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"zombiezen.com/go/sqlite"
)

// ExamineFile looks at an embedded database, at every page of it if the look is to be deep.
func ExamineFile(ctx context.Context, path string, deep bool) (Condition, error) {
	c := Condition{}
	one, err := openToLook(path)
	if err != nil {
		return c, err
	}
	defer func() { _ = one.close() }() // it has written nothing
	log, err := os.Stat(path + "-wal")
	if err == nil {
		c.LogBytes = log.Size()
	}
	var version string
	if err := one.queryRow(ctx, "SELECT sqlite_version()")(&version); err != nil {
		return c, err
	}
	c.Engine = "SQLite " + version
	err = c.lookAt(ctx, one, "migrations/sqlite")
	if deep {
		// Damage may be why the look has failed, and says more.
		var failed error
		c.Damage, failed = check(ctx, one, deep)
		err = errors.Join(err, failed)
	}
	if len(c.Damage) > 0 {
		return c, nil
	}
	return c, err
}

// openToLook opens a file that others may have open, and changes nothing.
func openToLook(path string) (*liteSession, error) {
	name := fileName(path)
	_, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		// It is not open elsewhere. To open it in the ordinary way would make a log.
		name += "?immutable=1"
		err = nil
	}
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(name, sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return nil, classifySQLite(err)
	}
	one := &liteSession{conn: conn, prepared: make(map[string]*liteStatement)}
	for _, setting := range bothSettings {
		_, err := one.exec(context.Background(), "PRAGMA "+setting)
		if err != nil {
			return nil, errors.Join(err, one.close())
		}
	}
	return one, nil
}
