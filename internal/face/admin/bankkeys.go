package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
)

func (d *Desk) bankKeys() *Resource {
	return &Resource{
		Noun: "keys", Path: "bank-keys", Item: "banks/{id}/bank-keys/{keyId}",
		In: ofBank, ID: Param{Name: "keyId", Help: "Number of the key.", Number: true},
		Help:  "Keys that encrypt card numbers and PINs of banks.",
		Nav:   Nav{"Set-up", "Encryption keys"},
		Roles: securityRoles,
		Columns: []string{
			"id", "bankId", "pciKeyId", "state", "seals", "numbers", "pins", "made", "madeBy",
			"revision",
		},
		Fields: []Field{
			{Name: "bankId", Label: "Bank", On: Shown},
			{Name: "pciKeyId", Label: "Encryption key", On: Shown},
			{Name: "state", Label: "State", On: Shown,
				Help: "active, decrypt-only, compromised or retired; key 0 is the keyset"},
			{Name: "seals", Label: "Seals", On: Shown, Help: "New data is sealed under it."},
			{Name: "numbers", Label: "Card numbers", On: Shown, Help: "Sealed under it."},
			{Name: "pins", Label: "PINs", On: Shown, Help: "In orders, sealed under it."},
			{Name: "made", Label: "Made", On: Shown},
			{Name: "madeBy", Label: "By", On: Shown, Help: "Left out where the audit does not show it."},
		},
		List: list(Op{
			Name: "status", Summary: "List the keys that encrypt card numbers and PINs",
			Example: "mintmark keys status --bank 1",
			Filters: []Field{{Name: "bankId", Label: "Bank", Help: "of one bank"}},
		}, d.listBankKeys),
		Acts: []*Op{
			act(Op{
				Name: "rotate", Path: "banks/{id}/encryption-keys/{keyId}/rotate",
				Summary: "Rotate an encryption key", FourEyes: true, Reason: true,
				Help:    "The number is that of the encryption key (pciKeyId).",
				Example: `mintmark keys rotate 1 --bank 1 --reason "yearly rotation"`,
				Button:  "Rotate encryption key {id}",
				Effect: "A new key encrypts new data of the bank at once. Older data is " +
					"re-encrypted in the background; callers notice nothing.",
				Fields: []Field{{Name: "compromised", Label: "Compromised",
					Help: "Earlier keys of it may be compromised: they are marked so " +
						"permanently, and their data is re-encrypted first."}},
			}, d.rotateEncryptionKey),
			act(Op{
				Name: "retire", Summary: "Destroy a key that no data is sealed under",
				FourEyes: true, Reason: true, Risky: true,
				Example: "mintmark keys retire 1480216243 --bank 3 " +
					`--reason "no data is sealed under it"`,
				Button: "Retire key {id} for good",
				Effect: "Key {id} is destroyed permanently. This is refused while anything is " +
					"sealed under it. Earlier backups still hold the key.",
			}, d.retireBankKey),
		},
	}
}

func bankKeyOf(k keys.BankKeyDetail) wire.BankKey {
	return wire.BankKey{
		ID: k.ID, Revision: k.Revision, BankID: k.BankID, PciKeyID: k.PciKeyID,
		State: string(k.State), Seals: k.Seals, Numbers: k.Numbers, Pins: k.Pins,
		Made: moment(k.Made), MadeBy: k.MadeBy,
	}
}

func (d *Desk) listBankKeys(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.BankKey, string, error) {
	return convertAll(bankKeyOf)(d.acts.Keys.BankKeys(ctx, c.who, c.number("bankId"), page))
}

func (d *Desk) rotateEncryptionKey(
	ctx context.Context, c *call, k wire.NewBankKey,
) (wire.BankKey, error) {
	return convert(bankKeyOf)(
		d.acts.Keys.RotateBankKey(ctx, c.who, c.id("id"), c.id("keyId"), k.Compromised))
}

func (d *Desk) retireBankKey(
	ctx context.Context, c *call, _ wire.Reasoned,
) (wire.BankKey, error) {
	return convert(bankKeyOf)(
		d.acts.Keys.RetireBankKey(ctx, c.who, c.id("id"), c.id("keyId"), c.revision))
}
