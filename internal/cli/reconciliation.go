package cli

import (
	"context"
	"errors"

	"mintmark/client/admin"
)

// reconciliationByHand holds the commands whose exit code reports differences.
type reconciliationByHand struct {
	Run reconciliationRun `cmd:"" help:"Compare a list with the stored data."`
	Get reconciliationGet `cmd:"" help:"Print the report of a comparison, with the differences."`
}

// ErrDifferences reports that a list and the stored data differ.
var ErrDifferences = errors.New("there are differences")

type reconciliationRun struct {
	Remote
	DryRun bool   `name:"dry-run" help:"Compare, and keep no report."`
	File   string `arg:"" help:"File with the list, a JSON object a line; - reads standard input."`
}

func (reconciliationRun) Help() string {
	return "Each line of a list is a JSON object. The first names the kind, the program and the " +
		"moment of the list; the others ascend by number:\n\n" +
		`  {"kind":"cards","programId":1,"at":"2026-03-14T03:00:00Z"}` + "\n" +
		`  {"cardId":5001,"state":"open","lastFour":"1234"}` + "\n" +
		`  {"totals":{"cards":1}}` + "\n\n" +
		"The exit code is 1 when there are differences. docs/data.md tells what each " +
		"means, and who acts.\n\n" +
		"mintmark reconciliation run cards.jsonl"
}

func (r reconciliationRun) Run(ctx context.Context, t Terminal) error {
	request := admin.Request{Path: "reconciliations", DryRun: r.DryRun}
	text, err := r.sendRows(ctx, t, r.File, request)
	if err != nil {
		return err
	}
	return r.report(t, text)
}

// report prints a report, and returns ErrDifferences if it has any.
func (r Remote) report(t Terminal, text []byte) error {
	report, err := printed[admin.Reconciliation](r, t, text)
	if err != nil {
		return err
	}
	if report.MoreDifferences > 0 {
		t.say("There are %d more differences.", report.MoreDifferences)
	}
	if report.Different > 0 {
		return ErrDifferences
	}
	return nil
}

type reconciliationGet struct {
	Remote
	ID int `arg:"" help:"Number of the report."`
}

func (reconciliationGet) Help() string {
	return "The exit code is 1 when there are differences.\n\n" +
		"mintmark reconciliation get 1"
}

func (r reconciliationGet) Run(ctx context.Context, t Terminal) error {
	answer, err := r.ask(ctx, pathOf(path("reconciliations", r.ID), nil))
	if err != nil {
		return err
	}
	return r.report(t, answer.Body)
}
