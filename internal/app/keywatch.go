package app

import (
	"context"
	"os"
	"time"
)

// keysEvery is the interval between checks of the processor's key file.
const keysEvery = 2 * time.Second

// watchKeys makes the port reload the processor's keys when their file changes, so that the
// processor's engineers can replace a key without a reload of the settings. An invalid file changes
// nothing.
func (a *App) watchKeys(ctx context.Context) {
	if a.port == nil || a.Processor.JWKS == "" {
		return
	}
	stamp := modified(a.Processor.JWKS)
	ticker := time.NewTicker(keysEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		modifiedAt := modified(a.inForce.Load().Processor.JWKS)
		if modifiedAt.Equal(stamp) {
			continue
		}
		stamp = modifiedAt
		a.reloading.Lock()
		key, err := a.reloadPort(*a.inForce.Load())
		a.reloading.Unlock()
		switch {
		case err != nil:
			a.Log.ErrorContext(ctx, "card processor keys not reloaded, the old ones stay in use",
				"error", err)
		case key != "":
			a.Log.InfoContext(ctx, "card processor key changed", "key", key)
		}
	}
}

// modified returns when a file was last changed, or the zero time if it does not exist.
func modified(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
