package sandboxed

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/app/demo"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/card"
	"mintmark/internal/importer/load"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// DemoAppendix returns the section of a sandbox's description that shows its demo data, in
// Markdown.
func DemoAppendix() string {
	var text strings.Builder
	text.WriteString("\n## Demo data\n\nThis page is signed in with the key `example1`. An " +
		"example first makes a card of its own, which the request then names, so it can be tried " +
		"again and again; what you have changed in a request is sent as it is.\n")
	guide := demo.ReadGuide()
	for _, part := range []struct {
		title, column string
		things        []demo.Thing
	}{
		{"Keys", "Key and secret", guide.Keys}, {"Customers", "customerId", guide.Customers},
		{"Accounts", "accountId", guide.Accounts}, {"Cards", "cardId", guide.Cards},
	} {
		fmt.Fprintf(&text, "\n<details><summary>%s</summary>\n\n| %s | |\n|---|---|\n", part.title,
			part.column)
		for _, thing := range part.things {
			fmt.Fprintf(&text, "| `%s` | %s |\n", thing.ID, thing.Is)
		}
		text.WriteString("\n</details>\n")
	}
	return text.String()
}

// demoData returns a closure that writes the demo data if there are no programs.
func demoData(keys *vault.Vault, random io.Reader) (func(store.Tx) error, error) {
	data, err := demo.Read()
	if err != nil {
		return nil, fmt.Errorf("read the demo data: %w", err)
	}
	return func(tx store.Tx) error {
		programs, err := tx.Programs().List()
		if err != nil || len(programs) > 0 {
			return err
		}
		return data.Write(tx, keys, random, card.SandboxEnding)
	}, nil
}

// demoKeys returns the API keys of the demo data, with a note on what is special about each.
func demoKeys() []wire.Key {
	var keys []wire.Key
	for _, key := range demo.Keys() {
		keys = append(keys, wire.Key{
			Name: key.Name, Secret: key.Secret.Reveal(), ProgramID: key.ProgramID,
			Version: key.Version, Note: keyNote(key),
		})
	}
	return keys
}

// keyNote describes the restrictions and settings of a key, empty for nothing special.
func keyNote(key load.KeyText) string {
	var notes []string
	if !key.Expires.IsZero() {
		notes = append(notes, "expires on "+key.Expires.Format(time.DateOnly))
	}
	if key.PerSecond > 0 {
		notes = append(notes, fmt.Sprintf("%v requests a second", key.PerSecond))
	}
	for _, prefix := range key.Allow {
		if !prefix.Addr().IsLoopback() {
			notes = append(notes, "only from "+prefix.String())
		}
	}
	if slices.Contains(key.Compatibility, apikey.EarlierClients) {
		notes = append(notes, "compatible with earlier clients")
	}
	return strings.Join(notes, ", ")
}

// Ready returns what a test needs to know of a running sandbox.
func (s *Sandbox) Ready() wire.Ready {
	keys := make(map[string]string)
	for _, key := range demo.Keys() {
		keys[key.Name] = key.Secret.Reveal()
	}
	return wire.Ready{
		URL: s.URL(), AdminURL: s.AdminURL(), Keys: keys,
		PinKey: string(s.keys.PublicPinKeyPEM()), PID: os.Getpid(),
	}
}
