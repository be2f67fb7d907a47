package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// listenAgain is the time between two attempts to listen.
const listenAgain = time.Second

// Listen signals each change of an API key until the context ends. It takes a connection of its
// own, outside the pool.
func (e *Engine) Listen(ctx context.Context, changed chan<- struct{}) {
	for ctx.Err() == nil {
		// Whatever the error, such as a lost connection, the answer is to try again.
		_ = e.listen(ctx, changed)
		select {
		case <-ctx.Done():
		case <-time.After(listenAgain):
		}
	}
}

// listen passes notifications on until the connection or the context ends.
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
		default: // an earlier signal has not been taken yet
		}
	}
}
