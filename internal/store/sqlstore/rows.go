package sqlstore

import "mintmark/internal/store/sqlstore/db"

// findOne runs a query for one row, and is store.ErrNotFound without one.
func findOne[T any](t *tx, into func(*T) []any, text string, args ...any) (T, error) {
	var one, none T
	if err := t.find(into(&one), text, args...); err != nil {
		return none, err
	}
	return one, nil
}

// each reads each row into a value of its own.
func each[T any](into func(*T) []any) func(db.Scan) (T, error) {
	return func(row db.Scan) (T, error) {
		var one T
		err := row(into(&one)...)
		return one, err
	}
}

// put inserts a row when the revision is 0, and otherwise changes exactly that revision of it. Both
// statements take the same arguments; the update takes the revision after them.
func (t *tx) put(revision int, insert, update string, args ...any) error {
	if revision == 0 {
		return t.session.Write(insert, args...)
	}
	return t.session.Change(update, append(args, revision)...)
}
