package console

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

func activityRows() []row {
	return []row{page("activity", "activity", "activity", activity)}
}

// plotted is the part of a page that shows charts of a period.
type plotted struct {
	Periods []option
	Plots   []plot
}

type activityData struct {
	plotted
	Of int // program of the charts; 0 for all
}

// activityCharts are the charts of the page, in order.
var activityCharts = []string{
	"authorizations", "orders", "orderAge", "deliveries", "cards", "requests",
}

func activity(ctx context.Context, v *visit) (activityData, error) {
	v.crumbs("Activity")
	shown := activityData{Of: v.scope()}
	var err error
	shown.plotted, err = v.plots(ctx, programQuery(shown.Of), activityCharts...)
	return shown, err
}

// scope returns the program whose figures a page shows, or 0 for all programs in scope. Times of
// these are in their common zone.
func (v *visit) scope() int {
	if v.Program != nil && (v.Asked("scope") == scopeOfProgram || len(v.Programs) == 1) {
		return v.Program.ID
	}
	v.Zone = v.commonZone()
	return 0
}

// queryOfProgram returns the query that limits a list to the page's program, nil without one.
func (v *visit) queryOfProgram() []string {
	if v.Program == nil {
		return nil
	}
	return programQuery(v.Program.ID)
}

// programQuery returns the query that limits a list to a program, nil for 0.
func programQuery(id int) []string {
	if id == 0 {
		return nil
	}
	return []string{"programId", itoa(id)}
}

// period returns the period in the address, or the default.
func (v *visit) period() string {
	period := v.Asked("period")
	if slices.ContainsFunc(admin.Periods, func(p admin.Period) bool { return p.Name == period }) {
		return period
	}
	return admin.Periods[0].Name
}

// periods returns the options for the period.
func (v *visit) periods() []option {
	var all []option
	for _, p := range admin.Periods {
		all = append(all, option{Value: p.Name, Label: p.Label})
	}
	return choose(all, v.period())
}

// plots draws charts of the period. Pairs in query limit them; without any, they cover all programs
// in scope.
func (v *visit) plots(ctx context.Context, query []string, names ...string) (plotted, error) {
	shown := plotted{Periods: v.periods()}
	for _, name := range names {
		values := url.Values{"period": {v.period()}}
		command := []string{"chart", "get", name, "--period", v.period()}
		for i := 0; i+1 < len(query); i += 2 {
			values.Set(query[i], query[i+1])
			command = append(command, "--"+strings.TrimSuffix(query[i], "Id"), quoted(query[i+1]))
		}
		v.command(command...)
		chart, err := valueOf[wire.Chart](v.do(ctx, admin.Request{
			Method: http.MethodGet, Path: "charts/" + name, Query: values,
		}))
		if err != nil {
			return shown, err
		}
		for _, spec := range specsOf(name, chart.Series) {
			if spec.write == nil {
				spec.write = count
			}
			shown.Plots = append(shown.Plots, newPlot(spec, chart.From, v.Zone))
		}
	}
	return shown, nil
}

// specsOf returns the charts to draw from a set of series. The authorizations need two.
func specsOf(name string, all []wire.ChartSeries) []plotSpec {
	if name == "authorizations" {
		return authorizationSpecs(all)
	}
	spec := plotSpecs[name].plotSpec
	for i, m := range plotSpecs[name].marks {
		spec.series = append(spec.series, plotSeries{m, all[i].Counts})
	}
	return []plotSpec{spec}
}

// authorizationSpecs returns a chart of the decisions and one of the declines by reason.
func authorizationSpecs(all []wire.ChartSeries) []plotSpec {
	approved, declined := all[0], all[1:]
	sums := make([]int, len(approved.Counts))
	for _, s := range declined {
		for hour, count := range s.Counts {
			sums[hour] += count
		}
	}
	return []plotSpec{
		{
			id: "authorizations", title: "Authorizations", empty: "No authorizations in this period.",
			series: []plotSeries{
				{mark{"ok", "", "Approved"}, approved.Counts}, {mark{"bad", "cross", "Declined"}, sums},
			},
		},
		{
			id: "declines", title: "Declined, by reason", empty: "No declined authorizations in this period.",
			series: greatestSeries(declined, reasonWords()), named: true,
		},
	}
}

// plotSpecs are all charts but those of the authorizations, each with the marks of its series.
var plotSpecs = map[string]struct {
	plotSpec
	marks []mark
}{
	"orders": {plotSpec{
		id: "orders", title: "Orders waiting (peak)", empty: "No orders waited in this period.", level: true,
		named: true,
	}, []mark{{"info", "ring", "Waiting or sent"}}},
	"orderAge": {plotSpec{
		id: "order-age", title: "Oldest waiting order (peak age)", empty: "No orders waited in this period.",
		level: true, write: func(n int) string { return span(time.Duration(n) * time.Second) },
	}, []mark{{"warn", "tri", "Age"}}},
	"deliveries": {plotSpec{
		id: "deliveries", title: "Webhook delivery attempts", empty: "No attempts in this period.",
	}, []mark{{"ok", "", "Succeeded"}, {"bad", "cross", "Failed"}}},
	"requests": {plotSpec{
		id: "requests", title: "API requests", empty: "No requests yet; each counts within a minute.",
	}, []mark{{"ok", "", "Succeeded"}, {"warn", "tri", "Refused"}, {"bad", "cross", "Failed"}}},
	"cards": {plotSpec{
		id: "cards", title: "Cards", empty: "No cards were ordered, verified or locked in this period.",
	}, []mark{{"info", "ring", "Ordered"}, {"ok", "", "Verified"}, {"warn", "tri", "Locked"}}},
}

// reasonWords returns the label of each reason, as in the filter of the list of authorizations.
func reasonWords() map[string]string {
	words := make(map[string]string)
	for _, f := range resourceAt("authorizations").List.Filters {
		for _, c := range f.Choices {
			words[c.Value] = c.Label
		}
	}
	return words
}

// declineText returns the reason for a decline, for use within a sentence.
func declineText(reason string) string { return lowerFirst(cmp.Or(reasonWords()[reason], reason)) }
