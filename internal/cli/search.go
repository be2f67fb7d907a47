package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mintmark/client/admin"
	"mintmark/internal/base/pan"
)

// searchCommand searches cards and customers.
type searchCommand struct {
	Remote
	Text    []string `arg:"" help:"An identifier, last four digits, words of a name, both together, a tag, a nickname or a telephone number."`
	Program int      `placeholder:"ID" help:"Only in this program."`
}

func (searchCommand) Help() string {
	return "A whole card number is never an argument: card search reads one.\n\n" +
		"mintmark search Silva 4454"
}

func (s searchCommand) Run(ctx context.Context, t Terminal) error {
	text := strings.Join(s.Text, " ")
	if pan.MayContainInURL(text) {
		return newUsageError("a card number must not be an argument: mintmark card search reads one")
	}
	answer, err := s.ask(ctx, pathOf("search", query("q", text, "programId", s.Program)))
	if err != nil {
		return err
	}
	if s.Output == "json" {
		return printRaw(t.Out, answer.Body)
	}
	var results struct{ Cards, Customers []json.RawMessage }
	if err := json.Unmarshal(answer.Body, &results); err != nil {
		return fmt.Errorf("%w: %w", admin.ErrBrokenAnswer, err)
	}
	if err := printTable(t.Out, columnsOf("card"), results.Cards); err != nil {
		return err
	}
	fmt.Fprintln(t.Out)
	return printTable(t.Out, columnsOf("customer"), results.Customers)
}
