package load

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// otherProgram is a second bank with one of every object except cards.
const otherProgram = `banks: [{bankId: 2, name: Second, pciKeys: [{pciKeyId: 2, status: 1}]}]
programs:
  - programId: 2
    bankId: 2
    name: P2
    decimalCount: 2
    timeZone: UTC
    publicKeyAlgorithms: RSA-OAEP-SHA256-MGF1
    bank: {name: Second, timeZone: UTC}
    bins:
      - {binId: 2, vendorTypeCode: MC, firstBody: "510000000000000",
         lastBody: "510000000000099"}
keys: [{name: k2, programId: 2, version: 1, secrets: [{secret: other}], allow: ["::1"]}]
customers:
  - {customerId: 2, programId: 2, status: Verified, access: FULL, birthDate: 1985-03-14,
     firstName: A, lastName: B}
accounts:
  - {accountId: 2, programId: 2, customerId: 2, type: Savings, status: Open, name: S,
     accountNumber: "1234"}
documents:
  - {documentId: 2, bankId: 2, culture: en-US, documentType: EftInfo, title: E,
     effectiveDate: 2026-01-01, html: docs/good.html}
`

// mistakes are well-formed files whose contents cannot be intended.
var mistakes = []struct{ text, want string }{
	// An object of another program or bank would be taken away from it.
	{"customers: [{customerId: 2, programId: 1}]", "customer 2 belongs to program 2"},
	{"accounts: [{accountId: 2, programId: 1}]", "account 2 belongs to program 2"},
	{"accounts: [{accountId: 1, programId: 1, customerId: 2}]", "there is no customer 2"},
	{"access: [{programId: 1, customerId: 1, accountId: 2, access: FULL}]", "there is no account 2"},
	{"access: [{programId: 1, customerId: 2, accountId: 1, access: FULL}]", "there is no customer 2"},
	{"bins: [{binId: 2, programId: 1}]", "bin 2 belongs to program 2"},
	{"keys: [{name: k2, programId: 1}]", "key k2 belongs to program 2"},
	{"programs: [{programId: 2, bankId: 1}]", "program 2 belongs to bank 2"},
	{"documents: [{documentId: 2, bankId: 1}]", "document 2 belongs to bank 2"},
	{"banks: [{bankId: 1, pciKeys: [{pciKeyId: 2, status: 1}]}]",
		"encryption key 2 belongs to bank 2"},

	// Card numbers.
	{`bins: [{binId: 3, programId: 1, vendorTypeCode: MC, firstBody: "510000000000050", ` +
		`lastBody: "510000000000150"}]`, "shares numbers with that of bin 2 of program 2"},
	{`bins: [{binId: 3, programId: 1, vendorTypeCode: VS, firstBody: "510000000000500", ` +
		`lastBody: "510000000000600"}]`, "a Visa number begins with 4"},

	// People.
	{"customers: [{customerId: 1, programId: 1, birthDate: 2985-03-14}]", "lies in the future"},
	{"customers: [{customerId: 1, programId: 1, birthDate: 1085-03-14}]", "130 years ago"},
	{"customers: [{customerId: 1, programId: 1, deceasedDate: 1980-01-01}]",
		"deceasedDate: lies before birthDate"},
	{"customers: [{customerId: 1, programId: 1, homePhone: none known}]", "not a telephone number"},

	// Programs.
	{"programs: [{programId: 1, regDFeeAmount: -1}]", "must not be negative"},
	{"programs: [{programId: 1, decimalCount: 1}]",
		"regDFeeAmount: has more decimal digits than the program's 1"},
	{"programs: [{programId: 1, timeZone: UTC, publicKeyAlgorithms: NONE}]",
		"for the sandbox only"},

	// Keys.
	{"keys: [{name: k1, secrets: [{secret: s9}, {secret: s9}]}]", "holds the same secret twice"},
	{"keys: [{name: k1, secrets: [{secret: other}]}]", "is a secret of key k2, too"},

	// Documents.
	{"documents: [{documentId: 1, culture: English}]", "not a language and a region"},
	{"documents: [{documentId: 1, html: docs/bare.html}]", "html: is empty"},
	{"documents: [{documentId: 1, pdf: docs/none.pdf}]", "pdf: is empty"},

	// Cards.
	{strings.NewReplacer("cardId: 1", "cardId: 2", "t1", "t2", "Nick", "Nock",
		"customerId: 1", "customerId: 3").Replace(goodCard),
		"customer 3 has no access to account 1"},
	{strings.NewReplacer("cardId: 1", "cardId: 2", "binId: 1", "binId: 2").Replace(goodCard),
		"there is no bin 2"},
}

// destructive are files that remove something, and the names that permit it.
var destructive = []struct{ text, name string }{
	{"accounts: [{accountId: 1, programId: 1, customerId: 3}]", entity.AccountMoved},
	{"accounts: [{accountId: 1, programId: 1, type: Savings}]", entity.AccountType},
	{`bins: [{binId: 1, lastBody: "400000000000999"}]`, entity.BinDigits},
	{"programs: [{programId: 1, products: null}]", entity.ProductRemoved},
	{"programs: [{programId: 1, regDFeeAmount: 10, decimalCount: 1, products: []}]",
		entity.Decimals},
}

func (b *bench) mustLoadBoth(t *testing.T) {
	t.Helper()
	b.mustLoad(t, good)
	b.mustLoad(t, otherProgram)
	third := strings.Replace(goodCustomer, "customerId: 1", "customerId: 3", 1)
	b.mustLoad(t, third)
}

// TestMistakes checks that each mistake is rejected and changes nothing.
func TestMistakes(t *testing.T) {
	b := newBench(t)
	b.mustLoadBoth(t)
	for _, c := range mistakes {
		err := b.load(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	report, err := b.loadWith(t, good, Options{DryRun: true})
	if err != nil || report.counts.Differs() {
		t.Errorf("something has changed: %v, %v", report.Lines(), err)
	}
}

// TestNameOfAnIssuedKey loads keys under the label that operators gave an issued key. Links and
// commands identify the keys of a program by it, so a new key of the program is rejected.
func TestNameOfAnIssuedKey(t *testing.T) {
	b := newBench(t)
	b.mustLoadBoth(t)
	err := b.Update(t.Context(), func(tx store.Tx) error {
		for _, label := range []string{"app", "k1"} { // an older version loaded k1
			err := tx.Keys().Put(apikey.Key{
				Name: "mmk_" + label, Label: label, ProgramID: 1, Version: 2, Burst: 1,
				Allow:   []netip.Prefix{netip.MustParsePrefix("::1/128")},
				Secrets: []apikey.Secret{{Digest: b.vault.DigestSecret(label)}},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const app = "keys: [{name: app, programId: %d, version: 1, secrets: [{secret: s7}], allow: [\"::1\"]}]"
	err = b.load(t, fmt.Sprintf(app, 1))
	const want = "keys[0].name: there is a key app of program 1 already, which was issued"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	b.mustLoad(t, fmt.Sprintf(app, 2))
	b.mustLoad(t, "keys: [{name: k1, perSecond: 1}]")
}

// TestPublishedByAnOperator loads a document that an operator published: a file may contain it
// unchanged, but may change none of its members.
func TestPublishedByAnOperator(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	err := b.Update(t.Context(), func(tx store.Tx) error {
		d, err := tx.Documents().Find(1, 1)
		if err != nil {
			return err
		}
		d.Published = d.Effective
		return tx.Documents().Put(d)
	})
	if err != nil {
		t.Fatal(err)
	}
	b.mustLoad(t, good)
	for _, text := range []string{
		"documents: [{documentId: 1, title: Other}]", "documents: [{documentId: 1, pdf: }]",
		"documents: [{documentId: 1, expireDate: 2090-01-01}]",
	} {
		err := b.load(t, text)
		if err == nil || !strings.Contains(err.Error(), "was published by an operator") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDestructiveChanges checks that each change needs its name, and that no other name permits it.
func TestDestructiveChanges(t *testing.T) {
	b := newBench(t)
	b.mustLoadBoth(t)
	for _, c := range destructive {
		var others []string
		for _, name := range entity.DestructiveChanges.Names() {
			if name != c.name && (c.name != entity.Decimals || name != entity.ProductRemoved) {
				others = append(others, name)
			}
		}
		_, err := b.loadWith(t, c.text, Options{Accept: others})
		if err == nil || !strings.Contains(err.Error(), "refused unless --accept "+c.name) {
			t.Errorf("%s: %v", c.text, err)
		}
		_, err = b.loadWith(t, c.text, Options{Accept: []string{c.name}})
		b.view(t, func(r store.Tx) error {
			rows, err := r.Audit().List(0, 0, 1)
			if len(rows) != 1 || !strings.HasSuffix(rows[0].Outcome, ", accepted "+c.name) {
				t.Errorf("%s: the audit row does not name what was accepted: %v", c.name, rows)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s, accepted: %v", c.text, err)
		}
	}
	if unknown := entity.DestructiveChanges.Unknown([]string{entity.AccountMoved, "all"}); unknown != "all" {
		t.Errorf("unknown changes: %q", unknown)
	}
}

// TestWeakSecrets checks who may load a guessable secret.
func TestWeakSecrets(t *testing.T) {
	b := newBench(t)
	data, err := Read(fileWith(good), "data/file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = data.Load(t.Context(), b, Options{Vault: b.vault, Random: b.random})
	if err == nil || !strings.Contains(err.Error(), "keys[0].secrets[0].secret: is weak: ") {
		t.Errorf("in production: %v", err)
	}
	_, err = data.Load(t.Context(), b, Options{Vault: b.vault, Random: b.random, Sandbox: true})
	if err != nil {
		t.Errorf("in a sandbox: %v", err)
	}
}

// TestRetiredSecrets rotates a secret and revokes a key, and loads the earlier files.
func TestRetiredSecrets(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram+goodKey)
	b.mustLoad(t, "keys: [{name: k1, secrets: [{secret: s2}, {secret: s3}]}]")
	wantRefused := func(text, want string) {
		t.Helper()
		err := b.load(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	const forEver = "5: keys[0].secrets[0].secret: was taken from a key or revoked"
	wantRefused(goodKey, forEver)
	wantRefused(strings.Replace(goodKey, "k1", "k9", 1), forEver)

	b.mustLoad(t, "keys: [{name: k1, state: revoked}]")
	wantRefused(goodKey, forEver)
	wantRefused("keys: [{name: k1, state: active}]", "key k1 is revoked permanently")
	wantRefused("keys: [{name: k1, secrets: [{secret: s4}]}]", "key k1 is revoked, and takes no")
	old := strings.NewReplacer("secret: s1", "secret: s9", "secret: s2", "secret: s3")
	wantRefused(old.Replace(goodKey), "secrets[1].secret: was taken")
	// The file that revokes the key may still list its secrets, and may be loaded again.
	with := strings.Replace(goodKey, "version: 1", "version: 1\n    state: revoked", 1)
	b.mustLoad(t, with)
	if told := b.dryRunLines(t, with, Options{}); told != "" {
		t.Errorf("loaded again: %s", told)
	}
	b.view(t, func(r store.Tx) error {
		keys, err := r.Keys().List()
		compare(t, len(keys[0].Secrets), 0)
		return err
	})
	b.mustLoad(t, "keys: [{name: k1, perSecond: 1}]")
	wantRefused(strings.Replace(goodKey, "k1", "k9", 1), forEver)
}

// TestExpiredSecret loads earlier files after a rotation that lets the old secret expire.
func TestExpiredSecret(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram+goodKey)
	secrets := func(list string) string { return "keys: [{name: k1, secrets: [" + list + "]}]" }
	// s2 ends in the future: the end stays when a file omits it, and null removes it.
	if told := b.dryRunLines(t, secrets("{secret: s1}, {secret: s2}"), Options{}); told != "" {
		t.Errorf("without an end: %s", told)
	}
	want := "keys k1: secret expires: 2030-01-01T00:00:00.000+00:00 → none"
	compare(t, b.dryRunLines(t, secrets("{secret: s1}, {secret: s2, expires: null}"), Options{}), want)

	past := secrets("{secret: s1, expires: 2026-01-01}, {secret: s3}")
	b.mustLoad(t, past)
	for _, old := range []string{"", ", expires: null", ", expires: 2999-01-01"} {
		err := b.load(t, secrets("{secret: s1"+old+"}, {secret: s2}"))
		if err == nil || !strings.Contains(err.Error(),
			"keys[0].secrets[0].secret: expired at 2026-01-01T00:00:00.000+00:00") {
			t.Errorf("s1%s: %v", old, err)
		}
	}
	if told := b.dryRunLines(t, past, Options{}); told != "" {
		t.Errorf("loaded again: %s", told)
	}
}

// TestRevokedWithAnothersSecret checks that revoking a key removes no secret of another key.
func TestRevokedWithAnothersSecret(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram+goodKey)
	s := "  - {name: k8, programId: 1, version: 1, state: revoked, secrets: [{secret: s1}], " +
		"allow: ['::1']}\n"
	for _, text := range []string{
		"keys:\n" + s, goodKey + s, strings.Replace(goodKey, "keys:\n", "keys:\n"+s, 1),
	} {
		err := b.load(t, text)
		if err == nil || !strings.Contains(err.Error(), "is a secret of key k") {
			t.Errorf("%s: %v", text, err)
		}
	}
	b.mustLoad(t, goodKey)
}

// TestSecretIsNotTold checks that a misplaced secret is not printed.
func TestSecretIsNotTold(t *testing.T) {
	b := newBench(t)
	for _, slip := range []string{"{secret, hush}", "{hush: 1}", "hush", "{secret: {hush: 1}}"} {
		text := strings.Replace(goodBank+goodProgram+goodKey, "{secret: s1}", slip, 1)
		err := b.load(t, text)
		if err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", slip, err)
		}
	}
}

// TestBinsAtTheSameTime stores a BIN between the check of another file and its writing. Their
// ranges overlap.
func TestBinsAtTheSameTime(t *testing.T) {
	b := newBench(t)
	b.mustLoadBoth(t)
	const bins = `bins: [{binId: %d, programId: 2, vendorTypeCode: VS, ` +
		`firstBody: "411000000000000", lastBody: "411000000000099"}]`
	data, err := Read(fileWith(fmt.Sprintf(bins, 8)), "data/file.yaml")
	if err != nil {
		t.Fatal(err)
	}
	between := &interrupted{b.Store, func() { b.mustLoad(t, fmt.Sprintf(bins, 9)) }}
	_, err = data.Load(t.Context(), between, Options{Vault: b.vault})
	if err == nil || !strings.Contains(err.Error(), "shares numbers with that of bin 9") {
		t.Errorf("both are kept: %v", err)
	}
}

// TestCardNames checks that a dry run reports which names of a card are taken.
func TestCardNames(t *testing.T) {
	b := newBench(t)
	b.mustLoadBoth(t)
	for _, c := range []struct{ from, to, want string }{
		{"cardId: 1", "cardId: 7", "nickName: is that of another card of customer 1"},
		{"cardId: 1", "cardId: 7", "tag: is that of a card that is stored"},
		{"programId: 1", "programId: 2", "card 1 belongs to program 1"},
	} {
		text := strings.Replace(goodCard, c.from, c.to, 1)
		_, err := b.loadWith(t, text, Options{DryRun: true})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s instead of %s: %v", c.to, c.from, err)
		}
	}
}

// TestBinsTradePlaces checks that ranges are compared as they are after the load.
func TestBinsTradePlaces(t *testing.T) {
	b := newBench(t)
	b.mustLoadBoth(t)
	text := `bins:
  - {binId: 2, firstBody: "400000000000000", lastBody: "400000000999999", vendorTypeCode: VS}
  - {binId: 1, firstBody: "510000000000000", lastBody: "510000000000099", vendorTypeCode: MC}
`
	_, err := b.loadWith(t, text, Options{Accept: []string{entity.BinDigits}})
	if err != nil {
		t.Error(err)
	}
}

// TestNotes checks what is reported without a rejection.
func TestNotes(t *testing.T) {
	b := newBench(t)
	b.mustLoadBoth(t)
	for _, c := range []struct{ text, want string }{
		{"bins: [{binId: 1, isActive: false}]",
			"data/file.yaml:1: bins[0]: program 1 has no active BIN left, so no card can be made"},
		{"keys: [{name: k1, secrets: [{secret: s1, expires: 2020-01-01}], allow: [0.0.0.0/0]}]",
			"data/file.yaml:1: keys[0]: every secret of key k1 has expired\n" +
				"data/file.yaml:1: keys[0]: key k1 may be used from every address"},
		{"documents: [{documentId: 1, effectiveDate: 2019-01-01, expireDate: 2020-01-01}]",
			"data/file.yaml:1: documents[0]: document 1 has expired"},
		{"bins: [{binId: 1, isActive: true}]", ""},
		// Names of earlier versions are read, and each is reported once.
		{"customers: [{customerId: 1, accessType: CARD, mailingAddress: {city: Old}}]\n" +
			"access: [{programId: 1, customerId: 1, accountId: 1, type: FULL}]\n" +
			"programs: [{programId: 1, bins: [{binId: 1, firstNumber: '400000000000000'}]}]\n" +
			"bins: [{binId: 2, firstNumber: '510000000000000', isActive: true}]",
			"data/file.yaml:3: programs[0].bins[0].firstNumber: is called firstBody now\n" +
				"data/file.yaml:1: customers[0].accessType: is called access now\n" +
				"data/file.yaml:1: customers[0].mailingAddress: is called mailing now\n" +
				"data/file.yaml:2: access[0].type: is called access now"},
	} {
		report, err := b.loadWith(t, c.text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, strings.Join(report.Notes, "\n"), c.want)
	}
}
