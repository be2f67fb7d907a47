// Package secret holds texts that must never be printed: card numbers, PINs, API secrets. It owns
// how a secret looks in logs, errors and encodings. The package that defines a type of secret owns
// its meaning, and the vault stores it.
package secret

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// Redacted is the printed form of a secret, with every verb and encoding.
const Redacted = "***"

// Text is a secret text. A type of secret embeds it to inherit its printed forms; only Reveal shows
// the text. Two texts can be compared with ==.
//
// The text is behind a handle because fmt skips the methods of unexported fields, and of arguments
// to a wrong verb. It then prints the field itself, here an address.
type Text struct{ handle unique.Handle[string] }

// New returns the Text of a string.
func New(text string) Text { return Text{unique.Make(text)} }

// Reveal returns the text; it is empty in a zero Text.
func (t Text) Reveal() string {
	if t == (Text{}) {
		return ""
	}
	return t.handle.Value()
}

// String hides the text.
func (t Text) String() string { return Redacted }

// GoString hides the text from libraries that print Go syntax.
func (t Text) GoString() string { return Redacted }

// Format hides the text from every verb of fmt.
func (t Text) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Redacted) }

// LogValue hides the text from logs.
func (t Text) LogValue() slog.Value { return slog.StringValue(Redacted) }

// MarshalText hides the text from JSON and other encodings.
func (t Text) MarshalText() ([]byte, error) { return []byte(Redacted), nil }
