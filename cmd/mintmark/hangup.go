package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"mintmark/internal/app"
)

// terminal is the one that a program was started from, if any.
type terminal struct{ there bool }

// startedFrom looks for the terminal. A program that was started with the signal ignored
// (nohup) is meant to go on without one.
func startedFrom() terminal {
	return terminal{there: !signal.Ignored(syscall.SIGHUP) && hasTerminal()}
}

// closed reports whether the terminal is gone, which SIGHUP tells of as well.
func (t terminal) closed() bool { return t.there && !hasTerminal() }

func hasTerminal() bool {
	file, err := os.Open("/dev/tty")
	return err == nil && file.Close() == nil
}

// onHangUp returns where SIGHUP is told of, by which an operator asks for the settings to be read
// anew. It is asked for before anything else, because the signal would end a program that starts.
func onHangUp() <-chan os.Signal {
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP)
	return hangUps
}

// errTerminalClosed says that SIGHUP asks for the end after all.
var errTerminalClosed = errors.New("the terminal is closed")

// waitForEnd reads the settings anew with each SIGHUP until it is time to end: after a signal, or a
// failure that ends the process.
func waitForEnd(
	ctx context.Context, running *app.App, hangUps <-chan os.Signal,
	read func() (app.Settings, error),
) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-running.Failed():
			return
		case <-hangUps:
			if errors.Is(reload(running, read), errTerminalClosed) {
				return
			}
		}
	}
}

// reload reads the settings anew. When that fails the old ones stay in force, and the log says why.
func reload(running *app.App, read func() (app.Settings, error)) error {
	settings, err := read()
	if err == nil {
		err = running.Reload(settings)
	}
	if err != nil && !errors.Is(err, errTerminalClosed) {
		running.Log.Error("settings not reloaded, the old ones stay in force", "error", err)
	}
	return err
}
