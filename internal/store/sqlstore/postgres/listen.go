package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// listenAgain is the time between two attempts to listen.
const listenAgain = time.Second

// Listen signals each change of an API key until the context ends. It uses its own connection,
// outside the pool.
func (e *Engine) Listen(ctx context.Context, changed chan<- struct{}) {
	for ctx.Err() == nil {
		// After any error, such as a lost connection, Listen tries again.
		_ = e.listen(ctx, changed)
		select {
		case <-ctx.Done():
		case <-time.After(listenAgain):
		}
	}
}

// listen forwards notifications until the connection or the context ends.
func (e *Engine) listen(ctx context.Context, changed chan<- struct{}) error {
	conn, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN mintmark_access"); err != nil {
		return err
	}
	for {
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
		select {
		case changed <- struct{}{}:
		default: // an earlier signal has not been received yet
		}
	}
}
