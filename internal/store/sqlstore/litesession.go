package sqlstore

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
)

// liteSession is a session on a connection to SQLite. It prepares each statement once.
//
// It speaks to the database directly. By way of database/sql, a short statement costs more in
// conversions and locks than in the database: the way here is three times as short.
//
// A context is looked at before each statement and between rows, and does not interrupt a running
// one: the statements are short, and a commit must not be cut off in the middle.
type liteSession struct {
	conn     *sqlite.Conn // nil once closed
	prepared map[string]*liteStatement
}

// liteStatement is a prepared statement and the row that it stands on.
type liteStatement struct {
	*sqlite.Stmt
	places []int // of each parameter of the statement, which argument it takes
	scan   scan  // of the row
}

var _ session = (*liteSession)(nil)

func newLiteSession(name string, settings ...string) (*liteSession, error) {
	conn, err := sqlite.OpenConn(name, sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenURI)
	if err != nil {
		return nil, classifySQLite(err)
	}
	conn.SetBusyTimeout(0) // the library would wait for ever
	s := &liteSession{conn: conn, prepared: make(map[string]*liteStatement)}
	for _, setting := range settings {
		_, err := s.exec(context.Background(), "PRAGMA "+setting)
		if err != nil {
			_ = s.close()
			return nil, err
		}
	}
	return s, nil
}

func (s *liteSession) exec(ctx context.Context, text string, args ...any) (int64, error) {
	err := s.run(ctx, nil, text, args)
	if err != nil {
		return 0, err
	}
	return int64(s.conn.Changes()), nil
}

func (s *liteSession) write(ctx context.Context, text string, args ...any) error {
	return s.run(ctx, nil, text, args)
}

func (s *liteSession) change(ctx context.Context, text string, args ...any) error {
	changed, err := s.exec(ctx, text, args...)
	if err != nil {
		return err
	}
	if changed != 1 {
		return fmt.Errorf("%w: %d rows, not one", store.ErrLostUpdate, changed)
	}
	return nil
}

// insert has no need of RETURNING, for which SQLite would make a table of its own.
func (s *liteSession) insert(
	ctx context.Context, _, text string, args ...any,
) (int, error) {
	if err := s.run(ctx, nil, text, args); err != nil {
		return 0, err
	}
	return int(s.conn.LastInsertRowID()), nil
}

func (s *liteSession) query(
	ctx context.Context, each func(scan) error, text string, args ...any,
) error {
	return s.run(ctx, func(row scan) (bool, error) { return true, each(row) }, text, args)
}

func (s *liteSession) queryRow(ctx context.Context, text string, args ...any) scan {
	return func(columns ...any) error {
		found := false
		err := s.run(ctx, func(row scan) (bool, error) {
			found = true
			return false, row(columns...)
		}, text, args)
		if err == nil && !found {
			return store.ErrNotFound
		}
		return err
	}
}

// run runs a statement and hands its rows to a function, as long as that goes on.
func (s *liteSession) run(
	ctx context.Context, each func(scan) (goOn bool, err error), text string, args []any,
) error {
	statement, err := s.prepare(ctx, text)
	if err != nil {
		return err
	}
	// What goes wrong here went wrong in the statement, and was told there.
	defer func() { _ = statement.Reset() }()
	if err := statement.bind(args); err != nil {
		return err
	}
	for {
		found, err := statement.Step()
		if err != nil {
			return classifySQLite(err)
		}
		if !found {
			return nil
		}
		if each == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		goOn, err := each(statement.scan)
		if err != nil || !goOn {
			return err
		}
	}
}

func (s *liteSession) prepare(ctx context.Context, text string) (*liteStatement, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if statement, known := s.prepared[text]; known {
		return statement, nil
	}
	if s.conn == nil {
		return nil, errClosed
	}
	prepared, err := s.conn.Prepare(text)
	if err != nil {
		return nil, classifySQLite(err)
	}
	statement := &liteStatement{Stmt: prepared}
	statement.scan = statement.copyRow
	// SQLite numbers parameters as they come in the text, and $2 may come before $1.
	for i := range prepared.BindParamCount() {
		name := prepared.BindParamName(i + 1)
		place, err := strconv.Atoi(strings.TrimPrefix(name, "$"))
		if err != nil {
			return nil, fmt.Errorf("sqlstore: a parameter %q: %w", name, err)
		}
		statement.places = append(statement.places, place-1)
	}
	s.prepared[text] = statement
	return statement, nil
}

func (s *liteSession) close() error {
	if s.conn == nil {
		return nil
	}
	conn := s.conn
	s.conn, s.prepared = nil, nil
	return classifySQLite(conn.Close())
}

// bind gives the statement its arguments.
func (s *liteStatement) bind(args []any) error {
	for i, place := range s.places {
		if place >= len(args) {
			return fmt.Errorf("sqlstore: there is no argument $%d", place+1)
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

// bindKind binds a value of a type of its own, such as the status of a card.
func (s *liteStatement) bindKind(parameter int, value reflect.Value) error {
	switch {
	case value.Kind() == reflect.String:
		s.BindText(parameter, value.String())
	case value.CanInt():
		s.BindInt64(parameter, value.Int())
	default:
		return fmt.Errorf("sqlstore: a %s cannot be kept", value.Type())
	}
	return nil
}

// copyRow copies the columns of the row on which the statement stands.
func (s *liteStatement) copyRow(columns ...any) error {
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
		case timeColumn:
			*to.to = time.Time{}
			if !s.ColumnIsNull(i) {
				*to.to = time.UnixMilli(s.ColumnInt64(i)).UTC()
			}
		case jsonColumn:
			if err := to.Scan(s.ColumnText(i)); err != nil {
				return fmt.Errorf("sqlstore: %w", err)
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

// copyKind copies a column to a value of a type of its own.
func (s *liteStatement) copyKind(column int, to reflect.Value) error {
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
	return fmt.Errorf("sqlstore: a column cannot be read into a %s", to.Type())
}
