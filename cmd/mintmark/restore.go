package main

import (
	"context"
	"fmt"
	"time"

	"mintmark/internal/operate/backup"
	"mintmark/internal/operate/installation"
)

type restoreCommand struct {
	place
	In string `required:"" type:"existingfile" help:"File that mintmark backup has written."`
}

func (restoreCommand) Help() string {
	return "The directory holds the keys that the backup names, and no database; a database on " +
		"a server is empty. The file is read to its end first: if it is damaged, or needs other " +
		"keys, nothing changes. After an interruption, run it again. Operators sign in again, " +
		"and earlier invitations no longer work.\n\n" +
		"mintmark restore --in mintmark.backup --data RESTORED"
}

// explain adds nothing: the error names the keys to copy.
func (restoreCommand) explain(err error) error { return err }

func (r restoreCommand) Run(ctx context.Context, at installation.Location, c console) error {
	began := time.Now()
	ctx, end := c.progress(ctx, "bytes")
	from, err := backup.Restore(ctx, at, r.In)
	end()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "The database %s is as %s has it, of %s: %d bytes, after %v.\n", at, r.In,
		from.Made.Format(time.RFC3339), from.Bytes, time.Since(began).Round(time.Millisecond))
	printNeeds(c, from)
	fmt.Fprintf(c.err, "Examine it: mintmark doctor %s --deep\n"+
		"Verify its audit with a checkpoint that was kept elsewhere: "+
		"mintmark audit verify %[1]s --checkpoint FILE\n", r.flags())
	return nil
}
