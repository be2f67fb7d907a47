// Package job runs the background duties of the service: what has to happen without anybody
// asking for it. What a duty does belongs to package issuing.
package job

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Duty is something to be done again and again. Doing it twice must change nothing.
type Duty struct {
	Name  string
	Every time.Duration
	Do    func(context.Context) error
}

// Run does each duty at once and then at its interval, until the context ends. A duty that fails
// is logged and tried again at its next turn.
func Run(ctx context.Context, log *slog.Logger, duties []Duty) {
	var running sync.WaitGroup
	for _, duty := range duties {
		running.Go(func() { duty.run(ctx, log) })
	}
	running.Wait()
}

func (d Duty) run(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(d.Every)
	defer ticker.Stop()
	for {
		if err := d.once(ctx); err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "duty failed", "duty", d.Name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// once does the duty. A panic is an error like any other: it must not end the service.
func (d Duty) once(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return d.Do(ctx)
}
