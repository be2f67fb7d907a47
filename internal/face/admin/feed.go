package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/face/web"
	"mintmark/internal/importer"
	"mintmark/internal/importer/feed"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// rowsType is the media type of rows, one JSON object per line.
const rowsType = "application/x-ndjson"

// maxFeedBytes is the limit of a file of rows: some millions of them.
const maxFeedBytes = 1 << 30

// feed accepts rows, which name their program.
func (d *Desk) feed() *Resource {
	return &Resource{
		Path: "feed", Roles: configuratorRoles,
		Fields: []Field{
			{Name: "sequence", Label: "Sequence of the rows", On: Shown},
			{Name: "repeated", Label: "Repeated", On: Shown,
				Help: "The rows were applied before, and nothing was done."},
			{Name: "after", Label: "Line after which the run continued", On: Shown,
				Help: "An earlier request was interrupted there."},
			{Name: "erased", Label: "Rows about erased customers, which were left out", On: Shown},
			{Name: "customers", Label: "Rows about customers", On: Shown},
			{Name: "accounts", Label: "Rows about accounts", On: Shown},
			{Name: "access", Label: "Rows about access", On: Shown},
			{Name: "balances", Label: "Rows about balances", On: Shown},
			{Name: "totals", Label: "Control totals of the rows and those stored", On: Shown},
			{Name: "moreChanges", Label: "Changes of a dry run that are not listed", On: Shown},
		},
		Create: uploadLong(Op{
			Summary: "Apply rows of a core banking system",
			Filters: []Field{{Name: "accept", Label: "Accepted losses",
				Help: "accepted losses, separated by commas: " +
					strings.Join(feed.DestructiveChanges.Names(), ", ")}},
		}, rowsType, maxFeedBytes, d.applyRows),
	}
}

// feeds shows the progress of each source that feeds a program.
func (d *Desk) feeds() *Resource {
	return &Resource{
		Noun: "program", Path: "programs/{id}/feeds",
		In:      Param{Name: "id", Help: "Number of the program.", Number: true},
		Roles:   configuratorRoles,
		Columns: []string{"source", "sequence", "running", "line", "changed"},
		Fields: []Field{
			{Name: "sequence", Label: "Sequence applied last", On: Shown, Help: "0 before the first."},
			{Name: "running", Label: "Sequence applied in part", On: Shown},
			{Name: "line", Label: "Line up to which it is applied", On: Shown},
			{Name: "changed", Label: "Last changed", On: Shown},
			{Name: "last", Label: "Last report", On: Shown},
		},
		List: list(Op{
			Name: "feeds", Summary: "List the sources that feed a program, with their progress",
			Example: "mintmark program feeds 1",
		}, d.listFeeds),
	}
}

func (d *Desk) applyRows(
	ctx context.Context, c *call, from io.Reader,
) (wire.FeedReport, []wire.Change, error) {
	var accept []string
	if text := c.query.Get("accept"); text != "" {
		accept = strings.Split(text, ",")
	}
	if unknown := feed.DestructiveChanges.Unknown(accept); unknown != "" {
		return wire.FeedReport{}, nil, invalidQuery("accept",
			"has unknown names: "+unknown)
	}
	file, err := d.receive(ctx, "feed", c, from)
	if err != nil {
		return wire.FeedReport{}, nil, err
	}
	told := changeLog{all: []wire.Change{}}
	report, err := d.acts.Customers.Feed(ctx, c.who, file, accept, told.add)
	if err := errors.Join(err, file.Close(), told.err); err != nil {
		return wire.FeedReport{}, nil, feedProblem(err)
	}
	shown := showReport(report)
	shown.MoreChanges = told.more
	if c.who.DryRun { // it shows current data of customers
		err = d.acts.PutRead(ctx, audit.Entry{
			Actor: c.who.Actor, Act: "feed", Outcome: issuing.OutcomeRead,
			After: audit.Members("customers", strconv.Itoa(shown.Customers.Changed)),
		}, []int{report.ProgramID})
	}
	return shown, told.all, err
}

// spoolAgain is the Retry-After of an upload for which there is no room.
const spoolAgain = 10 * time.Second

// spool stores rows on disk while they arrive. It accepts one request at a time from the operators
// with the same banks, so that a slow sender delays no other bank.
func (d *Desk) spool(name string, c *call, from io.Reader) (*importer.Rows, error) {
	banks := fmt.Sprint(slices.Compact(slices.Sorted(slices.Values(c.Scope.Banks)))) // none: all
	if _, busy := d.spooling.LoadOrStore(banks, true); busy {
		return nil, web.Unavailable("Other rows are being received. Nothing was changed.", spoolAgain)
	}
	defer d.spooling.Delete(banks)
	rows, err := importer.SpoolRows(name, d.about.Spool, from, c.request.Length)
	if errors.Is(err, importer.ErrNoRoom) {
		return nil, web.Unavailable("The disk of the server has no room for the rows. Nothing was "+
			"changed.", spoolAgain)
	}
	return rows, err
}

// receive is spool followed by authorizeAgain: a long upload may outlast the operator's rights.
func (d *Desk) receive(
	ctx context.Context, name string, c *call, from io.Reader,
) (*importer.Rows, error) {
	rows, err := d.spool(name, c, from)
	if err != nil {
		return nil, err
	}
	if err := d.authorizeAgain(ctx, c); err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return rows, nil
}

// authorizeAgain checks the operator's current rights after a long upload.
func (d *Desk) authorizeAgain(ctx context.Context, c *call) error {
	now, active, err := d.tokens.Current(ctx, c.Identity)
	if err != nil {
		return err
	}
	if !active || !c.row.allows(now.Roles) {
		return notAllowed(c.row)
	}
	c.Identity, c.who.Roles, c.who.Scope = now, now.Roles, now.Scope
	return nil
}

// maxChanges is the maximum number of changes that a dry run lists.
const maxChanges = 1000

// changeLog collects the changes of a dry run.
type changeLog struct {
	all  []wire.Change
	more int
	err  error
}

func (t *changeLog) add(c feed.Change) {
	if len(t.all) == maxChanges {
		t.more++
		return
	}
	if c.Path == "birthDate" { // never returned
		c.From, c.To = "***", "***"
	}
	from, err := json.Marshal(c.From)
	to, err2 := json.Marshal(c.To)
	t.err = errors.Join(t.err, err, err2)
	pointer := "/" + c.List + "/" + c.Name
	if c.Path != "" {
		pointer += "/" + strings.ReplaceAll(c.Path, ".", "/")
	}
	t.all = append(t.all, wire.Change{Pointer: pointer, From: from, To: to})
}

// feedProblem returns the problem of rejected rows.
func feedProblem(err error) error {
	sequence := (*feed.SequenceError)(nil)
	switch {
	case errors.As(err, &sequence):
		return web.Conflict(sequence.Text)
	case errors.Is(err, feed.ErrTakenOver):
		return web.Conflict("The same file was sent again meanwhile, and that request goes on.")
	}
	return rowsProblem(err)
}

// rowsProblem returns the problem of invalid rows. The pointer to a member begins with the number
// of its line.
func rowsProblem(err error) error {
	rows := (*importer.Problems)(nil)
	if !errors.As(err, &rows) {
		return err
	}
	var problems problem.List
	for _, p := range rows.List {
		problems.Add(problem.Join(strconv.Itoa(p.Line), p.Path), "%s", p.Text)
	}
	if rows.More > 0 {
		problems.Add("", "and %d more", rows.More)
	}
	return web.Invalid(problems)
}

func showReport(r *feed.Report) wire.FeedReport {
	shown := wire.FeedReport{
		Source: r.Source, ProgramID: r.ProgramID, Sequence: r.Sequence, Digest: r.Digest,
		Repeated: r.Repeated, After: r.After, Erased: r.Erased,
		Customers: showTally(r, "customers"), Accounts: showTally(r, "accounts"),
		Access: showTally(r, "access"), Balances: showTally(r, "balances"),
	}
	if t := r.Totals; t != nil {
		shown.Totals = &wire.FeedTotals{
			Differ:   r.Differs(),
			Accounts: wire.FeedAccounts{Core: t.Accounts.Core, Here: t.Accounts.Here},
			Balance: wire.FeedBalance{
				Core: json.Number(t.Balance.Core.String()),
				Here: json.Number(t.Balance.Here.String()),
			},
		}
	}
	return shown
}

func showTally(r *feed.Report, list string) wire.FeedTally {
	if tally := r.Counts[list]; tally != nil {
		return wire.FeedTally(*tally)
	}
	return wire.FeedTally{}
}

func (d *Desk) listFeeds(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Feed, string, error) {
	feeds, last, err := d.acts.Customers.Feeds(ctx, c.who, c.id("id"), page)
	if err != nil {
		return nil, "", err
	}
	var shown []wire.Feed
	for _, f := range feeds {
		as, err := showFeed(f)
		if err != nil {
			return nil, "", err
		}
		shown = append(shown, as)
	}
	return shown, last, nil
}

func showFeed(f store.Feed) (wire.Feed, error) {
	shown := wire.Feed{
		Source: f.Source, ProgramID: f.ProgramID, Sequence: f.Sequence, Running: f.Running,
		Line: f.Line, Digest: f.Digest, Changed: f.Changed,
	}
	if len(f.Report) == 0 {
		return shown, nil
	}
	var report feed.Report
	if err := json.Unmarshal(f.Report, &report); err != nil {
		return shown, fmt.Errorf("read the report of %s %d: %w", f.Source, f.Sequence, err)
	}
	report.Head = feed.Head{Source: f.Source, ProgramID: f.ProgramID, Sequence: f.Sequence}
	last := showReport(&report)
	shown.Last = &last
	return shown, nil
}
