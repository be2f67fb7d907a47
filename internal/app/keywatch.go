package app

import (
	"context"
	"os"
	"time"
)

// keysEvery is how often the file of the processor's keys is looked at.
const keysEvery = 2 * time.Second

// watchKeys has the port read the keys of the processor again when their file changes, so that the
// processor's engineers may exchange a key without a reload. A bad file changes nothing.
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
			a.Log.ErrorContext(ctx, "keys of the card processor not read, the old ones stay in use",
				"error", err)
		case key != "":
			a.Log.InfoContext(ctx, "the card processor has a new key", "key", key)
		}
	}
}

// modified returns when a file was changed last, the zero time when it is not there.
func modified(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
