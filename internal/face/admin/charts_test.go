package admin

import (
	"testing"

	wire "mintmark/client/admin"
)

// TestCharts checks that each series has one count for each hour of the period, and that an unknown
// chart is refused.
func TestCharts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, hours := range map[string]int{"": 24, "?period=7d": 168, "?period=30d&programId=1": 720} {
		got := read[wire.Chart](w, "support", "charts/authorizations"+query)
		for _, series := range got.Series {
			if len(series.Counts) != hours {
				t.Errorf("%q: %s has %d counts", query, series.Name, len(series.Counts))
			}
		}
		if len(got.Series) != 11 || got.Series[0].Name != "approved" {
			t.Errorf("%q: the series are %+v", query, got.Series)
		}
	}
	for _, path := range []string{
		"charts/orders?period=1y", "charts/orders?webhookId=1", "charts/deliveries?webhookId=x",
		"charts/deliveries?key=example1&programId=1", "charts/requests?key=example1",
	} {
		w.problem(as("support", "GET", path, ""), wire.Invalid)
	}
	for _, path := range []string{
		"charts/none", "charts/deliveries?webhookId=7", "charts/requests?key=none&programId=1",
	} {
		w.problem(as("support", "GET", path, ""), wire.NotFound)
	}
}
