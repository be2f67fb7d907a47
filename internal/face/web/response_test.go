package web

import (
	"math"
	"net/http"
	"testing"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	type card struct {
		ID   int    `json:"id"`
		Name string `json:"name,omitempty"`
	}
	expect := func(name, body string) func(Response, error) {
		return func(got Response, err error) {
			t.Helper()
			if err != nil || got.Status != http.StatusCreated ||
				got.ContentType != "application/json" || string(got.Body) != body {
				t.Errorf("%s: %d %s %q (%v)", name, got.Status, got.ContentType, got.Body, err)
			}
		}
	}
	expect("an object", "{\"id\":7}\n")(JSON(http.StatusCreated, card{ID: 7}))
	expect("a list", "[1,2]\n")(JSON(http.StatusCreated, []int{1, 2}))
	expect("nil", "null\n")(JSON[*card](http.StatusCreated, nil))
	expect("characters of HTML", "{\"id\":0,\"name\":\"\\u003ca\\u003e\"}\n")(
		JSON(http.StatusCreated, card{Name: "<a>"}))
	expect("text", "{}\n")(JSONText(http.StatusCreated, []byte("{}")), nil)

	got, err := JSON(http.StatusOK, math.NaN())
	if err == nil || got.Status != 0 || got.Body != nil {
		t.Errorf("what JSON cannot hold: %d %q (%v)", got.Status, got.Body, err)
	}
}
