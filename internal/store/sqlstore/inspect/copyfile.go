package inspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/migrations"
	"mintmark/internal/store/sqlstore/sqlite"
)

// VACUUM INTO reads one snapshot. Writers do not wait for it, but the log of the database grows
// meanwhile. Deleted rows are not in the copy.
const copyInto = `VACUUM INTO $1`

// CopyFile copies an embedded database, which others may use meanwhile, to a new file, and examines
// every page of the copy.
func CopyFile(ctx context.Context, from, to string) (Contents, error) {
	var c Contents
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return c, err
	}
	if err := file.Close(); err != nil {
		return c, err
	}
	_, err = sqlite.LookInto(ctx, from, false, func(s db.Session) error {
		return s.Write(copyInto, to)
	})
	if err != nil {
		return c, errors.Join(err, os.Remove(to))
	}
	look, err := sqlite.LookInto(ctx, to, true, func(s db.Session) error {
		return c.read(s, migrations.SQLite)
	})
	if len(look.Damage) > 0 {
		err = fmt.Errorf("%w: %s", sqlite.ErrDamaged, strings.Join(look.Damage, "; "))
	}
	if err != nil {
		return c, errors.Join(err, os.Remove(to))
	}
	return c, nil
}
