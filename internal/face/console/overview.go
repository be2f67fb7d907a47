package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

func overviewRows() []row {
	return []row{page("", "overview", "overview", overview)}
}

type overviewData struct {
	wire.Overview
	Of        int // program of the figures; 0 for all
	Total     int // cards
	InUse     int // cards with the status Verified
	Statuses  []share
	Acts      int
	Plots     []plot
	Waiting   int // orders to send
	Sent      int // orders that the processor accepted but has not carried out
	Held      int // orders
	Failed    int // orders that were given up
	OldestAge string
	Lines     []attentionLine
	Decided   []approvalLine // the operator's own requests that were decided lately
	Setup     []setupStep    // hides Overview.Setup; empty once all steps are done
	Ready     int            // steps that are done
	Latest    []event

	ToWebhooks, ToKeys string // lists of the program alone
}

// share is a status with its number of cards.
type share struct {
	mark
	Status  string
	Count   int
	Percent string
	X, W    string // position and width in the bar
}

// attentionLine is something that needs attention, with the page where an operator deals with it.
type attentionLine struct {
	mark
	Name, To, Says string
	Program        string // set if there are several
	At             moment // start of the problem, or its deadline
	Age            string
	Next           string // label of the button
}

// scopeOfProgram in the address limits the figures to the program of the page.
const scopeOfProgram = "program"

// cardStatuses are the statuses of cards in the order of their display.
var cardStatuses = []string{
	"Verified", "PendingVerification", "Initiated", "ReissuePendingVerification", "Expired",
	"Reissued", "Denied", "Archived",
}

func overview(ctx context.Context, v *visit) (overviewData, error) {
	v.crumbs("Overview")
	query, command := url.Values{}, "overview"
	of := v.scope()
	if of != 0 && len(v.Programs) > 1 {
		query.Set("programId", itoa(of))
		command += " --program " + itoa(of)
	}
	v.command(command)
	o, err := valueOf[wire.Overview](v.do(ctx, admin.Request{
		Method: http.MethodGet, Path: "overview", Query: query,
	}))
	if err != nil {
		return overviewData{}, err
	}
	v.Now = o.At
	data := overviewData{Overview: o, Of: of}
	data.Statuses, data.Total = shares(o.Cards)
	for _, n := range o.Cards {
		if n.Name == "Verified" {
			data.InUse = n.Count
		}
	}
	for _, n := range o.Acts {
		data.Acts += n.Count
	}
	for _, n := range o.Orders {
		switch n.Name {
		case "waiting":
			data.Waiting += n.Count
		case "sent":
			data.Sent += n.Count
		case "held":
			data.Held += n.Count
		case "failed":
			data.Failed += n.Count
		}
	}
	if o.Oldest != nil {
		data.OldestAge = span(o.At.Sub(*o.Oldest))
	}
	data.Lines = v.attention(o.Attention)
	if of != 0 {
		data.ToWebhooks = v.opened("webhooks", "programId", itoa(of))
		data.ToKeys = v.opened("keys", "programId", itoa(of))
	}
	data.Setup = v.setup(o.Setup)
	for _, step := range o.Setup {
		if step.Done {
			data.Ready++
		}
	}
	if data.Ready == len(data.Setup) {
		data.Setup = nil
	}
	if err := v.plotDay(ctx, &data); err != nil {
		return data, err
	}
	data.Decided, err = v.decidedLately(ctx)
	if err != nil {
		return data, err
	}
	if v.May("auditor") {
		v.command("audit", "list", "--limit", "8")
		query.Set("limit", itoa(latestRead))
		latest, err := readPage[wire.Entry](ctx, v, "audit", query)
		if err != nil {
			return data, err
		}
		for _, entry := range latest.Items {
			if !v.isOwnRead(entry) && len(data.Latest) < latestShown {
				data.Latest = append(data.Latest, v.tell(entry))
			}
		}
	}
	if v.May("support", "configurator", "auditor") {
		v.command("order", "list", "--state", "waiting")
	}
	return data, nil
}

// plotDay adds the charts of the day.
func (v *visit) plotDay(ctx context.Context, data *overviewData) error {
	if len(data.Setup) > 0 {
		return nil
	}
	shown, err := v.plots(ctx, programQuery(data.Of), "authorizations", "orderAge", "deliveries")
	data.Plots = append(shown.Plots, v.hours(data.Overview.Acts, data.At))
	return err
}

// The overview shows the latestShown newest acts out of latestRead, without the operator's own
// reads.
const latestShown, latestRead = 8, 100

func (v *visit) isOwnRead(entry wire.Entry) bool {
	return kindOf(entry) == readsKind && entry.Actor.Kind == v.who.Kind() && entry.Actor.Name == v.who.Name
}

// attention returns the lines about what is wrong now.
func (v *visit) attention(all []wire.Attention) []attentionLine {
	var lines []attentionLine
	for _, a := range all {
		line := v.attentionLine(a)
		if a.ProgramID != 0 && len(v.Programs) > 1 {
			line.Program = v.ProgramName(a.ProgramID)
		}
		lines = append(lines, line)
	}
	return lines
}

// attentionLine returns the line about one problem.
func (v *visit) attentionLine(a wire.Attention) attentionLine {
	program := itoa(a.ProgramID) // or allPrograms
	line := attentionLine{mark: mark{"bad", "cross", "Failing"}}
	if a.Since != nil {
		line.At, line.Age = v.Recent(*a.Since), span(v.Now.Sub(*a.Since))
	}
	switch a.Kind {
	case "openLocks":
		line.mark.Text, line.Next = "Not locked at the processor", "Orders"
		line.Name = plural(a.Count, "card", "cards")
		line.Says = "locked here; the card processor has not confirmed the lock"
		line.To = v.opened("orders", "programId", program, "state", a.Detail)
	case "processor":
		line.mark.Text, line.Next = "Processor", "Orders"
		line.Name, line.Says = plural(a.Count, "order waits", "orders wait"), "processor.kind is not set: no order is sent"
		line.To = v.opened("orders", "programId", program, "state", "waiting")
	case "program":
		line.mark.Text, line.Next = "Fenced", "Program"
		line.Name, line.Says = "Program "+a.Name, "callers and the card processor are answered 503"
		line.To = v.openedAt("programs", "programs/"+a.ID, "programId", program)
	case "webhook":
		line.Name, line.Next = "Webhook "+a.Name, "Deliveries"
		line.Says = plural(a.Count, "event not delivered", "events not delivered")
		switch {
		case strings.HasPrefix(a.Detail, "2"): // an HTTP status
			line.Says = "last attempt succeeded, " + line.Says
		case a.Detail != "":
			line.Says = answerText(a.Detail) + ", " + line.Says
		}
		line.To = v.openedAt("webhooks", "webhooks/"+a.ID, "programId", program)
	case "failedOrders":
		line.mark.Text, line.Next = "Failed", "Retry or drop"
		line.Name = plural(a.Count, "order", "orders")
		line.Says = "refused by the card processor, given up, or without its PIN"
		line.To = v.opened("orders", "programId", program, "state", "failed")
	case "unreachedOrders":
		line.mark.Text, line.Next = "Processor", "Orders"
		line.Name = plural(a.Count, "order", "orders")
		line.Says = "the card processor cannot be reached"
		line.To = v.opened("orders", "programId", program, "state", "waiting")
	case "compromise":
		line.mark = mark{"warn", "half", "Paused"}
		line.Name, line.Next = "Compromise "+a.Name, "Resume"
		line.Says = a.Detail + ", " + plural(a.Count, "card waits", "cards wait")
		line.To = v.openedAt("compromises", "compromises/"+a.ID, "programId", program)
	case "reconciliation":
		line.mark.Text, line.Next = "Differs", "Reconciliation"
		line.Name = "Reconciliation of " + a.Name
		line.Says = plural(a.Count, "difference", "differences")
		line.To = v.openedAt("reconciliations", "reconciliations/"+a.ID, "programId", program)
	case "declines":
		line.mark.Text, line.Next = "Declined", "Declines"
		line.Name = plural(a.Count, "authorization", "authorizations")
		line.Says = declineText(a.ID) + ", last 2 hours"
		line.To = v.opened("authorizations", "programId", program, "reason", a.ID)
	case "job":
		line.mark.Text, line.Next = "Failing", "Job"
		line.Name, line.Says = "Job “"+capital(a.ID)+"”", a.Detail
		line.To = v.openedAt("jobs", v.Named("jobs/", a.ID))
	case "backup":
		line.mark = mark{"warn", "tri", "Backup"}
		line.Name, line.Next = "No mintmark backup for two days", "Audit"
		line.Says = "Mintmark does not know of backups by other programs"
		line.To = v.opened("audit", "programId", "", "act", "backup")
	case "approval":
		line.mark = mark{"warn", "half", "Approval"}
		line.Name, line.Next = "Approval "+a.ID, "Decide"
		for _, waits := range v.waiting {
			if subject := subjectOf(waits); itoa(waits.ID) == a.ID && subject != waits.Subject {
				a.Detail = waits.Act + " " + subject
			}
		}
		line.Says, line.To = a.Name+" requests: "+requestText(a.Detail), v.openedAt("approvals", "approvals/"+a.ID)
	case "key":
		line.mark = mark{"warn", "tri", "Ends"}
		line.Name, line.Next = "Key "+a.Name, "Rotate"
		line.To = v.openedAt("keys", v.Named("keys/", a.ID), "programId", program)
		if a.Until != nil {
			line.At, line.Age = v.Recent(*a.Until), v.Ago(*a.Until)
		}
	}
	return line
}

// ProgramName returns the name of a program in scope.
func (f *frame) ProgramName(id int) string {
	for _, p := range f.Programs {
		if p.ID == id {
			return p.Name
		}
	}
	return "program " + itoa(id)
}

// decimalsOf returns the decimal places of the amounts of a program in scope, otherwise 0.
func (f *frame) decimalsOf(programID int) int {
	for _, p := range f.Programs {
		if p.ID == programID {
			return p.DecimalCount
		}
	}
	return 0
}

// shares returns the number of cards by status, in order, and the total.
func shares(counts []wire.Count) (all []share, total int) {
	counted := map[string]int{}
	for _, n := range counts {
		counted[n.Name] += n.Count
		total += n.Count
	}
	order := slices.Clone(cardStatuses)
	for _, n := range counts {
		if !slices.Contains(order, n.Name) {
			order = append(order, n.Name)
		}
	}
	bar := newBar(total, len(order))
	for _, status := range order {
		s := share{mark: state("card", status), Status: status, Count: counted[status]}
		s.Percent = percent(s.Count, total)
		s.X, s.W = bar.next(s.Count)
		all = append(all, s)
	}
	return all, total
}

// hours draws the acts of the last 24 hours. The interface names an hour by its beginning and omits
// hours without acts.
func (f *frame) hours(counts []wire.Count, now time.Time) plot {
	const shown = 24
	from := now.Truncate(time.Hour).Add((1 - shown) * time.Hour)
	acts := make([]int, shown)
	for _, n := range counts {
		at, err := time.Parse(time.RFC3339, n.Name)
		if hour := int(at.Sub(from) / time.Hour); err == nil && hour >= 0 && hour < shown {
			acts[hour] += n.Count
		}
	}
	return newPlot(plotSpec{
		id: "acts", title: "Activity by hour", empty: "No activity yet.", write: count,
		series: []plotSeries{{mark{"info", "ring", "Acts"}, acts}},
	}, from, f.Zone)
}
