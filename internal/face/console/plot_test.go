package console

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/testkit/golden"
)

// TestPlot draws two series over four hours, the last still in progress, and a plot without series.
func TestPlot(t *testing.T) {
	from := time.Date(2026, time.March, 9, 22, 0, 0, 0, time.UTC)
	spec := plotSpec{
		id: "money", title: "Authorizations", empty: "No authorizations in this period.", write: count,
		series: []plotSeries{
			{mark{"ok", "", "Approved"}, []int{1200, 0, 5, 300}},
			{mark{"bad", "cross", "Declined"}, []int{0, 0, 5, 900}},
		},
	}
	var page bytes.Buffer
	for _, p := range []plot{
		newPlot(spec, from, time.UTC), newPlot(plotSpec{id: "no", title: "Cards", empty: "No card."}, from, time.UTC),
	} {
		if err := parsed().pages["activity"].ExecuteTemplate(&page, "plot", p); err != nil {
			t.Fatal(err)
		}
	}
	golden.Compare(t, filepath.Join("testdata", "plot.html"), page.Bytes())
}

// TestPlotDays checks that there is one bar for each full day of the time zone, and that a level
// shows the maximum of its hours. Daylight saving time begins within the period.
func TestPlotDays(t *testing.T) {
	zone, err := time.LoadLocation("America/Chicago")
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 30*24)
	for i := range counts {
		counts[i] = 1
	}
	from := time.Date(2026, time.February, 20, 7, 0, 0, 0, time.UTC) // 01:00 in Chicago
	for level, want := range map[bool]string{false: "30 24, 23, 2", true: "30 1, 1, 1"} {
		drawn := newPlot(plotSpec{
			write: count, level: level, series: []plotSeries{{counts: counts}},
		}, from, zone)
		first, forward, last := drawn.Bars[0], drawn.Bars[15], drawn.Bars[len(drawn.Bars)-1]
		if first.Name != "Sat 21 Feb" || forward.Name != "Sun 8 Mar" || !last.Last {
			t.Errorf("bars are %s, %s and %s", first.Name, forward.Name, last.Name)
		}
		got := strings.Join([]string{first.Counts[0], forward.Counts[0], last.Counts[0]}, ", ")
		if got = itoa(len(drawn.Bars)) + " " + got; got != want {
			t.Errorf("level %v: %s, want %s", level, got, want)
		}
	}
}

// TestGreatestSeries checks that the three greatest of five series remain, and that the others are
// added up.
func TestGreatestSeries(t *testing.T) {
	var all []wire.ChartSeries
	for i, name := range []string{"a", "b", "c", "d", "e", "none"} {
		all = append(all, wire.ChartSeries{Name: name, Total: 5 - i, Counts: []int{5 - i}})
	}
	var got strings.Builder
	for _, s := range greatestSeries(all, map[string]string{"a": "First"}) {
		got.WriteString(s.Text + " " + itoa(s.counts[0]) + " ")
	}
	if want := "First 5 b 4 c 3 Other 3 "; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	if all[3].Counts[0] != 2 {
		t.Error("the counts of the caller have changed")
	}
}

// TestPlotNamesItsSeries checks that a plot of declines for a single reason names the reason.
func TestPlotNamesItsSeries(t *testing.T) {
	all := []wire.ChartSeries{
		{Name: "approved", Counts: []int{5}, Total: 5}, {Name: "limit", Counts: []int{6}, Total: 6},
	}
	for _, spec := range authorizationSpecs(all) {
		spec.write = count
		var page bytes.Buffer
		drawn := newPlot(spec, time.Date(2026, time.March, 9, 22, 0, 0, 0, time.UTC), time.UTC)
		if err := parsed().pages["activity"].ExecuteTemplate(&page, "plot", drawn); err != nil {
			t.Fatal(err)
		}
		if spec.id == "declines" && !strings.Contains(page.String(), `cross">Over a limit 6</span>`) {
			t.Errorf("it has no name:\n%s", page.String())
		}
	}
}
