package main

import (
	"context"
	"errors"
	"fmt"

	"mintmark/internal/app"
)

// serveCommand serves in production.
type serveCommand struct {
	Config string `required:"" type:"existingfile" help:"File with the settings; see docs/operating.md."`
}

// Run serves until the context ends.
func (s serveCommand) Run(ctx context.Context, c console) error {
	config, err := readConfig(s.Config)
	if err != nil {
		return err
	}
	settings, err := config.settings()
	if err != nil {
		return fmt.Errorf("%s: %w", s.Config, err)
	}
	settings.Log = newLog(c, "json")
	running, err := app.Start(ctx, settings)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "Mintmark serves on %s, for operators on %s\n",
		running.URL(), running.AdminURL())
	return serveUntilDone(ctx, running)
}

// place says which data a command works on: a directory, or the one that a server's settings
// name, and the database beside it.
type place struct {
	Data     string `type:"path" xor:"place" help:"Data directory."`
	Database string `xor:"config" help:"Connection string of a PostgreSQL database; the data directory then holds the keys only."`
	Config   string `type:"existingfile" xor:"place,config" help:"Settings file that names the data directory."`
}

// where returns the data directory and the database.
func (p place) where() (data string, database app.Database, err error) {
	if p.Config != "" {
		config, err := readConfig(p.Config)
		return config.Data, app.Database(config.Database), err
	}
	if p.Data == "" {
		return "", app.Database{}, errors.New("one of --data and --config is needed")
	}
	return p.Data, app.Database{URL: p.Database}, nil
}
