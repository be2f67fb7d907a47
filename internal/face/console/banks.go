package console

import (
	"context"

	wire "mintmark/client/admin"
)

func bankRows() []row {
	return []row{page("banks/{id}", "programs", "bank", showBank)}
}

// bankPage is a bank with its encryption keys.
type bankPage struct {
	wire.Bank
	Keys     []encryptionKeyLine
	Programs []wire.Program
}

type encryptionKeyLine struct {
	wire.EncryptionKey
	Mark mark
}

var encryptionMarks = map[int]mark{
	1: {"ok", "", "Encrypts and decrypts"},
	2: {"warn", "half", "Decrypts only"},
	3: {"mute", "square", "Retired"},
}

func showBank(ctx context.Context, v *visit) (bankPage, error) {
	id, err := v.number("id")
	if err != nil {
		return bankPage{}, err
	}
	path := "banks/" + itoa(id)
	bank, err := read[wire.Bank](ctx, v, path)
	if err != nil {
		return bankPage{}, err
	}
	shown := bankPage{Bank: bank}
	if v.May("security", "auditor") {
		keys, err := all[wire.EncryptionKey](ctx, v, path+"/encryption-keys", nil)
		if err != nil {
			return bankPage{}, err
		}
		for _, key := range keys {
			shown.Keys = append(shown.Keys, encryptionKeyLine{key, encryptionMarks[key.Status]})
		}
		v.command("encryption-key list --bank", itoa(id))
	}
	programs, err := all[wire.Program](ctx, v, "programs", nil)
	if err != nil {
		return bankPage{}, err
	}
	for _, p := range programs {
		if p.BankID == id {
			shown.Programs = append(shown.Programs, p)
		}
	}
	v.crumbs(bank.Name, "Programs", "programs")
	v.command("bank get", itoa(id))
	return shown, nil
}
