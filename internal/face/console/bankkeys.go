package console

import (
	"context"
	"net/url"
	"slices"

	wire "mintmark/client/admin"
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
		page("banks/{id}/keys", "bank-keys", "bankkey", showBankKeys))
}

// sealedBank is a bank with how much is sealed under the key that it seals under.
type sealedBank struct {
	wire.Bank
	Seals    *wire.BankKey // the key; nil for a bank in which nothing was sealed yet
	Progress progressBar
	Known    int // numbers and PINs under compromised keys
	Shares   []keyShare
}

// keyShare is how much of a bank is sealed under a key.
type keyShare struct {
	wire.BankKey
	mark
	Count int
	X, W  string // of the bar
}

// sealedOf tells of a bank what its keys say.
func sealedOf(bank wire.Bank, keys []wire.BankKey) sealedBank {
	s := sealedBank{Bank: bank}
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
	// The key that seals comes first, so that a bar fills from the left.
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

// Left is how much is still to be sealed anew.
func (b sealedBank) Left() int { return b.Progress.Total - b.Progress.Done }

// Own reports whether the bank seals under a key of its own.
func (b sealedBank) Own() bool { return b.Seals != nil && b.Seals.ID != 0 }

// bankKeyMark tells an active key that seals from one that does not.
func bankKeyMark(k wire.BankKey) mark {
	switch {
	case k.State == "keyset" && k.Seals:
		return mark{"ok", "", "Active"}
	case k.State == "active" && !k.Seals:
		return mark{"info", "half", "Active, not in use"}
	}
	return state("bankKey", k.State)
}

func showBanksKeys(ctx context.Context, v *visit) ([]sealedBank, error) {
	keys, err := all[wire.BankKey](ctx, v, "bank-keys", nil)
	if err != nil {
		return nil, err
	}
	var banks []sealedBank
	for _, bank := range v.Banks {
		banks = append(banks, sealedOf(bank, keys))
	}
	v.crumbs("Encryption keys")
	v.command("keys status")
	return banks, nil
}

// bankKeysPage is a bank with all its keys.
type bankKeysPage struct {
	sealedBank
	Groups []bankKeyGroup
}

// bankKeyGroup are the keys of an encryption key of the bank.
type bankKeyGroup struct {
	wire.EncryptionKey // zero for the keyset of the installation
	Mark               mark
	Keys               []bankKeyLine
	Rotates            bool
}

type bankKeyLine struct {
	wire.BankKey
	Mark    mark
	Retires bool // nothing is sealed under it, and it is still there
}

// keysOf finds the keys of the bank that the address names.
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
	shown := bankKeysPage{sealedBank: sealedOf(bank, keys)}
	// The newest encryption key seals, so it comes first; the keyset comes last.
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

// NumbersSealed and PinsSealed are how many are sealed under the key.
func (l bankKeyLine) NumbersSealed() int { return int(l.Numbers) }
func (l bankKeyLine) PinsSealed() int    { return int(l.Pins) }

func bankKeyLineOf(k wire.BankKey) bankKeyLine {
	used := k.Seals || k.State == "active" || k.Numbers+k.Pins > 0
	return bankKeyLine{k, bankKeyMark(k), k.ID != 0 && k.State != "retired" && !used}
}

// findEncryptionKey finds the encryption key that the address names.
func findEncryptionKey(ctx context.Context, v *visit) (any, error) {
	return readNamed[wire.EncryptionKey](ctx, v, "banks/{id}/encryption-keys/{keyId}")
}

// findBankKey finds the key that the address names, which has no address in the interface.
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
