package cli

import (
	"context"
	"net/url"

	"mintmark/client/admin"
)

// encryptionKeyCommands are the commands on encryption keys of banks.
type encryptionKeyCommands struct {
	List   encryptionKeyList   `cmd:"" help:"List the encryption keys of a bank."`
	Get    encryptionKeyGet    `cmd:"" help:"Print an encryption key."`
	Create encryptionKeyCreate `cmd:"" help:"Add an encryption key to a bank."`
	Update encryptionKeyUpdate `cmd:"" help:"Change the status of an encryption key."`
}

// ofBank is the bank that a thing belongs to.
type ofBank struct {
	Bank int `required:"" placeholder:"ID" help:"Number of the bank."`
}

// encryptionKeyList lists encryption keys.
type encryptionKeyList struct {
	Listing
	ofBank
}

func (encryptionKeyList) Help() string { return "mintmark encryption-key list --bank 1" }

func (e encryptionKeyList) Run(ctx context.Context, t Terminal) error {
	return e.list(ctx, t, path("banks", e.Bank, "encryption-keys"), url.Values{},
		columns[admin.EncryptionKey]("id", "bankId", "status", "revision"))
}

// encryptionKeyGet prints an encryption key.
type encryptionKeyGet struct {
	Remote
	ofBank
	ID int `arg:"" help:"Number of the key."`
}

func (encryptionKeyGet) Help() string { return "mintmark encryption-key get 1 --bank 1" }

func (e encryptionKeyGet) Run(ctx context.Context, t Terminal) error {
	return e.get(ctx, t, path("banks", e.Bank, "encryption-keys", e.ID))
}

// encryptionKeyCreate adds an encryption key.
type encryptionKeyCreate struct {
	Making
	ofBank
	Status int `placeholder:"N" help:"1 encrypts and decrypts, 2 decrypts only, 3 is retired."`
}

func (encryptionKeyCreate) Help() string {
	return `mintmark encryption-key create --bank 1 --status 1 --reason "yearly change"`
}

func (e encryptionKeyCreate) Run(ctx context.Context, t Terminal) error {
	return e.post(ctx, t, path("banks", e.Bank, "encryption-keys"),
		body{}.with("status", e.Status))
}

// encryptionKeyUpdate changes an encryption key.
type encryptionKeyUpdate struct {
	ID int `arg:"" help:"Number of the key."`
	ofBank
	Update
}

func (encryptionKeyUpdate) Help() string {
	return `mintmark encryption-key update 1 --bank 1 --set status=2 --reason "yearly change"`
}

func (e encryptionKeyUpdate) Run(ctx context.Context, t Terminal) error {
	return e.update(ctx, t, path("banks", e.Bank, "encryption-keys", e.ID), resource{})
}
