package inspect

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"mintmark/internal/store/sqlstore/migrations"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/snapshot"
)

// line is a line of JSON in the dump of a server. The dump has, for each table and after the tables
// that it refers to, a line with its name and columns, then its rows as COPY writes them, then the
// line \. that ends them. The last line has the next numbers of the sequences.
type line struct {
	Table   string   `json:"table,omitempty"`
	Columns []string `json:"columns,omitempty"`

	Next map[string]int64 `json:"next,omitempty"`
}

// rowsEnd cannot be a row: COPY writes a backslash as two.
const rowsEnd = "\\.\n"

// CopyServer calls take with the contents of a database on a server and a function that writes its
// rows. Both are of one snapshot, which holds everything committed before the call.
func CopyServer(
	ctx context.Context, url string, take func(c Contents, rows func(io.Writer) error) error,
) error {
	return postgres.Copy(ctx, url, postgres.Reading, func(s postgres.Copying) error {
		var c Contents
		if err := c.read(s, migrations.PostgreSQL); err != nil {
			return err
		}
		return take(c, func(to io.Writer) error { return writeRows(s, to) })
	})
}

func writeRows(s postgres.Copying, to io.Writer) error {
	tables, err := snapshot.TablesOf(s)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(to)
	for _, table := range tables.List() {
		if err := lines.Encode(line{Table: table.Name, Columns: table.Columns}); err != nil {
			return err
		}
		buffered := bufio.NewWriterSize(to, 1<<16)
		if err := s.Out(buffered, table.Name, table.Columns); err != nil {
			return err
		}
		if _, err := buffered.WriteString(rowsEnd); err != nil {
			return err
		}
		if err := buffered.Flush(); err != nil {
			return err
		}
	}
	next, err := tables.Numbers(s)
	if err != nil {
		return err
	}
	return lines.Encode(line{Next: next})
}

// Unfinished replaces the fingerprints of a database until its restore is finished. No key has this
// fingerprint, so whatever opens the database rejects it and shows this text.
const Unfinished = "(a restore that was not finished)"

const markUnfinished = `UPDATE installation SET keyset_fingerprint = $1`

var (
	// ErrRows: the input is not a dump of the rows of a server.
	ErrRows = errors.New("dump: the rows cannot be read")
	// ErrNewerTables: the tables of the database are newer than the rows.
	ErrNewerTables = errors.New("dump: the tables are newer than the rows")
)

// FillServer creates the tables of a version in a database on a server. Then, in one transaction,
// it replaces all their rows with the given rows of that version and marks the database as
// Unfinished.
func FillServer(ctx context.Context, url string, version int64, rows io.Reader) error {
	if err := postgres.MigrateTo(ctx, url, version); err != nil {
		return err
	}
	return postgres.Copy(ctx, url, postgres.BeginFill, func(s postgres.Copying) error {
		tables, err := snapshot.TablesOf(s)
		if err != nil {
			return err
		}
		if tables.Version() != version {
			return fmt.Errorf("%w: the tables have version %d, the rows have version %d",
				ErrNewerTables, tables.Version(), version)
		}
		return tables.Refill(s, func() error {
			next, err := readRows(s, tables.List(), rows)
			if err != nil {
				return err
			}
			if err := tables.PutNumbers(s, next); err != nil {
				return err
			}
			return s.Write(markUnfinished, Unfinished)
		})
	})
}

// readRows fills the tables, and returns the next numbers of the sequences.
func readRows(
	s postgres.Copying, tables []snapshot.Table, from io.Reader,
) (map[string]int64, error) {
	in := bufio.NewReaderSize(from, 1<<16)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrRows, noEnd(err))
		}
		var next line
		if err := json.Unmarshal(text, &next); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrRows, err)
		}
		if next.Table == "" {
			// The stream is read to its end, so that whatever checks it has seen all of it.
			if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("%w: data follows their end: %v", ErrRows, err)
			}
			return next.Next, nil
		}
		if !next.among(tables) {
			return nil, fmt.Errorf("%w: there is no table %q with these columns", ErrRows,
				next.Table)
		}
		if err := s.In(&tableRows{from: in, fresh: true}, next.Table, next.Columns); err != nil {
			return nil, fmt.Errorf("fill table %s: %w", next.Table, err)
		}
	}
}

// among reports whether the database has the table and its columns. Their names become part of a
// statement.
func (l line) among(tables []snapshot.Table) bool {
	at := slices.IndexFunc(tables, func(t snapshot.Table) bool { return t.Name == l.Table })
	return at >= 0 && !slices.ContainsFunc(l.Columns, func(name string) bool {
		return !slices.Contains(tables[at].Columns, name)
	})
}

// tableRows reads the rows of one table, up to the line that ends them.
type tableRows struct {
	from  *bufio.Reader
	fresh bool // at the beginning of a line
	ended bool
	left  []byte // the unread rest of the last read
}

// Read fills a buffer, or as much of it as there are rows for.
func (r *tableRows) Read(to []byte) (int, error) {
	filled := 0
	for filled < len(to) && !r.ended {
		if len(r.left) == 0 {
			if err := r.more(); err != nil {
				return filled, err
			}
			continue
		}
		n := copy(to[filled:], r.left)
		r.left, filled = r.left[n:], filled+n
	}
	if filled == 0 && r.ended {
		return 0, io.EOF
	}
	return filled, nil
}

// more reads a line, or a part of a long one.
func (r *tableRows) more() error {
	if r.fresh {
		begin, err := r.from.Peek(len(rowsEnd))
		if err != nil {
			return noEnd(err)
		}
		if string(begin) == rowsEnd {
			r.ended = true
			_, err := r.from.Discard(len(rowsEnd))
			return err
		}
	}
	var err error
	r.left, err = r.from.ReadSlice('\n')
	r.fresh = err == nil
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil
	}
	return noEnd(err)
}

// noEnd turns io.EOF into the error of a stream that ends too early.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
