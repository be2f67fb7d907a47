package app_test

import (
	"net/http"
	"testing"

	"mintmark/client/admin"
)

// TestRequestsByKey counts the outcomes of a key's requests: succeeded, refused by a rule, failed.
// A request with a wrong secret counts for no key.
func TestRequestsByKey(t *testing.T) {
	t.Parallel()
	running := startSandbox(t)
	send(t, http.MethodPost, running.AdminURL()+"/sandbox/v1/faults",
		`{"route":"/card/list/{customerId}","code":52998}`)
	for path, want := range map[string]int{
		"/program/get": 200, "/card/get/1001/5001": 200, "/card/get/1001/1": 400, "/nowhere": 404,
		"/card/list/1001": 500,
	} {
		if status, _, text := send(t, http.MethodGet, running.URL()+path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	wrong, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running.URL()+"/program/get", nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong.SetBasicAuth("example1", "wrong")
	answer, err := http.DefaultClient.Do(wrong)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	operators := admin.New(running.AdminURL(), "sandbox-auditor")
	for _, query := range []string{"", "?programId=1", "?programId=1&key=example1"} {
		chart, err := admin.Get[admin.Chart](t.Context(), operators, "charts/requests"+query)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, series := range chart.Series {
			got[series.Name] = series.Total
		}
		if got["succeeded"] != 2 || got["refused"] != 2 || got["failed"] != 1 {
			t.Errorf("%q: %v", query, got)
		}
	}
}
