package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

var (
	configuratorRoles = operator.Roles{operator.Configurator}
	securityRoles     = operator.Roles{operator.Security}
)

func (d *Desk) banks() *Resource {
	read := byID(bankOf, d.acts.Programs.Bank)
	return &Resource{
		Noun: "bank", Path: "banks", Item: "banks/{id}",
		ID:      Param{Name: "id", Help: "Number of the bank.", Number: true},
		Help:    "Banks.",
		Empty:   "A bank owns programs, encryption keys and documents.",
		Columns: []string{"id", "name", "revision"},
		Fields: []Field{
			{Name: "name", Label: "Name", Required: true},
			{Name: "id", Label: "Number", On: Typed, Help: "The next number when left out."},
		},
		List: list(Op{
			Summary: "List the banks in scope", Example: "mintmark bank list",
			Filters: []Field{searched},
		}, d.listBanks),
		Show: get(Op{Summary: "Read a bank", Example: "mintmark bank get 1"}, read),
		Create: create(Op{
			Summary: "Create a bank", Roles: configuratorRoles,
			Example: `mintmark bank create "Third Bank"`,
			Title:   "Add a bank", Button: "Add the bank",
			Effect: "Cards can be issued when it has an encryption key and a program.",
		}, d.createBank),
		Change: patch(Op{
			Summary: "Rename a bank", Roles: configuratorRoles,
			Example: `mintmark bank update 1 --set name="First Bank"`,
			Title:   "Rename {id}", Button: "Rename the bank",
		}, read, d.changeBank),
	}
}

func bankOf(b store.Bank) wire.Bank {
	return wire.Bank{ID: b.ID, Revision: b.Revision, Name: b.Name}
}

func (d *Desk) listBanks(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Bank, string, error) {
	return convertAll(bankOf)(d.acts.Programs.Banks(ctx, c.who, c.query.Get("q"), page))
}

func (d *Desk) createBank(ctx context.Context, c *call, b wire.NewBank) (wire.Bank, error) {
	bank, err := d.acts.Programs.CreateBank(ctx, c.who, b.ID, b.Name)
	return convert(bankOf)(bank, renamed(err, "bankId", "id"))
}

func (d *Desk) changeBank(ctx context.Context, c *call, after wire.Bank) (wire.Bank, error) {
	return convert(bankOf)(
		d.acts.Programs.ChangeBank(ctx, c.who, c.id("id"), c.revision, after.Name))
}

// ofBank is the parameter of the bank that a resource belongs to.
var ofBank = Param{Name: "id", Flag: "bank", Help: "Number of the bank.", Number: true}

func (d *Desk) encryptionKeys() *Resource {
	return &Resource{
		Noun: "encryption-key", Path: "banks/{id}/encryption-keys",
		Item: "banks/{id}/encryption-keys/{keyId}",
		In:   ofBank, ID: Param{Name: "keyId", Help: "Number of the key.", Number: true},
		Help: "Encryption keys of banks.",
		Empty: "Cards of the bank need one. From its first rotation, their numbers and PINs are " +
			"encrypted under it.",
		Roles:   securityRoles,
		Columns: []string{"id", "bankId", "status", "revision"},
		Fields: []Field{
			{Name: "id", Label: "Number", On: Typed, Help: "The next number when left out."},
			{Name: "bankId", Label: "Bank", On: Shown},
			{Name: "status", Label: "Use", Required: true, Default: "1",
				Choices: []Choice{
					{Value: "1", Label: "Encrypts and decrypts", Help: "From its first rotation"},
					{Value: "2", Label: "Decrypts only", Help: "Decrypts existing data"},
					{Value: "3", Label: "Retired", Help: "Not used", Irreversible: true},
				}},
		},
		List: list(Op{
			Summary: "List the encryption keys of a bank",
			Example: "mintmark encryption-key list --bank 1",
		}, d.listEncryptionKeys),
		Show: get(Op{
			Summary: "Read an encryption key", Example: "mintmark encryption-key get 1 --bank 1",
		}, d.readEncryptionKey),
		Create: create(Op{
			Summary: "Add an encryption key", FourEyes: true,
			Example: `mintmark encryption-key create --bank 1 --status 1 --reason "yearly change"`,
			Button:  "Add an encryption key to the bank",
			Effect: "The bank's programs can issue cards with it. It encrypts nothing until its " +
				"first rotation: until then the keyset of the installation does, or an earlier " +
				"key.",
		}, d.createEncryptionKey),
		Change: patch(Op{
			Summary: "Change the use of an encryption key", FourEyes: true,
			Example: "mintmark encryption-key update 1 --bank 1 --set status=2 " +
				`--reason "yearly change"`,
			Button: "Change the use of encryption key {id}",
			Effect: "Without a key that encrypts and decrypts, the bank's programs issue no card " +
				"and take no PIN.",
		}, d.readEncryptionKey, d.changeEncryptionKey),
	}
}

func encryptionKeyOf(k program.PciKey) wire.EncryptionKey {
	return wire.EncryptionKey{
		ID: k.ID, Revision: k.Revision, BankID: k.BankID, Status: int(k.Status),
	}
}

func (d *Desk) listEncryptionKeys(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.EncryptionKey, string, error) {
	return convertAll(encryptionKeyOf)(
		d.acts.Keys.EncryptionKeys(ctx, c.who, c.id("id"), page))
}

func (d *Desk) readEncryptionKey(ctx context.Context, c *call) (wire.EncryptionKey, error) {
	return convert(encryptionKeyOf)(
		d.acts.Keys.EncryptionKey(ctx, c.who, c.id("id"), c.id("keyId")))
}

func (d *Desk) createEncryptionKey(
	ctx context.Context, c *call, k wire.NewEncryptionKey,
) (wire.EncryptionKey, error) {
	key, err := d.acts.Keys.CreateEncryptionKey(ctx, c.who, c.id("id"), k.ID,
		program.PciKeyStatus(k.Status))
	return convert(encryptionKeyOf)(key, renamed(err, "pciKeyId", "id"))
}

func (d *Desk) changeEncryptionKey(
	ctx context.Context, c *call, after wire.EncryptionKey,
) (wire.EncryptionKey, error) {
	return convert(encryptionKeyOf)(d.acts.Keys.ChangeEncryptionKey(ctx, c.who, c.id("id"),
		c.id("keyId"), c.revision, program.PciKeyStatus(after.Status)))
}
