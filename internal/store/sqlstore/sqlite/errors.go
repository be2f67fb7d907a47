package sqlite

import (
	"errors"
	"fmt"

	migrationdriver "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
)

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// classify converts a driver error into an error of package store. It uses the codes that SQLite
// documents; the messages are for people.
func classify(err error) error {
	if err == nil {
		return nil
	}
	code := resultCode(err)
	switch code {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey,
		sqlite.ResultConstraintRowID:
		return fmt.Errorf("%w: %w", store.ErrExists, err)
	}
	switch code.ToPrimary() {
	case sqlite.ResultBusy:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrBusy, err)
	case sqlite.ResultLocked, sqlite.ResultProtocol, sqlite.ResultCantOpen,
		sqlite.ResultIOErr, sqlite.ResultFull, sqlite.ResultReadOnly:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err // its text names SQLite
}

// resultCode returns the code of an error of either driver.
func resultCode(err error) sqlite.ResultCode {
	var migrating *migrationdriver.Error
	if errors.As(err, &migrating) {
		return sqlite.ResultCode(migrating.Code())
	}
	return sqlite.ErrCode(err)
}
