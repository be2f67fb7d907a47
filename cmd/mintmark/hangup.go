package main

import (
	"os"
	"os/signal"
	"syscall"

	"mintmark/internal/app"
)

// onHangUp returns where SIGHUP is told of, by which an operator asks for the settings to be read
// anew. It is asked for before anything else, because the signal would end a program that starts.
func onHangUp() <-chan os.Signal {
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP)
	return hangUps
}

// reload reads the settings anew. When that fails the old ones stay in force, and the log says why.
func reload(running *app.App, read func() (app.Settings, error)) {
	settings, err := read()
	if err == nil {
		err = running.Reload(settings)
	}
	if err != nil {
		running.Log.Error("settings not reloaded, the old ones stay in force", "error", err)
	}
}
