package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// written is a row that an act has written, as a statement that writes such a row for any card.
type written struct {
	text string
	// args returns the arguments of the statement for a card at a time.
	args func(card int, now int64) []any
}

// rowsOf performs an act on a card and returns the rows that it wrote in all tables: the rows that
// mention the card and changed.
func rowsOf(db *sql.DB, card int, act func() error) ([]written, error) {
	before, err := everyRow(db)
	if err != nil {
		return nil, err
	}
	if err := act(); err != nil {
		return nil, err
	}
	after, err := everyRow(db)
	if err != nil {
		return nil, err
	}
	var all []written
	for _, table := range slices.Sorted(maps.Keys(after)) {
		for _, row := range after[table].rows {
			old, there := before[table].rows[row.key]
			if there && row.same(old) || !row.mentions(card) {
				continue
			}
			if there {
				all = append(all, after[table].update(row, old, card))
			} else {
				all = append(all, after[table].insert(row, card))
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing was written for card %d", card)
	}
	return all, nil
}

// table is a table of the embedded database with all its rows.
type table struct {
	name    string
	columns []string
	counted string // the column with the row number assigned by the database, if there is one
	rows    map[int64]row
}

// row is a row with its number in the database.
type row struct {
	key    int64
	values []any
}

// everyRow reads the database, except the rows that its triggers write.
func everyRow(db *sql.DB) (map[string]table, error) {
	names, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE 'sqlite_%' AND name <> 'locked_cards'`)
	if err != nil {
		return nil, err
	}
	defer names.Close()
	all := make(map[string]table)
	for names.Next() {
		var t table
		if err := names.Scan(&t.name); err != nil {
			return nil, err
		}
		all[t.name] = t
	}
	if err := names.Err(); err != nil {
		return nil, err
	}
	for name, t := range all {
		if err := t.read(db); err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		all[name] = t
	}
	return all, nil
}

func (t *table) read(db *sql.DB) error {
	err := db.QueryRow(`SELECT coalesce(min(name), '') FROM pragma_table_info($1)
		WHERE pk = 1 AND type = 'INTEGER'`, t.name).Scan(&t.counted)
	if err != nil {
		return err
	}
	rows, err := db.Query("SELECT rowid, * FROM " + t.name)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	t.columns, t.rows = columns[1:], make(map[int64]row)
	for rows.Next() {
		r := row{values: make([]any, len(t.columns))}
		into := []any{&r.key}
		for i := range r.values {
			into = append(into, &r.values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		t.rows[r.key] = r
	}
	return rows.Err()
}

func (r row) same(other row) bool { return slices.EqualFunc(r.values, other.values, equal) }

func equal(a, b any) bool {
	text, isBytes := a.([]byte)
	other, areBytes := b.([]byte)
	if isBytes || areBytes {
		return isBytes && areBytes && bytes.Equal(text, other)
	}
	return a == b
}

func (r row) mentions(card int) bool { return slices.Contains(r.values, any(int64(card))) }

// insert returns a statement that inserts a row like this one. The database assigns its number.
func (t table) insert(r row, card int) written {
	var columns, places []string
	var values []any
	for i, name := range t.columns {
		if name != t.counted {
			values = append(values, r.values[i])
			columns = append(columns, name)
			places = append(places, fmt.Sprintf("$%d", len(values)))
		}
	}
	return written{
		text: "INSERT INTO " + t.name + " (" + strings.Join(columns, ", ") + ") VALUES (" +
			strings.Join(places, ", ") + ")",
		args: argsLike(values, card),
	}
}

// update returns a statement that updates the changed columns. A number that has grown by one is
// incremented.
func (t table) update(r, old row, card int) written {
	var set []string
	var values []any
	for i, name := range t.columns {
		was, counts := old.values[i].(int64)
		switch {
		case equal(r.values[i], old.values[i]):
		case counts && any(was+1) == r.values[i]:
			set = append(set, name+" = "+name+" + 1")
		default:
			values = append(values, r.values[i])
			set = append(set, fmt.Sprintf("%s = $%d", name, len(values)))
		}
	}
	values = append(values, r.key)
	return written{
		text: fmt.Sprintf("UPDATE %s SET %s WHERE rowid = $%d", t.name, strings.Join(set, ", "),
			len(values)),
		args: argsLike(values, card),
	}
}

// argsLike substitutes another card, its customer and another time in values.
func argsLike(values []any, card int) func(int, int64) []any {
	customer := customerOf(card)
	recorded := time.Now()
	return func(of int, now int64) []any {
		args := slices.Clone(values)
		for i, value := range args {
			number, isNumber := value.(int64)
			switch {
			case !isNumber:
			case number == int64(card):
				args[i] = int64(of)
			case number == int64(customer):
				args[i] = int64(customerOf(of))
			case isNow(number, recorded):
				args[i] = now
			}
		}
		return args
	}
}

// customerOf returns the customer of a card.
func customerOf(card int) int { return firstCustomer + (card-firstCard)/perCustomer }

// isNow reports whether a number is a time in milliseconds within the last minute.
func isNow(number int64, recorded time.Time) bool {
	return recorded.Sub(time.UnixMilli(number)).Abs() < time.Minute
}
