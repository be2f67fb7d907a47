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
	configurators = operator.Roles{operator.Configurator}
	securities    = operator.Roles{operator.Security}
)

func (f *Face) bankRoutes() []*Op {
	const encryptionKeys = "banks/{id}/encryption-keys"
	return []*Op{
		list(Op{
			Path: "banks", Summary: "List the banks in scope", Filters: []Field{searched},
		}, f.banks),
		get(Op{Path: "banks/{id}", Summary: "Read a bank"}, f.bank),
		create(Op{
			Path: "banks", Summary: "Make a bank", Roles: configurators,
		}, f.createBank),
		patch(Op{
			Path: "banks/{id}", Summary: "Rename a bank", Roles: configurators,
		}, f.bank, f.changeBank),

		list(Op{
			Path: encryptionKeys, Summary: "List the encryption keys of a bank", Roles: securities,
		}, f.encryptionKeys),
		get(Op{
			Path: encryptionKeys + "/{keyId}", Summary: "Read an encryption key",
			Roles: securities,
		}, f.encryptionKey),
		fourEyes(create(Op{
			Path: encryptionKeys, Summary: "Add an encryption key", Roles: securities,
		}, f.createEncryptionKey)),
		fourEyes(patch(Op{
			Path: encryptionKeys + "/{keyId}", Summary: "Change what an encryption key is for",
			Roles: securities,
		}, f.encryptionKey, f.changeEncryptionKey)),
	}
}

func bankOf(b store.Bank) wire.Bank {
	return wire.Bank{ID: b.ID, Revision: b.Revision, Name: b.Name}
}

// each makes the resources of the items of a page.
func each[T, A any](items []T, last string, err error, show func(T) A) ([]A, string, error) {
	if err != nil {
		return nil, "", err
	}
	shown := make([]A, 0, len(items))
	for _, item := range items {
		shown = append(shown, show(item))
	}
	return shown, last, nil
}

func (f *Face) banks(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Bank, string, error) {
	items, last, err := f.acts.Programs.Banks(ctx, c.who, c.query.Get("q"), page)
	return each(items, last, err, bankOf)
}

func (f *Face) bank(ctx context.Context, c *call) (wire.Bank, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Bank{}, err
	}
	found, err := f.acts.Programs.Bank(ctx, c.who, id)
	return bankOf(found), err
}

func (f *Face) createBank(ctx context.Context, c *call, asked wire.NewBank) (wire.Bank, error) {
	made, err := f.acts.Programs.CreateBank(ctx, c.who, asked.ID, asked.Name)
	return bankOf(made), renamed(err, "bankId", "id")
}

func (f *Face) changeBank(ctx context.Context, c *call, after wire.Bank) (wire.Bank, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Bank{}, err
	}
	changed, err := f.acts.Programs.ChangeBank(ctx, c.who, id, c.revision, after.Name)
	return bankOf(changed), err
}

func encryptionKeyOf(k program.PciKey) wire.EncryptionKey {
	return wire.EncryptionKey{
		ID: k.ID, Revision: k.Revision, BankID: k.BankID, Status: int(k.Status),
	}
}

func (f *Face) encryptionKeys(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.EncryptionKey, string, error) {
	id, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	items, last, err := f.acts.Keys.EncryptionKeys(ctx, c.who, id, page)
	return each(items, last, err, encryptionKeyOf)
}

func (f *Face) encryptionKey(ctx context.Context, c *call) (wire.EncryptionKey, error) {
	bank, id, err := c.numbers("id", "keyId")
	if err != nil {
		return wire.EncryptionKey{}, err
	}
	found, err := f.acts.Keys.EncryptionKey(ctx, c.who, bank, id)
	return encryptionKeyOf(found), err
}

// numbers returns two parameters of the path that are numbers.
func (c *call) numbers(first, second string) (one, other int, err error) {
	one, err = c.number(first)
	if err == nil {
		other, err = c.number(second)
	}
	return one, other, err
}

func (f *Face) createEncryptionKey(
	ctx context.Context, c *call, asked wire.NewEncryptionKey,
) (wire.EncryptionKey, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.EncryptionKey{}, err
	}
	made, err := f.acts.Keys.CreateEncryptionKey(ctx, c.who, id, asked.ID,
		program.PciKeyStatus(asked.Status))
	return encryptionKeyOf(made), renamed(err, "pciKeyId", "id")
}

func (f *Face) changeEncryptionKey(
	ctx context.Context, c *call, after wire.EncryptionKey,
) (wire.EncryptionKey, error) {
	bank, id, err := c.numbers("id", "keyId")
	if err != nil {
		return wire.EncryptionKey{}, err
	}
	changed, err := f.acts.Keys.ChangeEncryptionKey(ctx, c.who, bank, id, c.revision,
		program.PciKeyStatus(after.Status))
	return encryptionKeyOf(changed), err
}
