package main

import (
	"context"
	"fmt"
	"time"

	"mintmark/internal/operate/backup"
	"mintmark/internal/operate/installation"
)

type backupCommand struct {
	place
	Out string `required:"" type:"path" help:"File to write, which must not exist."`
}

func (backupCommand) Help() string {
	return "Servers keep running. The file holds everything that was acknowledged before, and " +
		"no key; it names the fingerprints of the keys that it needs. Copy keyset.json, " +
		"pin-private.pem and processor-private.pem once, and keep them with other people.\n\n" +
		"mintmark backup --config mintmark.yaml --out mintmark.backup"
}

func (b backupCommand) Run(ctx context.Context, at installation.Location, c console) error {
	began := time.Now()
	ctx, end := c.progress(ctx, "bytes")
	archive, err := backup.Create(ctx, at, b.Out)
	end()
	if archive.Bytes > 0 {
		fmt.Fprintf(c.out, "%s holds the database %s as of %s: %d bytes, after %v.\n", b.Out, at,
			archive.Made.Format(time.RFC3339), archive.Bytes, time.Since(began).Round(time.Millisecond))
		fmt.Fprintf(c.out, "sha256   %s\n", archive.SHA256)
		printNeeds(c, archive)
	}
	return err
}

// printNeeds prints the keys that a backup needs, and the number of sealed entries in it.
func printNeeds(c console, of backup.Backup) {
	fmt.Fprintf(c.out, "keyset   %s\nPIN key  %s\n", of.Keyset, of.PinKey)
	if of.Log != nil {
		fmt.Fprintf(c.out, "audit    %d entries are sealed\n", of.Log.Size)
	}
}
