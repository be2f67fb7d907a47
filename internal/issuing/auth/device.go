package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"strconv"
	"strings"

	"mintmark/internal/base/secret"
)

// NewDevice returns the text by which a browser is recognised after an operator has signed in
// there. It grants no access: failed sign-ins of a known browser are counted separately, so that
// the failures of strangers neither block nor slow it.
func (o *Operators) NewDevice(operatorID int) (secret.Text, error) {
	drawn, err := NewText(rand.Reader, "")
	if err != nil {
		return secret.Text{}, err
	}
	return secret.New(drawn.Reveal() + "." + o.signDevice(drawn.Reveal(), operatorID)), nil
}

// Knows reports whether an operator has signed in from a browser.
func (o *Operators) Knows(device secret.Text, operatorID int) bool {
	_, ok := o.device(device, operatorID)
	return ok
}

// device returns the name under which the attempts of an operator's known browser are counted. ok
// is false for a browser that the operator has not signed in from.
func (o *Operators) device(text secret.Text, operatorID int) (name string, ok bool) {
	drawn, signature, _ := strings.Cut(text.Reveal(), ".")
	ok = hmac.Equal([]byte(signature), []byte(o.signDevice(drawn, operatorID)))
	return "device " + drawn, ok
}

func (o *Operators) signDevice(drawn string, operatorID int) string {
	digest := o.vault.DigestSecret(deviceUse + strconv.Itoa(operatorID) + " " + drawn)
	return base64.RawURLEncoding.EncodeToString(digest)
}
