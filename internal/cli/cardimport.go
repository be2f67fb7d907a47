package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"mintmark/client/admin"
	"mintmark/internal/base/agefile"
)

// CardImport sends cards that were issued elsewhere to a service. With --plain it also accepts card
// numbers in the clear.
type CardImport struct {
	Remote
	DryRun bool     `name:"dry-run" help:"Check the file, and write nothing."`
	Accept []string `help:"Allow a change that loses data, by the name in the refusal." placeholder:"LOSS"`
	File   string   `arg:"" help:"File with the cards, a JSON object a line; - reads standard input."`
}

// ErrPlain rejects card numbers that are readable on a disk or a screen.
var ErrPlain = errors.New("the card numbers are not encrypted: encrypt the file with age, to the " +
	"recipient that mintmark key-file recipient prints, or use --plain")

// Checked returns ErrPlain if the card numbers are in the clear: in a file, or in standard input
// that is a file or a keyboard. It accepts pipes, and with --plain everything. The input of the
// returned terminal is still complete.
func (i CardImport) Checked(t Terminal) (Terminal, error) { return i.checked(t, i.File) }

func (r Remote) checked(t Terminal, name string) (Terminal, error) {
	if r.Plain {
		return t, nil
	}
	in := t.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return t, newUsageError("%w", err)
		}
		defer file.Close()
		in = file
	}
	if file, ok := in.(*os.File); ok {
		info, err := file.Stat()
		if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
			return t, err
		}
		if term.IsTerminal(int(file.Fd())) {
			return t, ErrPlain
		}
	}
	text := bufio.NewReader(in)
	beginning, err := text.Peek(agefile.Beginning)
	if err != nil && !errors.Is(err, io.EOF) {
		return t, err
	}
	if len(beginning) > 0 && !agefile.IsEncrypted(beginning) {
		return t, ErrPlain
	}
	if name == "-" {
		t.In = text
	}
	return t, nil
}

// Run sends the file and prints the report.
func (i CardImport) Run(ctx context.Context, t Terminal) error {
	t, err := i.Checked(t)
	if err != nil {
		return err
	}
	request := pathOf("card-imports", query("accept", strings.Join(i.Accept, ",")))
	request.DryRun = i.DryRun
	text, err := i.sendRows(ctx, t, i.File, request)
	if err != nil {
		return err
	}
	report, err := printed[admin.CardImport](i.Remote, t, text)
	if err != nil {
		return err
	}
	PrintApplied(t, i.DryRun, report.Source, report.Sequence, report.After, report.Repeated)
	return nil
}
