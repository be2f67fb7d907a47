package main

import (
	"context"
	"fmt"

	"mintmark/internal/operate/installation"
)

// keyFileCommand is about the key that files are encrypted to.
type keyFileCommand struct {
	Recipient recipientCommand `cmd:"" help:"Print the recipient for encrypting files with card numbers."`
}

// recipientCommand prints the public half of the key.
type recipientCommand struct{ place }

func (recipientCommand) Help() string {
	return "It is a recipient of age (age-encryption.org). Its secret key is derived " +
		"from keyset.json: the backup of that file covers it.\n\n" +
		"mintmark key-file recipient --config mintmark.yaml"
}

// Run prints the recipient.
func (r recipientCommand) Run(ctx context.Context, c console) error {
	at, err := r.where()
	if err != nil {
		return err
	}
	recipient, err := installation.Recipient(ctx, at)
	if err != nil {
		return r.explain(err)
	}
	fmt.Fprintln(c.out, recipient)
	return nil
}
