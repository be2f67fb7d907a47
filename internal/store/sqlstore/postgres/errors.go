package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"mintmark/internal/store"
)

// errCollision is the error of an Update that collided with another. The Update is retried.
var errCollision = errors.New("postgres: conflict with another transaction")

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// Codes of PostgreSQL, from the appendix of its manual.
const (
	codeWarning  = "01000"
	codeUnique   = "23505"
	codeReadOnly = "25006"
	codeLocked   = "55P03" // the statement waited for a lock for lockTime
	// codeNotOne is a division by zero, which only the statement of Change can cause.
	codeNotOne = "22012"
)

// Codes that are treated alike. The first two characters of a code are its class.
var (
	collisions         = map[string]bool{"40001": true, "40P01": true}
	unavailableCodes   = map[string]bool{"57014": true, codeReadOnly: true}
	unavailableClasses = map[string]bool{
		"08": true, // the connection
		"53": true, // too many connections, no room on the disk
		"57": true, // the server shuts down, or is not up yet
		"58": true, // the machine
	}
)

// classify converts a driver error into an error of package store, by its code.
func (s *session) classify(ctx context.Context, err error) error {
	conn := s.conn.Conn()
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	var coded *pgconn.PgError
	if !errors.As(err, &coded) {
		if conn.IsClosed() {
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		return fmt.Errorf("postgres: %w", err)
	}
	switch {
	case coded.Code == codeUnique && s.takenNumber(coded.ConstraintName):
		return fmt.Errorf("%w: %w", errCollision, err)
	case coded.Code == codeUnique:
		return fmt.Errorf("%w: %w", store.ErrExists, err)
	case coded.Code == codeNotOne:
		return fmt.Errorf("%w: not exactly one row: %w", store.ErrLostUpdate, err)
	case collisions[coded.Code]:
		return fmt.Errorf("%w: %w", errCollision, err)
	case coded.Code == codeLocked:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrBusy, err)
	case unavailableCodes[coded.Code], len(coded.Code) == 5 && unavailableClasses[coded.Code[:2]]:
		if coded.Code == codeReadOnly {
			// This server has become a standby. The next connection looks for the primary.
			_ = conn.Close(ctx)
		}
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return fmt.Errorf("postgres: %w", err)
}

// warnedKey marks a connection whose server has sent a warning.
const warnedKey = "warned"

// noteWarning marks the connection when the server sends a warning: see commitNow.
func noteWarning(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Code == codeWarning {
		conn.CustomData()[warnedKey] = true
	}
}
