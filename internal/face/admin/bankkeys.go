package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
)

func (f *Face) bankKeyRoutes() []*Op {
	return []*Op{
		list(Op{
			Path: "bank-keys", Summary: "List the keys that card numbers and PINs are sealed under",
			Roles:   securities,
			Filters: []Field{{Name: "bankId", Help: "of one bank"}},
		}, f.bankKeys),
		fourEyes(act(Op{
			Path:    "banks/{id}/encryption-keys/{keyId}/rotate",
			Summary: "Seal what is new under another key", Roles: securities, Reason: true,
		}, f.rotateEncryptionKey)),
		fourEyes(act(Op{
			Path:    "banks/{id}/bank-keys/{keyId}/retire",
			Summary: "Destroy a key under which nothing is sealed any more", Roles: securities,
			Reason: true,
		}, f.retireBankKey)),
	}
}

func bankKeyOf(k keys.BankKeyDetail) wire.BankKey {
	return wire.BankKey{
		ID: k.ID, Revision: k.Revision, BankID: k.BankID, PciKeyID: k.PciKeyID,
		State: string(k.State), Seals: k.Seals, Numbers: k.Numbers, Pins: k.Pins,
		Made: moment(k.Made), MadeBy: k.MadeBy,
	}
}

func (f *Face) bankKeys(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.BankKey, string, error) {
	bankID, err := c.queryNumber("bankId")
	if err != nil {
		return nil, "", err
	}
	items, last, err := f.acts.Keys.BankKeys(ctx, c.who, bankID, page)
	return each(items, last, err, bankKeyOf)
}

func (f *Face) rotateEncryptionKey(
	ctx context.Context, c *call, asked wire.NewBankKey,
) (wire.BankKey, error) {
	bankID, id, err := c.numbers("id", "keyId")
	if err != nil {
		return wire.BankKey{}, err
	}
	made, err := f.acts.Keys.RotateBankKey(ctx, c.who, bankID, id, asked.Compromised)
	return bankKeyOf(made), err
}

func (f *Face) retireBankKey(
	ctx context.Context, c *call, _ wire.Reasoned,
) (wire.BankKey, error) {
	bankID, id, err := c.numbers("id", "keyId")
	if err != nil {
		return wire.BankKey{}, err
	}
	retired, err := f.acts.Keys.RetireBankKey(ctx, c.who, bankID, id, c.revision)
	return bankKeyOf(retired), err
}
