package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// TestEncryptionKeyBeforeRotation checks that texts say when an encryption key encrypts, and that
// the set-up list and the page of the key lead to its rotation.
func TestEncryptionKeyBeforeRotation(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	o := overviewAnswer()
	o.Setup = []wire.Step{
		{Name: "bank", Done: true}, {Name: "encryptionKey", Done: true}, {Name: "program"},
	}
	w.answers["overview"] = o
	const nothingYet, rotate = "encrypts nothing until its first rotation", "/console/banks/1/encryption-keys/2/rotate?"
	key := encryptionKeys().Items[0]
	for path, want := range map[string]string{
		"": `href="/console/banks/1/keys?programId=1">Encryption key<`, "banks/1/encryption-keys/2": rotate,
		"banks/1/encryption-keys/new": nothingYet,
	} {
		key.Status = 1
		w.answers["banks/1/encryption-keys/2"] = key
		page := w.get("/console/" + path).Body.String()
		if !strings.Contains(page, want) || path == "" && !strings.Contains(page, nothingYet) {
			t.Errorf("the page %q has no %s: %s", path, want, page)
		}
	}
	key.Status = 2
	w.answers["banks/1/encryption-keys/2"] = key
	if page := w.get("/console/banks/1/encryption-keys/2").Body.String(); strings.Contains(page, rotate) {
		t.Errorf("a key that encrypts nothing can be rotated: %s", page)
	}
}

// TestCardOfLockedCustomer shows a card whose customer keeps it from paying as unable to, and why.
func TestCardOfLockedCustomer(t *testing.T) {
	w := newWorld(t, false, "support")
	c := cardAnswer()
	c.Lock, c.LockTypeCode, c.LockReasonTypeCode = nil, "UNL", ""
	c.CustomerObstacle = "customer 2 is locked"
	w.answers["cards/5001"] = c
	page := w.get("/console/cards/5001").Body.String()
	if !strings.Contains(page, "The card may not pay: customer 2 is locked") ||
		!strings.Contains(page, "None: customer 2 is locked") || strings.Contains(page, "Pays first") {
		t.Error(page)
	}
}

// TestCommandOfChoices has the command of an act name what is chosen on a refused form, and each choice
// its flag, for the script to do so as well.
func TestCommandOfChoices(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.refuse = problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/reason", "is required")
	for path, of := range map[string]struct {
		form           url.Values
		choice, before string
		after          string
	}{
		"keys/core-batch/rotate": {
			url.Values{"overlap": {"0s"}}, `value="0s" data-flag="--overlap"`, "--overlap 24h", "--overlap 0s",
		},
		"banks/1/encryption-keys/2/rotate": {
			url.Values{"compromised": {"true"}}, ` data-flag="--compromised"`, "--bank 1 --reason",
			"--bank 1 --compromised --reason",
		},
		"cards/10533/lock": {
			url.Values{"lockReasonTypeCode": {"STL"}}, `value="STL" data-flag="--reason-code"`,
			"--reason-code ADM", "--reason-code STL",
		},
	} {
		page := w.get("/console/" + path).Body.String()
		if !strings.Contains(page, of.choice) || !strings.Contains(page, of.before) {
			t.Errorf("%s has no %s or no %s: %s", path, of.choice, of.before, page)
		}
		page = w.post("/console/"+path+"?programId=1", of.form).Body.String()
		if !strings.Contains(page, of.after) {
			t.Errorf("%s has no %s: %s", path, of.after, page)
		}
	}
}
