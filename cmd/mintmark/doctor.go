package main

import (
	"context"
	"fmt"

	"mintmark/internal/app"
)

type doctorCommand struct {
	place
	Deep   bool   `help:"Read every page of the embedded database."`
	Backup string `type:"existingfile" help:"Backup to authenticate under the keys."`
	Output string `default:"table" enum:"table,json" help:"Format of the findings: ${enum}."`
}

func (doctorCommand) Help() string {
	return "It changes nothing and may run beside a server. The exit code is 1 when a check has " +
		"failed.\n\n" +
		"  mintmark doctor --config mintmark.yaml --deep"
}

func (d doctorCommand) Run(ctx context.Context, c console) error {
	var settings app.Settings
	var settingsErr error
	if d.Config != "" {
		settings, settingsErr = readConfig(d.Config)
	} else {
		at, err := d.where()
		if err != nil {
			return err
		}
		settings = app.Settings{
			Data: at.Data, Database: at.Database, Insecure: at.Insecure, Custody: at.Custody,
		}
	}
	report := app.Examine(ctx, d.Config, settings, settingsErr, d.Deep,
		d.Backup)
	write := report.Print
	if d.Output == "json" {
		write = report.PrintJSON
	}
	if err := write(c.out); err != nil {
		return err
	}
	if report.Failed > 0 {
		return fmt.Errorf("%d of %d checks failed", report.Failed, len(report.Checks))
	}
	return nil
}
