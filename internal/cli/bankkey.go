package cli

import (
	"context"

	"mintmark/client/admin"
)

// bankKeyCommands are the commands on the keys that card numbers and PINs are sealed under.
type bankKeyCommands struct {
	Status bankKeyStatus `cmd:"" help:"List the keys of banks, and how much is sealed under each."`
	Rotate bankKeyRotate `cmd:"" help:"Seal what is new in a bank under another key."`
	Retire bankKeyRetire `cmd:"" help:"Destroy a key under which nothing is sealed any more."`
}

// bankKeyStatus lists keys of banks.
type bankKeyStatus struct {
	Listing
	Bank int `placeholder:"ID" help:"Keys of one bank."`
}

func (bankKeyStatus) Help() string { return "mintmark keys status --bank 1" }

func (k bankKeyStatus) Run(ctx context.Context, t Terminal) error {
	return k.list(ctx, t, "bank-keys", query("bankId", k.Bank), columns[admin.BankKey](
		"id", "bankId", "pciKeyId", "state", "seals", "numbers", "pins", "made", "madeBy",
		"revision"))
}

// bankKeyRotate gives an encryption key of a bank another key.
type bankKeyRotate struct {
	Making
	ofBank
	ID          int  `arg:"" help:"Number of the encryption key (pciKeyId)."`
	Compromised bool `help:"Its keys from before may be known to others." group:"Change"`
}

func (bankKeyRotate) Help() string {
	return `mintmark keys rotate 1 --bank 1 --reason "yearly rotation"`
}

func (k bankKeyRotate) Run(ctx context.Context, t Terminal) error {
	return k.post(ctx, t, path("banks", k.Bank, "encryption-keys", k.ID, "rotate"),
		body{}.with("compromised", k.Compromised))
}

// bankKeyRetire destroys a key of a bank.
type bankKeyRetire struct {
	Change
	ofBank
	ID int `arg:"" help:"Number of the key, as keys status shows it."`
}

func (bankKeyRetire) Help() string {
	return `mintmark keys retire 1480216243 --bank 3 --reason "everything is sealed anew"`
}

func (k bankKeyRetire) Run(ctx context.Context, t Terminal) error {
	return k.act(ctx, t, path("banks", k.Bank, "bank-keys", k.ID, "retire"), body{})
}
