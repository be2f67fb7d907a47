// Package keyuse holds the SQL of when callers' keys were used last. The table stands apart from
// that of the keys: a use is no change of a key, and no node reads the keys again because of it.
package keyuse

import (
	"time"

	"mintmark/internal/store/sqlstore/db"
)

// Uses are the rows of the table key_uses.
type Uses struct{ Session db.Session }

type use struct {
	name string
	at   time.Time
}

func scanUse(row db.Scan) (use, error) {
	var u use
	err := row(&u.name, db.Time{To: &u.at})
	return u, err
}

const listUses = `SELECT key_name, used_at FROM key_uses ORDER BY key_name`

// List returns the last use of each key.
func (t Uses) List() (map[string]time.Time, error) {
	found, err := db.List(t.Session, scanUse, listUses)
	if err != nil {
		return nil, err
	}
	uses := make(map[string]time.Time, len(found))
	for _, one := range found {
		uses[one.name] = one.at
	}
	return uses, nil
}

// Nodes write side by side, so the later use wins.
const putUse = `INSERT INTO key_uses (key_name, used_at) VALUES ($1, $2)
	ON CONFLICT (key_name) DO UPDATE SET used_at = excluded.used_at
		WHERE key_uses.used_at < excluded.used_at`

// Put stores a use.
func (t Uses) Put(name string, at time.Time) error {
	return t.Session.Write(putUse, name, db.Millis(at))
}
