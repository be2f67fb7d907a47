package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"mintmark/internal/app"
)

// terminal records whether the program was started from a terminal.
type terminal struct{ there bool }

// startedFrom looks for the terminal. A program started with SIGHUP ignored (nohup) should outlive
// its terminal, so it counts as having none.
func startedFrom() terminal {
	return terminal{there: !signal.Ignored(syscall.SIGHUP) && hasTerminal()}
}

// closed reports whether the terminal was closed, which also sends SIGHUP.
func (t terminal) closed() bool { return t.there && !hasTerminal() }

func hasTerminal() bool {
	file, err := os.Open("/dev/tty")
	return err == nil && file.Close() == nil
}

// onHangUp returns a channel that receives SIGHUP, with which an operator requests a reload of the
// settings. Windows never sends it. Call onHangUp first, because the signal would end a program
// that is still starting.
func onHangUp() <-chan os.Signal {
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP)
	return hangUps
}

// errTerminalClosed reports that SIGHUP came from a closed terminal, which ends the program.
var errTerminalClosed = errors.New("the terminal is closed")

// waitForEnd reloads the settings at each SIGHUP. It returns when the process has to end, because
// of a signal or a failure.
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

// reload reloads the settings. On an error the old ones stay in force, and the error is logged.
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
