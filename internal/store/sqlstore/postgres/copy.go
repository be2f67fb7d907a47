package postgres

import (
	"context"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Copying is a transaction in which whole tables are copied as text, in the format of COPY.
type Copying struct{ *session }

// The statements that begin a copying transaction. The snapshot that Reading waits for is one that
// acts could have seen, and makes no other transaction fail.
const (
	Reading   = "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE"
	BeginFill = "BEGIN"
)

// Copy runs a closure in a transaction and commits all of its writes, or none.
func Copy(ctx context.Context, url, begin string, fn func(Copying) error) error {
	config, err := poolConfig(url)
	if err != nil {
		return err
	}
	// Whole tables are read, and the other end of the copy may be slow.
	set := config.ConnConfig.RuntimeParams
	delete(set, "enable_seqscan")
	set["idle_in_transaction_session_timeout"], set["statement_timeout"] = "0", "0"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return unreachable(ctx, err)
	}
	defer pool.Close()
	s, err := (&Engine{pool: pool}).newSession(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	s.opening = []statement{{text: begin}, s.askTime()}
	if err := fn(Copying{s}); err != nil {
		return err
	}
	return s.commit()
}

// Out writes the rows of a table.
func (c Copying) Out(to io.Writer, table string, columns []string) error {
	if err := c.trip(); err != nil {
		return err
	}
	_, err := c.conn.Conn().PgConn().CopyTo(c.ctx, to, copyOf(table, columns)+"TO STDOUT")
	return err
}

// In inserts rows into a table.
func (c Copying) In(from io.Reader, table string, columns []string) error {
	if err := c.trip(); err != nil {
		return err
	}
	_, err := c.conn.Conn().PgConn().CopyFrom(c.ctx, from, copyOf(table, columns)+"FROM STDIN")
	return err
}

func copyOf(table string, columns []string) string {
	return "COPY " + table + " (" + strings.Join(columns, ", ") + ") "
}
