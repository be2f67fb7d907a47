package main

import (
	"context"
	"fmt"

	"mintmark/internal/operate/installation"
)

type keyFileCommand struct {
	Recipient recipientCommand `cmd:"" help:"Print the recipient for encrypting files with card numbers."`
}

type recipientCommand struct{ place }

func (recipientCommand) Help() string {
	return "It is a recipient of age (age-encryption.org). Its secret key is derived " +
		"from keyset.json: the backup of that file covers it.\n\n" +
		"mintmark key-file recipient --config mintmark.yaml"
}

func (recipientCommand) Run(ctx context.Context, at installation.Location, c console) error {
	recipient, err := installation.Recipient(ctx, at)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, recipient)
	return err
}
