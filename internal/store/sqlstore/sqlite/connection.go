package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// connection is a connection to SQLite. It prepares each statement once.
//
// It drives SQLite directly. With database/sql, a short statement spends more time on conversions
// and locks than in the database, and takes three times as long.
//
// A context is checked before each statement and between rows. It does not interrupt a running
// statement: statements are short, and a commit must not be cut off.
type connection struct {
	conn     *sqlite.Conn // nil once closed
	prepared map[string]*statement
}

// statement is a prepared statement and its current row.
type statement struct {
	*sqlite.Stmt
	places []int   // the index of the argument for each parameter
	scan   db.Scan // of the current row

	// fault is called before the statement runs, and its error is treated as one of SQLite. Tests
	// set it to simulate a failing disk.
	fault func() error
}

// fileName returns the URI of a file.
func fileName(path string) string { return "file:" + url.PathEscape(path) }

func connect(name string, settings ...string) (*connection, error) {
	conn, err := sqlite.OpenConn(name, sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenURI)
	if err != nil {
		return nil, classify(err)
	}
	conn.SetBusyTimeout(0) // the library's default waits forever
	return configured(conn, settings)
}

// configured applies settings to an open connection.
func configured(conn *sqlite.Conn, settings []string) (*connection, error) {
	c := &connection{conn: conn, prepared: make(map[string]*statement)}
	for _, setting := range settings {
		_, err := c.exec(context.Background(), "PRAGMA "+setting)
		if err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	return c, nil
}

// exec runs a statement and returns how many rows it changed.
func (c *connection) exec(ctx context.Context, text string, args ...any) (int64, error) {
	err := c.run(ctx, nil, text, args)
	if err != nil {
		return 0, err
	}
	return int64(c.conn.Changes()), nil
}

// row reads the one row of a query. It returns store.ErrNotFound if there is none.
func (c *connection) row(ctx context.Context, into []any, text string, args ...any) error {
	err := store.ErrNotFound
	failed := c.run(ctx, func(row db.Scan) error {
		err = row(into...)
		return err
	}, text, args)
	return cmp.Or(failed, err)
}

// run runs a statement and calls a function, which may be nil, with each row.
func (c *connection) run(
	ctx context.Context, each func(db.Scan) error, text string, args []any,
) error {
	statement, err := c.prepare(ctx, text)
	if err != nil {
		return err
	}
	// Reset repeats the error of the statement, which has been returned already.
	defer func() { _ = statement.Reset() }()
	if err := statement.bind(args); err != nil {
		return err
	}
	if statement.fault != nil {
		if err := statement.fault(); err != nil {
			return classify(err)
		}
	}
	for {
		ok, err := statement.Step()
		if err != nil {
			return classify(err)
		}
		if !ok {
			return nil
		}
		if each == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(statement.scan); err != nil {
			return err
		}
	}
}

func (c *connection) prepare(ctx context.Context, text string) (*statement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s, known := c.prepared[text]; known {
		return s, nil
	}
	if c.conn == nil {
		return nil, errClosed
	}
	prepared, err := c.conn.Prepare(text)
	if err != nil {
		return nil, classify(err)
	}
	s := &statement{Stmt: prepared}
	s.scan = s.copyRow
	// SQLite numbers parameters in the order of the text, where $2 may come before $1.
	for i := range prepared.BindParamCount() {
		name := prepared.BindParamName(i + 1)
		place, err := strconv.Atoi(strings.TrimPrefix(name, "$"))
		if err != nil {
			return nil, fmt.Errorf("sqlite: parse parameter %q: %w", name, err)
		}
		s.places = append(s.places, place-1)
	}
	c.prepared[text] = s
	return s, nil
}

func (c *connection) close() error {
	if c.conn == nil {
		return nil
	}
	conn := c.conn
	c.conn, c.prepared = nil, nil
	return classify(conn.Close())
}

// bind binds the arguments of the statement.
func (s *statement) bind(args []any) error {
	for i, place := range s.places {
		if place >= len(args) {
			return fmt.Errorf("sqlite: there is no argument $%d", place+1)
		}
		switch value := args[place].(type) {
		case nil:
			s.BindNull(i + 1)
		case string:
			s.BindText(i+1, value)
		case int:
			s.BindInt64(i+1, int64(value))
		case int64:
			s.BindInt64(i+1, value)
		case bool:
			s.BindBool(i+1, value)
		case float64:
			s.BindFloat(i+1, value)
		case []byte:
			s.BindBytes(i+1, value)
		default:
			if err := s.bindKind(i+1, reflect.ValueOf(value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bindKind binds a value of a defined type, such as the status of a card.
func (s *statement) bindKind(parameter int, value reflect.Value) error {
	switch {
	case value.Kind() == reflect.String:
		s.BindText(parameter, value.String())
	case value.CanInt():
		s.BindInt64(parameter, value.Int())
	default:
		return fmt.Errorf("sqlite: a %s cannot be stored", value.Type())
	}
	return nil
}

// copyRow copies the columns of the current row.
func (s *statement) copyRow(columns ...any) error {
	for i, to := range columns {
		switch to := to.(type) {
		case *string:
			*to = s.ColumnText(i)
		case *int:
			*to = s.ColumnInt(i)
		case *int64:
			*to = s.ColumnInt64(i)
		case *bool:
			*to = s.ColumnBool(i)
		case *float64:
			*to = s.ColumnFloat(i)
		case db.Time:
			*to.To = time.Time{}
			// NULL reads as 0, so a time that is set needs only one call.
			if millis := s.ColumnInt64(i); millis != 0 || !s.ColumnIsNull(i) {
				*to.To = time.UnixMilli(millis).UTC()
			}
		case db.JSON:
			if err := to.Scan(s.ColumnText(i)); err != nil {
				return fmt.Errorf("sqlite: %w", err)
			}
		case *[]byte:
			*to = nil
			if !s.ColumnIsNull(i) {
				*to = make([]byte, s.ColumnLen(i))
				s.ColumnBytes(i, *to)
			}
		default:
			if err := s.copyKind(i, reflect.ValueOf(to)); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyKind copies a column to a value of a defined type.
func (s *statement) copyKind(column int, to reflect.Value) error {
	if to.Kind() == reflect.Pointer {
		switch value := to.Elem(); {
		case value.Kind() == reflect.String:
			value.SetString(s.ColumnText(column))
			return nil
		case value.CanInt():
			value.SetInt(s.ColumnInt64(column))
			return nil
		}
	}
	return fmt.Errorf("sqlite: a column cannot be read into a %s", to.Type())
}
