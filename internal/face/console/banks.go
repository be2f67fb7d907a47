package console

import (
	"context"
	"slices"
	"strconv"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

func bankRows() []row {
	forms := slices.Concat(
		form("banks/{id}/encryption-keys/new", "programs", "act", showNewEncryptionKey,
			addEncryptionKey),
		form("banks/{id}/encryption-keys/{key}", "programs", "act", showEncryptionKey,
			changeEncryptionKey),
	)
	named := slices.Concat(
		form("banks/new", "programs", "form", showNewBank, addBank),
		form("banks/{id}/edit", "programs", "form", showBankForm, changeBank),
	)
	return slices.Concat(reserved(named, "configurator"), reserved(forms, "security"),
		[]row{page("banks/{id}", "programs", "bank", showBank)})
}

// bankPage is a bank with its encryption keys.
type bankPage struct {
	wire.Bank
	Keys     []encryptionKeyLine
	Programs []admin.ProgramName
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
	for _, p := range v.frame.Programs {
		if p.BankID == id {
			shown.Programs = append(shown.Programs, p)
		}
	}
	v.crumbs(bank.Name, "Programs", "programs")
	v.command("bank get", itoa(id))
	return shown, nil
}

func bankFields(b wire.Bank) *fieldset {
	return ask(&control{
		Name: "name", Label: "Name", Kind: textField, Required: true, Value: b.Name,
	})
}

func showNewBank(_ context.Context, v *visit) (asking, error) {
	v.crumbs("Add a bank", "Programs", "programs")
	v.command("bank create NAME")
	return asking{
		Fields: bankFields(wire.Bank{}).refused(v), Once: v.once(), Button: "Add the bank",
		Note: "Cards can be issued when it has an encryption key and a program.",
		Back: v.To("programs"), BackText: "Back to the programs",
	}, nil
}

func addBank(ctx context.Context, v *visit) (outcome, error) {
	f := bankFields(wire.Bank{}).fill(v.form)
	made, err := create[wire.Bank](ctx, v, "banks", wire.NewBank{Name: f.value("name")})
	return lead(v.To("banks/" + itoa(made.ID))), err
}

func showBankForm(ctx context.Context, v *visit) (asking, error) {
	id, err := v.number("id")
	if err != nil {
		return asking{}, err
	}
	path := "banks/" + itoa(id)
	bank, err := read[wire.Bank](ctx, v, path)
	if err != nil {
		return asking{}, err
	}
	v.crumbs("Rename "+bank.Name, "Programs", "programs", bank.Name, path)
	v.command("bank update", itoa(id), "--set name=NAME --revision", itoa(bank.Revision))
	return asking{
		Fields: bankFields(bank).refused(v), Revision: bank.Revision, Button: "Rename the bank",
		Back: v.To(path), BackText: "Back to the bank",
	}, nil
}

func changeBank(ctx context.Context, v *visit) (outcome, error) {
	f, body := bankFields(wire.Bank{}).fill(v.form), properties{}
	body.set("name", f.value("name"))
	path := "banks/" + v.param("id")
	_, err := patch[wire.Bank](ctx, v, path, body)
	return lead(v.To(path)), err
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

func showNewEncryptionKey(ctx context.Context, v *visit) (actPage, error) {
	id, err := v.number("id")
	if err != nil {
		return actPage{}, err
	}
	bank, err := read[wire.Bank](ctx, v, "banks/"+itoa(id))
	if err != nil {
		return actPage{}, err
	}
	title := "Add an encryption key to " + bank.Name
	v.crumbs(title, "Programs", "programs", bank.Name, "banks/"+itoa(id))
	v.command("encryption-key create --bank", itoa(id), `--status 1 --reason "…"`)
	return actPage{
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
	_, err := create[wire.EncryptionKey](ctx, v, path+"/encryption-keys", asked)
	return lead(v.To(path)), err
}

func showEncryptionKey(ctx context.Context, v *visit) (actPage, error) {
	path := "banks/" + v.param("id")
	keys, err := all[wire.EncryptionKey](ctx, v, path+"/encryption-keys", nil)
	if err != nil {
		return actPage{}, err
	}
	at := slices.IndexFunc(keys, func(k wire.EncryptionKey) bool {
		return strconv.Itoa(k.ID) == v.params["key"]
	})
	if at < 0 {
		return actPage{}, notFound()
	}
	key, found := keys[at], encryptionMarks[keys[at].Status]
	id := itoa(key.ID)
	title := "Change the use of encryption key " + id
	v.crumbs(title, "Programs", "programs", "Bank "+itoa(key.BankID), path)
	v.command("encryption-key update", id, "--bank", itoa(key.BankID),
		`--set status=2 --reason "…" --revision`, itoa(key.Revision))
	return actPage{
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
	_, err := patch[wire.EncryptionKey](ctx, v, path+"/encryption-keys/"+v.param("key"), body)
	return lead(v.To(path)), err
}
