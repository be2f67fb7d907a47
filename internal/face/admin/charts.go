package admin

import (
	"context"
	"slices"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/charts"
)

// Period is the period that a chart covers.
type Period struct {
	Name, Label string
	Hours       int
}

// Periods lists the periods of every chart. The first is the default.
var Periods = []Period{{"24h", "24 hours", 24}, {"7d", "7 days", 7 * 24}, {"30d", "30 days", 30 * 24}}

func (d *Desk) charts() *Resource {
	var names, periods []string
	for _, c := range charts.Charts {
		names = append(names, c.Name)
	}
	for _, p := range Periods {
		periods = append(periods, p.Name)
	}
	return &Resource{
		Noun: "chart", Path: "charts", Item: "charts/{name}",
		ID:   Param{Name: "name", Help: "Name of the chart: " + strings.Join(names, ", ") + "."},
		Help: "Counts by the hour.",
		Fields: []Field{
			{Name: "name", Label: "Name", On: Shown},
			{Name: "from", Label: "Beginning of the first hour", On: Shown},
			{Name: "series", Label: "Series", On: Shown, Help: "The counts of each hour, the running " +
				"one last. An hour of orders and orderAge has the greatest value that was measured " +
				"in it, every 10 seconds."},
		},
		Show: get(Op{
			Summary: "Read the counts of a chart by the hour",
			Example: "mintmark chart get authorizations --period 7d",
			Filters: []Field{
				{Name: "period", Label: "Period", Help: strings.Join(periods, ", ") + "; 24h where " +
					"it is left out"},
				{Name: "programId", Label: "Program", Help: "of a program"},
				{Name: "webhookId", Label: "Webhook", Help: "of a webhook; deliveries only"},
				{Name: "key", Label: "Key", Help: "of a key of the program; requests only"},
			},
		}, d.readChart),
	}
}

func (d *Desk) readChart(ctx context.Context, c *call) (wire.Chart, error) {
	chart, ok := charts.Find(c.params["name"])
	if !ok {
		return wire.Chart{}, web.NotFound()
	}
	query := charts.Query{
		Chart: chart, Hours: Periods[0].Hours, ProgramID: c.number("programId"),
	}
	if name := c.query.Get("period"); name != "" {
		i := slices.IndexFunc(Periods, func(p Period) bool { return p.Name == name })
		if i < 0 {
			return wire.Chart{}, invalidQuery("period", "must be 24h, 7d or 30d")
		}
		query.Hours = Periods[i].Hours
	}
	if err := d.chooseItem(ctx, c, &query); err != nil {
		return wire.Chart{}, err
	}
	picture, err := d.acts.Charts.Read(ctx, c.who, query)
	if err != nil {
		return wire.Chart{}, err
	}
	shown := wire.Chart{Name: query.Name, From: picture.From}
	for i, name := range query.Series {
		series := wire.ChartSeries{Name: name, Counts: picture.Counts[i]}
		for _, count := range series.Counts {
			if query.Gauge {
				series.Total = max(series.Total, count)
			} else {
				series.Total += count
			}
		}
		shown.Series = append(shown.Series, series)
	}
	return shown, nil
}

// chooseItem restricts a chart to the webhook or key in the request.
func (d *Desk) chooseItem(ctx context.Context, c *call, query *charts.Query) error {
	webhookID, key := c.number("webhookId"), c.query.Get("key")
	switch {
	case webhookID != 0 && query.Of != "webhook":
		return invalidQuery("webhookId", "applies to the chart deliveries only")
	case key != "" && query.Of != "key":
		return invalidQuery("key", "applies to the chart requests only")
	case webhookID != 0:
		hook, err := d.acts.Events.Webhook(ctx, c.who, webhookID)
		query.ProgramID, query.Item = hook.ProgramID, strconv.Itoa(webhookID)
		return err
	case key != "" && query.ProgramID == 0:
		return invalidQuery("programId", "is required beside a key")
	case key != "":
		of, err := d.acts.Keys.Key(ctx, c.who, query.ProgramID, key)
		query.Item = of.Name
		return err
	}
	return nil
}
