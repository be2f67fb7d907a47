package app

import (
	"context"
)

// watchStore ends the process when the embedded database fails. Other stores have no such signal.
func (a *App) watchStore(ctx context.Context) {
	disk := a.store.Disk
	if disk == nil {
		return
	}
	select {
	case <-disk.Failed():
		a.fail(disk.Failure())
	case <-ctx.Done():
	}
}

// fail reports, once, why the process must end.
func (a *App) fail(cause error) {
	a.failing.Do(func() {
		a.Log.Error("the disk has failed: the process stops, and the next start finds out what "+
			"was committed", "error", cause)
		close(a.failed)
	})
}

// closeStore closes the store. The disk may fail even then.
func (a *App) closeStore() error {
	err := a.store.Close()
	if disk := a.store.Disk; disk != nil && disk.Failure() != nil {
		a.fail(disk.Failure())
	}
	return err
}
