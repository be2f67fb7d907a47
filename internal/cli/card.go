package cli

import (
	"context"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"mintmark/client/admin"
	"mintmark/internal/base/prompt"
)

// CardSearch finds cards by card number.
type CardSearch struct{ Remote }

// Help returns the help text below the flags.
func (CardSearch) Help() string {
	return "A terminal does not show what is typed. The number is never an argument: other users " +
		"of the machine see those.\n\n" +
		"echo 4111 1111 1111 1111 | mintmark card search"
}

// Run prints the cards.
func (c CardSearch) Run(ctx context.Context, t Terminal) error {
	number, err := readNumber(ctx, t)
	if err != nil {
		return err
	}
	answer, err := c.ask(ctx, admin.Request{
		Method: "POST", Path: "cards/search", Body: body{"number": number},
	})
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return printRaw(t.Out, answer.Body)
	}
	return c.printItems(t, answer.Body, columnsOf("card"))
}

// readNumber reads a card number and removes spaces and hyphens.
func readNumber(ctx context.Context, t Terminal) (string, error) {
	const longest = 64
	var typed []byte
	var err error
	if file, isFile := t.In.(*os.File); isFile && term.IsTerminal(int(file.Fd())) {
		typed, err = prompt.Hidden(ctx, file, t.Err, "Card number: ")
	} else {
		typed, err = io.ReadAll(io.LimitReader(t.In, longest))
	}
	if err != nil {
		return "", newUsageError("the card number cannot be read: %w", err)
	}
	number := strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(string(typed)))
	const leastDigits, mostDigits = 13, 19
	if len(number) < leastDigits || len(number) > mostDigits ||
		strings.Trim(number, "0123456789") != "" {
		return "", newUsageError("a card number of 13 to 19 digits is needed on standard input")
	}
	return number, nil
}
