package cached

import (
	"context"

	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/sqlite"
)

// Open opens the embedded database in a file, with a read cache around it. The returned engine
// reports when the disk has failed; closing the store closes the engine.
func Open(
	ctx context.Context, path string, options sqlite.Options,
) (*Store, *sqlite.Engine, error) {
	return around(sqlite.Open(ctx, path, options))
}

// OpenMemory opens an empty in-memory database that exists as long as the store.
func OpenMemory(ctx context.Context, options sqlite.Options) (*Store, *sqlite.Engine, error) {
	return around(sqlite.OpenMemory(ctx, options))
}

func around(engine *sqlite.Engine, err error) (*Store, *sqlite.Engine, error) {
	if err != nil {
		return nil, nil, err
	}
	return New(sqlstore.New(engine), engine, DefaultBytes), engine, nil
}
