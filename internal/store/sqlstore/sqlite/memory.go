package sqlite

import (
	"context"
	"errors"

	"mintmark/internal/store/sqlstore/sqlite/tables"
)

// OpenMemory opens a database that lives in memory, as long as the engine: an empty one, or a copy
// of an image. Such a database cannot be read and written at the same time, so Views and Updates
// take turns.
func OpenMemory(ctx context.Context, options Options) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	image := options.Image
	if image == nil {
		var err error
		if image, err = tables.Empty(); err != nil {
			return nil, classify(err)
		}
	}
	only, err := openConnections(":memory:", 1, bothSettings)
	if err != nil {
		return nil, err
	}
	conn := <-only
	err = classify(conn.conn.Deserialize("main", image))
	only <- conn
	if err != nil {
		return nil, errors.Join(err, drain(only))
	}
	e := newEngine(options)
	e.writers, e.readers = only, only
	return e, nil
}

// Image returns a copy of a database in memory, made between two transactions.
func (e *Engine) Image() ([]byte, error) {
	conn, err := e.take(context.Background(), e.writers)
	if err != nil {
		return nil, err
	}
	defer func() { e.writers <- conn }()
	image, err := conn.conn.Serialize("main")
	return image, classify(err)
}
