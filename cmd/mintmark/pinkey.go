package main

import "mintmark/internal/app"

// pinKeyCommand prints the public key that callers encrypt PINs with.
type pinKeyCommand struct{ place }

// Help is printed below the flags.
func (pinKeyCommand) Help() string { return "mintmark pin-key --config mintmark.yaml" }

// Run prints the key as PEM.
func (p pinKeyCommand) Run(c console) error {
	at, err := p.where()
	if err != nil {
		return err
	}
	key, err := app.PublicPinKey(at)
	if err != nil {
		return p.explain(err)
	}
	_, err = c.out.Write(key)
	return err
}
