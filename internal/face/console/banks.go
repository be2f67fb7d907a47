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
	bank, err := readNamed[wire.Bank](ctx, v, "banks/{id}")
	if err != nil {
		return bankPage{}, err
	}
	shown := bankPage{Bank: bank}
	if v.May("security", "auditor") {
		keys, err := all[wire.EncryptionKey](ctx, v, "banks/"+itoa(bank.ID)+"/encryption-keys", nil)
		if err != nil {
			return bankPage{}, err
		}
		for _, key := range keys {
			shown.Keys = append(shown.Keys, encryptionKeyLine{key, encryptionMarks[key.Status]})
		}
		v.command("encryption-key list --bank", itoa(bank.ID))
	}
	programs, err := all[wire.Program](ctx, v, "programs", nil)
	if err != nil {
		return bankPage{}, err
	}
	for _, p := range programs {
		if p.BankID == bank.ID {
			shown.Programs = append(shown.Programs, p)
		}
	}
	v.crumbs(bank.Name, "Programs", "programs")
	v.command("bank get", itoa(bank.ID))
	return shown, nil
}
