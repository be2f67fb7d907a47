package console

import (
	"context"
	"slices"
	"strconv"

	wire "mintmark/client/admin"
)

func bankRows() []row {
	forms := slices.Concat(
		form("banks/{id}/encryption-keys/new", "programs", "act", showNewEncryptionKey,
			addEncryptionKey),
		form("banks/{id}/encryption-keys/{key}", "programs", "act", showEncryptionKey,
			changeEncryptionKey),
	)
	return append(reserved(forms, "security"), page("banks/{id}", "programs", "bank", showBank))
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
	bank, err := wire.Get[wire.Bank](ctx, v.api, path)
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
	for _, p := range v.Programs {
		if p.BankID == id {
			shown.Programs = append(shown.Programs, p)
		}
	}
	v.crumbs(bank.Name, "Programs", "programs")
	v.command("bank get", itoa(id))
	return shown, nil
}

// encryptionUses are what an encryption key may be used for.
var encryptionUses = []option{
	{Value: "1", Label: "Encrypts and decrypts", Help: "PINs that come from now on"},
	{Value: "2", Label: "Decrypts only", Help: "PINs that came before"},
	{Value: "3", Label: "Retired", Help: "Nothing", Ends: true},
}

func useField(status int) *control {
	return &control{
		Name: "status", Label: "What it is used for", Kind: pickField, Required: true,
		Options: choose(encryptionUses, itoa(status)),
	}
}

func showNewEncryptionKey(ctx context.Context, v *visit) (act, error) {
	id, err := v.number("id")
	if err != nil {
		return act{}, err
	}
	bank, err := wire.Get[wire.Bank](ctx, v.api, "banks/"+itoa(id))
	if err != nil {
		return act{}, err
	}
	title := "Add an encryption key to " + bank.Name
	v.crumbs(title, "Programs", "programs", bank.Name, "banks/"+itoa(id))
	v.command("encryption-key create --bank", itoa(id), `--status 1 --reason "…"`)
	return act{
		asking: asking{
			Confirm: confirmedByRule,
			Fields:  ask(useField(1), reasonField("Why now, and who said so.")).refused(v),
			Once:    v.once(), Facts: []fact{{Name: "Bank", Text: bank.Name}}, Button: title,
			Back: v.To("banks/" + itoa(id)), BackText: "Back to the bank",
		},
		Effect: "The programs of " + bank.Name + " use it at once.",
	}, nil
}

func addEncryptionKey(ctx context.Context, v *visit) (outcome, error) {
	f := ask(useField(0)).fill(v.form)
	asked := wire.NewEncryptionKey{Status: pickedNumber(f, "status")}
	path := "banks/" + v.param("id")
	_, err := makes[wire.EncryptionKey](ctx, v, path+"/encryption-keys", asked)
	return lead(v.To(path)), err
}

func showEncryptionKey(ctx context.Context, v *visit) (act, error) {
	path := "banks/" + v.param("id")
	keys, err := all[wire.EncryptionKey](ctx, v, path+"/encryption-keys", nil)
	if err != nil {
		return act{}, err
	}
	at := slices.IndexFunc(keys, func(k wire.EncryptionKey) bool {
		return strconv.Itoa(k.ID) == v.params["key"]
	})
	if at < 0 {
		return act{}, notFound()
	}
	key, found := keys[at], encryptionMarks[keys[at].Status]
	id := itoa(key.ID)
	title := "Change the use of encryption key " + id
	v.crumbs(title, "Programs", "programs", "Bank "+itoa(key.BankID), path)
	v.command("encryption-key update", id, "--bank", itoa(key.BankID),
		`--set status=2 --reason "…" --revision`, itoa(key.Revision))
	return act{
		asking: asking{
			Confirm: confirmedByRule,
			Fields:  ask(useField(key.Status), reasonField("Why now, and who said so.")).refused(v),
			Facts: []fact{
				{Name: "Encryption key", Text: id}, {Name: "Use", Mark: &found},
				{Name: "Revision", Text: itoa(key.Revision)},
			},
			Revision: key.Revision, Button: title, Back: v.To(path), BackText: "Back to the bank",
		},
		Effect: "Without a key that encrypts and decrypts, the bank's programs issue no card " +
			"and take no PIN.",
	}, nil
}

func changeEncryptionKey(ctx context.Context, v *visit) (outcome, error) {
	f := ask(useField(0)).fill(v.form)
	body := properties{}
	body.set("status", pickedNumber(f, "status"))
	path := "banks/" + v.param("id")
	_, err := amends[wire.EncryptionKey](ctx, v, path+"/encryption-keys/"+v.param("key"), body)
	return lead(v.To(path)), err
}
