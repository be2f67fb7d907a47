package console

import (
	"context"
	"net/url"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/program"
)

func bankKeyRows() []row {
	p := &pages{Resource: resourceAt("bank-keys"), at: "bank-keys", item: "banks/{id}/keys"}
	rotate, retire := p.Act("rotate"), p.Act("retire")
	acts := slices.Concat(
		form("banks/{id}/encryption-keys/{keyId}/rotate", "bank-keys", "act",
			p.showAct(rotate, findEncryptionKey), p.do(rotate)),
		form("banks/{id}/keys/{keyId}/retire", "bank-keys", "act", p.showAct(retire, findBankKey),
			p.do(retire)),
	)
	return append(reserved(acts, "security"),
		page("bank-keys", "bank-keys", "bankkeys", showBanksKeys),
		page("banks/{id}/keys", "bank-keys", "bankkey", showBankKeys),
		page("banks/{id}/encryption-keys/{keyId}", "programs", "show", showEncryptionKey))
}

// showEncryptionKey shows an encryption key, from which its page of rotation can be opened.
func showEncryptionKey(ctx context.Context, v *visit) (itemPage, error) {
	item, err := findEncryptionKey(ctx, v)
	if err != nil {
		return itemPage{}, err
	}
	shown := pagesAt("banks/{id}/encryption-keys").page(v, item)
	rotates := item.(wire.EncryptionKey).Status == int(program.EncryptAndDecrypt)
	if rotates && v.may(resourceAt("bank-keys").Act("rotate")) {
		shown.Acts = append(shown.Acts, offered{
			Name: "rotate", Label: "Rotate…", To: v.To(v.consolePath(v.row.path + "/rotate")),
		})
	}
	return shown, nil
}

// bankEncryption is a bank with the progress of re-encryption under its current key.
type bankEncryption struct {
	wire.Bank
	Seals    *wire.BankKey // current key; nil if nothing of the bank was encrypted yet
	Progress progressBar
	Known    int // card numbers and PINs encrypted under compromised keys
	Shares   []keyShare
}

// keyShare is the share of a bank's card numbers and PINs that is encrypted under a key.
type keyShare struct {
	wire.BankKey
	mark
	Count int
	X, W  string // position and width in the bar
}

// bankEncryptionOf sums up the keys of a bank.
func bankEncryptionOf(bank wire.Bank, keys []wire.BankKey) bankEncryption {
	s := bankEncryption{Bank: bank}
	total, done := 0, 0
	for _, key := range keys {
		if key.BankID != bank.ID {
			continue
		}
		texts := int(key.Numbers + key.Pins)
		total += texts
		if key.Seals {
			s.Seals, done = &key, done+texts
		}
		if key.State == "compromised" {
			s.Known += texts
		}
		if texts > 0 {
			s.Shares = append(s.Shares, keyShare{
				BankKey: key, mark: bankKeyMark(key), Count: texts,
			})
		}
	}
	// The current key comes first, so that the bar fills from the left.
	slices.SortStableFunc(s.Shares, func(a, b keyShare) int {
		if a.Seals == b.Seals {
			return 0
		}
		if a.Seals {
			return -1
		}
		return 1
	})
	drawn := newBar(total, max(1, len(s.Shares)))
	for i := range s.Shares {
		s.Shares[i].X, s.Shares[i].W = drawn.next(s.Shares[i].Count)
	}
	s.Progress = newProgress(done, total)
	return s
}

// Left returns how many card numbers and PINs remain to be re-encrypted.
func (b bankEncryption) Left() int { return b.Progress.Total - b.Progress.Done }

// Own reports whether the bank encrypts under its own key instead of the installation's keyset.
func (b bankEncryption) Own() bool { return b.Seals != nil && b.Seals.ID != 0 }

// bankKeyMark returns the mark of a key. It distinguishes active keys that are in use from those
// that are not.
func bankKeyMark(k wire.BankKey) mark {
	switch {
	case k.State == "keyset" && k.Seals:
		return mark{"ok", "", "Active"}
	case k.State == "active" && !k.Seals:
		return mark{"info", "half", "Active, not in use"}
	}
	return state("bankKey", k.State)
}

func showBanksKeys(ctx context.Context, v *visit) ([]bankEncryption, error) {
	keys, err := all[wire.BankKey](ctx, v, "bank-keys", nil)
	if err != nil {
		return nil, err
	}
	var banks []bankEncryption
	for _, bank := range v.Banks {
		banks = append(banks, bankEncryptionOf(bank, keys))
	}
	v.crumbs("Encryption keys")
	v.command("keys status")
	return banks, nil
}

type bankKeysPage struct {
	bankEncryption
	Groups []bankKeyGroup
}

// bankKeyGroup holds the keys of one encryption key of the bank.
type bankKeyGroup struct {
	wire.EncryptionKey // zero value for the installation's keyset
	Mark               mark
	Keys               []bankKeyLine
	Rotates            bool
}

type bankKeyLine struct {
	wire.BankKey
	Mark    mark
	Retires bool // it can be retired: nothing is encrypted under it
}

// keysOf returns the bank in the address and its keys.
func keysOf(ctx context.Context, v *visit) (wire.Bank, []wire.BankKey, error) {
	bank, err := readNamed[wire.Bank](ctx, v, "banks/{id}")
	if err != nil {
		return wire.Bank{}, nil, err
	}
	keys, err := all[wire.BankKey](ctx, v, "bank-keys", url.Values{"bankId": {itoa(bank.ID)}})
	return bank, keys, err
}

func showBankKeys(ctx context.Context, v *visit) (bankKeysPage, error) {
	bank, keys, err := keysOf(ctx, v)
	if err != nil {
		return bankKeysPage{}, err
	}
	named, err := all[wire.EncryptionKey](ctx, v, "banks/"+itoa(bank.ID)+"/encryption-keys", nil)
	if err != nil {
		return bankKeysPage{}, err
	}
	shown := bankKeysPage{bankEncryption: bankEncryptionOf(bank, keys)}
	// The newest encryption key comes first, because it is the one in use; the keyset comes last.
	slices.SortFunc(named, func(a, b wire.EncryptionKey) int { return b.ID - a.ID })
	for _, key := range append(named, wire.EncryptionKey{}) {
		group := bankKeyGroup{
			EncryptionKey: key, Mark: encryptionMarks[key.Status], Rotates: key.Status == 1,
		}
		for _, k := range slices.Backward(keys) {
			if k.PciKeyID == key.ID {
				group.Keys = append(group.Keys, bankKeyLineOf(k))
			}
		}
		if key.ID != 0 || len(group.Keys) > 0 {
			shown.Groups = append(shown.Groups, group)
		}
	}
	v.crumbs("Encryption keys of "+bank.Name, "Encryption keys", "bank-keys")
	v.command("keys status --bank", itoa(bank.ID))
	return shown, nil
}

// NumbersSealed and PinsSealed return how many are encrypted under the key.
func (l bankKeyLine) NumbersSealed() int { return int(l.Numbers) }
func (l bankKeyLine) PinsSealed() int    { return int(l.Pins) }

func bankKeyLineOf(k wire.BankKey) bankKeyLine {
	used := k.Seals || k.State == "active" || k.Numbers+k.Pins > 0
	return bankKeyLine{k, bankKeyMark(k), k.ID != 0 && k.State != "retired" && !used}
}

// findEncryptionKey returns the encryption key in the address.
func findEncryptionKey(ctx context.Context, v *visit) (any, error) {
	return readNamed[wire.EncryptionKey](ctx, v, "banks/{id}/encryption-keys/{keyId}")
}

// findBankKey returns the key in the address from the list of keys: the interface has no route for
// a single one.
func findBankKey(ctx context.Context, v *visit) (any, error) {
	_, keys, err := keysOf(ctx, v)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(keys, func(k wire.BankKey) bool { return itoa(k.ID) == v.params["keyId"] })
	if at < 0 {
		return nil, notFound()
	}
	return keys[at], nil
}
