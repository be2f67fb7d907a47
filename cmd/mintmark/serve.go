package main

import (
	"context"
	"errors"
	"fmt"

	"mintmark/internal/app"
	"mintmark/internal/operate/installation"
)

type serveCommand struct {
	Config string `required:"" type:"existingfile" help:"File with the settings; see docs/settings.md."`
}

// Run serves until the context ends.
func (s serveCommand) Run(ctx context.Context, c console) error {
	hangUps := onHangUp()
	settings, err := readConfig(s.Config)
	if err != nil {
		return err
	}
	settings.Log = newLog(c, "json")
	running, err := app.Start(ctx, settings)
	if err != nil {
		return unlessStopped(ctx, place{Config: s.Config}.explain(err))
	}
	fmt.Fprintf(c.out, "Mintmark serves on %s, for operators on %s\n",
		running.URL(), running.AdminURL())
	if err := notifyReady(); err != nil {
		settings.Log.Error("notifying the service manager failed", "error", err)
	}
	return serveUntilDone(ctx, running, hangUps, func() (app.Settings, error) {
		return readConfig(s.Config)
	})
}

// place holds the flags that locate the data of a command: a data directory with an optional
// database, or the settings file of a server.
type place struct {
	Data     string `type:"path" xor:"place" help:"Data directory."`
	Database string `xor:"config" help:"Connection string of a PostgreSQL database; the data directory then holds the keys only."`
	Config   string `type:"existingfile" xor:"place,config" help:"Settings file that names the data directory."`
}

// elsewhere reports whether no location is given: a command that can call a service then does.
func (p place) elsewhere() bool { return p.Data == "" && p.Config == "" && p.Database == "" }

// where returns the location.
func (p place) where() (installation.Location, error) {
	if p.Config != "" {
		settings, err := readConfig(p.Config)
		return settings.Location(), err
	}
	if p.Data == "" {
		return installation.Location{}, errors.New("one of --data and --config is needed")
	}
	var f findings
	database{URL: p.Database}.check(&f)
	for _, text := range f.insecure {
		f.add("%s; to accept this, name a settings file with insecure: true by --config", text)
	}
	location := installation.Location{
		Data: p.Data, Database: installation.Database{URL: p.Database},
		Custody: installation.Custody{Ask: askOnTerminal()},
	}
	return location, errors.Join(f.problems...)
}

// ProvideLocation lets kong pass the location to Run.
func (p place) ProvideLocation() (installation.Location, error) { return p.where() }

// explain adds the command that creates missing keys or a missing database.
func (p place) explain(err error) error {
	if !errors.Is(err, installation.ErrNotInitialized) {
		return err
	}
	return fmt.Errorf("%w; mintmark init %s creates keys and a database", err, p.flags())
}

// flags returns the location as flags of a command that a message suggests.
func (p place) flags() string {
	flags := "--config " + p.Config
	if p.Config == "" {
		flags = "--data " + p.Data
	}
	if p.Database != "" {
		flags += " --database ..."
	}
	return flags
}
