package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"mintmark/client/admin"
)

// reconciliationCommands compare what others have with what is kept.
type reconciliationCommands struct {
	Run    reconciliationRun    `cmd:"" help:"Compare a list with what is kept."`
	List   reconciliationList   `cmd:"" help:"List what came of comparing lists."`
	Get    reconciliationGet    `cmd:"" help:"Print what came of comparing a list, with the differences."`
	Orders reconciliationOrders `cmd:"" help:"Count the orders of a span, and name those that the processor has not answered."`
}

// ErrDifferences says that a list and what is kept differ.
var ErrDifferences = errors.New("there are differences")

// reconciliationRun compares a list.
type reconciliationRun struct {
	Remote
	DryRun bool   `name:"dry-run" help:"Compare, and keep no report."`
	File   string `arg:"" help:"File with the list, a JSON object a line; - reads standard input."`
}

// Help is printed below the flags.
func (reconciliationRun) Help() string {
	return "Each line of a list is a JSON object. The first says what the list holds, of which " +
		"program, and as of when; the others ascend by their numbers:\n\n" +
		`  {"kind":"cards","programId":1,"at":"2026-03-14T03:00:00Z"}` + "\n" +
		`  {"cardId":5001,"state":"open","lastFour":"1234"}` + "\n" +
		`  {"totals":{"cards":1}}` + "\n\n" +
		"The exit code is 1 when there are differences. docs/data.md tells what each " +
		"means, and who acts.\n\n" +
		"mintmark reconciliation run cards.jsonl"
}

// Run sends the list, and prints the report.
func (r reconciliationRun) Run(ctx context.Context, t Terminal) error {
	request := admin.Request{Path: "reconciliations", DryRun: r.DryRun}
	text, err := r.sendRows(ctx, t, r.File, request)
	if err != nil {
		return err
	}
	return r.report(t, text)
}

// report prints a report, and says whether there are differences.
func (r Remote) report(t Terminal, text []byte) error {
	var report admin.Reconciliation
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("%w: %w", admin.ErrBrokenAnswer, err)
	}
	if err := r.print(t, admin.Answer{Body: text}); err != nil {
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

// reconciliationList lists reports.
type reconciliationList struct {
	Listing
	Program int    `placeholder:"ID" help:"Of a program." group:"Filter"`
	Kind    string `placeholder:"KIND" help:"Of a kind of list: cards or balances." group:"Filter"`
}

func (reconciliationList) Help() string { return "mintmark reconciliation list --kind cards" }

func (r reconciliationList) Run(ctx context.Context, t Terminal) error {
	return r.list(ctx, t, "reconciliations", query("programId", r.Program, "kind", r.Kind),
		columns[admin.Reconciliation]("id", "programId", "kind", "at", "made", "by", "compared",
			"equal", "inFlight", "different"))
}

// reconciliationGet prints a report.
type reconciliationGet struct {
	Remote
	ID int `arg:"" help:"Number of the report."`
}

func (reconciliationGet) Help() string {
	return "The exit code is 1 when there are differences.\n\n" +
		"mintmark reconciliation get 1"
}

func (r reconciliationGet) Run(ctx context.Context, t Terminal) error {
	client, err := r.client()
	if err != nil {
		return err
	}
	answer, err := client.Send(ctx, admin.Request{
		Method: "GET", Path: path("reconciliations", strconv.Itoa(r.ID)),
	})
	if err != nil {
		return err
	}
	return r.report(t, answer.Body)
}

// reconciliationOrders reports on orders.
type reconciliationOrders struct {
	Remote
	Program int    `required:"" placeholder:"ID" help:"Of this program."`
	From    string `placeholder:"MOMENT" help:"From a moment (RFC 3339), a day, or so long ago, such as 24h; a day before the end unless given."`
	To      string `placeholder:"MOMENT" help:"Until a moment; now unless given."`
}

func (reconciliationOrders) Help() string {
	return "It counts the orders that were written in the span by their kinds and states, and " +
		"names those that failed, and those that the processor has not answered for more than " +
		"an hour. A span has 31 days at most.\n\n" +
		"mintmark reconciliation orders --program 1 --from 2026-03-14 --to 2026-03-15"
}

func (r reconciliationOrders) Run(ctx context.Context, t Terminal) error {
	from, err := moment("--from", r.From)
	if err != nil {
		return err
	}
	to, err := moment("--to", r.To)
	if err != nil {
		return err
	}
	client, err := r.client()
	if err != nil {
		return err
	}
	request := pathOf(path("programs", strconv.Itoa(r.Program), "order-report"),
		query("from", from, "to", to))
	request.Method = "GET"
	answer, err := client.Send(ctx, request)
	if err != nil {
		return err
	}
	return r.print(t, answer)
}
