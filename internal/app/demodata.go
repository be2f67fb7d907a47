package app

import (
	"fmt"
	"io"
	"strings"

	"mintmark/internal/app/demo"
	"mintmark/internal/domain/card"
	"mintmark/internal/face/console"
	"mintmark/internal/face/reference"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// referenceForOperators is the description of the callers' interface on the operators' address.
func (a *App) referenceForOperators() reference.Page {
	shown := reference.Page{
		Server: a.publicURL, Tryable: a.Sandbox,
		Links: []reference.Link{
			{To: reference.OperatorsDocsPath, Text: "Operators' interface"},
			{To: console.Prefix, Text: "Console"},
		},
	}
	if a.Sandbox {
		shown.Appendix = demoAppendix()
		shown.Links = append(shown.Links, reference.Link{To: console.Prefix + "sandbox", Text: "World and clock"})
	}
	return shown
}

// demoAppendix is the section of a sandbox's description that shows its demo data, in Markdown.
func demoAppendix() string {
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
		for _, one := range part.things {
			fmt.Fprintf(&text, "| `%s` | %s |\n", one.ID, one.Is)
		}
		text.WriteString("\n</details>\n")
	}
	return text.String()
}

// demoData returns what writes the demo data where there are no programs.
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
