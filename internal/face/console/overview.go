package console

import (
	"context"
	"net/url"
	"slices"
	"time"

	wire "mintmark/client/admin"
)

func overviewRows() []row {
	return []row{page("", "overview", "overview", overview)}
}

// overviewData is what the first page shows.
type overviewData struct {
	wire.Overview
	Total     int // cards
	InUse     int // of them Verified
	Statuses  []share
	Acts      int
	Hours     chart
	Waiting   int // orders
	Failed    int // orders that were given up
	OldestAge string
	Todo      []todo
	Latest    []event
}

// share is a status and how many cards have it.
type share struct {
	mark
	Status  string
	Count   int
	Percent string
	X, W    string // of the bar
}

// todo is something that waits for somebody.
type todo struct {
	mark
	Name, To string
	Says     string
	Next     string
}

// cardStatuses are the statuses in the order of a card's life.
var cardStatuses = []string{
	"Verified", "PendingVerification", "Initiated", "ReissuePendingVerification", "Expired",
	"Reissued", "Denied", "Archived",
}

func overview(ctx context.Context, v *visit) (overviewData, error) {
	v.crumbs("Overview")
	found, err := read[wire.Overview](ctx, v, "overview")
	if err != nil {
		return overviewData{}, err
	}
	v.Now = found.At
	data := overviewData{Overview: found, Hours: v.hours(found.Acts, found.At)}
	data.Statuses, data.Total = shares(found.Cards)
	for _, one := range found.Cards {
		if one.Name == "Verified" {
			data.InUse = one.Count
		}
	}
	for _, one := range found.Acts {
		data.Acts += one.Count
	}
	for _, one := range found.Orders {
		switch one.Name {
		case "waiting", "sent", "held":
			data.Waiting += one.Count
		case "failed":
			data.Failed += one.Count
		}
	}
	if found.Oldest != nil {
		data.OldestAge = span(found.At.Sub(*found.Oldest))
	}
	data.Todo = v.todo(data)
	if v.May("auditor") {
		v.command("audit", "list", "--limit", "8")
		latest, err := readPage[wire.Entry](ctx, v, "audit", url.Values{"limit": {"8"}})
		if err != nil {
			return data, err
		}
		for _, entry := range latest.Items {
			data.Latest = append(data.Latest, v.tell(entry))
		}
	}
	if v.May("support", "configurator", "auditor") {
		v.command("order", "list", "--state", "waiting")
	}
	return data, nil
}

// todo lists what waits for somebody, the most urgent first.
func (v *visit) todo(data overviewData) []todo {
	var all []todo
	if data.Failed > 0 {
		all = append(all, todo{
			mark: mark{"bad", "cross", "Given up"}, Name: plural(data.Failed, "order", "orders"),
			To: v.opened("orders", "state", "failed"), Says: "the card processor did not take",
			Next: "Retry or drop",
		})
	}
	if data.Failing > 0 {
		all = append(all, todo{
			mark: mark{"bad", "cross", "Failing"},
			Name: plural(data.Failing, "webhook", "webhooks"), To: v.opened("webhooks"),
			Says: "do not take their events", Next: "Deliveries",
		})
	}
	if v.frame.Waiting > 0 {
		all = append(all, todo{
			mark: mark{"warn", "half", "Approval"},
			Name: plural(v.frame.Waiting, "approval", "approvals"), To: v.opened("approvals"),
			Says: "for a second operator to decide", Next: "Decide",
		})
	}
	if data.Expiring > 0 {
		all = append(all, todo{
			mark: mark{"warn", "tri", "Ends"}, Name: plural(data.Expiring, "key", "keys"),
			To: v.opened("keys"), Says: "of callers, within 30 days", Next: "Rotate",
		})
	}
	for _, one := range data.Jobs {
		if one.Error != "" {
			all = append(all, todo{
				mark: mark{"warn", "tri", "Failed"}, Name: "Job " + one.ID, To: v.opened("jobs"),
				Says: one.Error, Next: "Jobs",
			})
		}
	}
	return all
}

// shares orders the counts of cards by status and returns their sum.
func shares(counts []wire.Count) (all []share, total int) {
	counted := map[string]int{}
	for _, one := range counts {
		counted[one.Name] += one.Count
		total += one.Count
	}
	order := slices.Clone(cardStatuses)
	for _, one := range counts {
		if !slices.Contains(order, one.Name) {
			order = append(order, one.Name)
		}
	}
	bar := newBar(total, len(order))
	for _, status := range order {
		one := share{mark: state("card", status), Status: status, Count: counted[status]}
		one.Percent = percent(one.Count, total)
		one.X, one.W = bar.next(one.Count)
		all = append(all, one)
	}
	return all, total
}

// hours draws the acts of the 24 hours until now. The interface names an hour by its beginning, and
// leaves out those in which nothing was done.
func (f *frame) hours(counts []wire.Count, now time.Time) chart {
	const shown = 24
	counted := map[int64]int{}
	for _, one := range counts {
		if at, err := time.Parse(time.RFC3339, one.Name); err == nil {
			counted[at.Unix()] += one.Count
		}
	}
	var columns []column
	for hour := range shown {
		at := now.Truncate(time.Hour).Add(time.Duration(hour+1-shown) * time.Hour)
		columns = append(columns, column{
			Name: at.In(f.Zone).Format("15:04"), Count: counted[at.Unix()],
		})
	}
	return newChart("Acts by the hour", columns)
}
