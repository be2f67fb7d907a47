package inspect

import (
	"context"
	"time"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
)

const serverTime = `SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)`

// ServerTime asks a database server for the time by its clock. That of a Read or a View is the time
// of this machine.
func ServerTime(ctx context.Context, server *postgres.Engine) (at time.Time, err error) {
	err = server.Read(ctx, func(s db.Session) error {
		return s.Query(db.Row([]any{db.Time{To: &at}}, serverTime))
	})
	return at, err
}
