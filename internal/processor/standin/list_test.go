package standin

import (
	"net/http"
	"os"
	"regexp"
	"testing"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor/simulator"
)

var atOfList = regexp.MustCompile(`"at":"[^"]+"`)

// TestList checks the contents of the list of cards, with and without orders.
func TestList(t *testing.T) {
	t.Parallel()
	m := newMintmark(t)
	p := open(t, Settings{
		Mode: simulator.Manual, ReportURLs: []string{m.server.URL}, Folder: t.TempDir(),
	})
	port := portTo(t, p.URL())
	list := func() string {
		t.Helper()
		_, text := ask(t, "GET", p.URL()+"/simulator/cards.jsonl?programId=1", "")
		return atOfList.ReplaceAllString(text, "AT")
	}
	const head = `{"kind":"cards","programId":1,AT}` + "\n"
	if got := list(); got != head+`{"totals":{"cards":0}}`+"\n" {
		t.Errorf("an empty list is %s", got)
	}
	orders := []order.Kind{order.Make, order.Lock, order.Hotlist, order.Close}
	for i, state := range []string{"open", "locked", "hotlisted", "closed"} {
		o := testOrder(t, string(orders[i]), i+1, orders[i])
		if _, err := port.Submit(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		want := head + `{"cardId":5001,"state":"` + state +
			`","lastFour":"7899","expireYear":2031,"expireMonth":11}` + "\n" +
			`{"totals":{"cards":1}}` + "\n"
		if got := list(); got != want {
			t.Errorf("after %s the list is %s", orders[i], got)
		}
	}
	deviate := func(card, body string, want int) {
		t.Helper()
		status, text := ask(t, "POST", p.URL()+"/simulator/cards/"+card+"/deviate", body)
		if status != want {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	deviate("5001", `{"programId":1,"state":"gone"}`, http.StatusOK)
	deviate("6001", `{"programId":1,"state":"locked"}`, http.StatusOK)
	deviate("5500", `{"programId":1,"state":"open"}`, http.StatusOK)
	deviate("7001", `{"programId":2,"state":"open"}`, http.StatusOK)
	deviate("5500", `{"programId":1,"state":"eaten"}`, http.StatusUnprocessableEntity)
	deviate("5500", `{"state":"open"}`, http.StatusUnprocessableEntity)
	want := head + `{"cardId":5500,"state":"open"}` + "\n" + `{"cardId":6001,"state":"locked"}` +
		"\n" + `{"totals":{"cards":2}}` + "\n"
	if got := list(); got != want {
		t.Errorf("the list is %s", got)
	}
	status, _ := ask(t, "POST", p.URL()+"/simulator/cards.jsonl?programId=1", "")
	entries, err := os.ReadDir(p.Folder + "/in")
	if status != http.StatusOK || err != nil || len(entries) != 1 {
		t.Fatal(status, entries, err)
	}
	text, err := os.ReadFile(p.Folder + "/in/" + entries[0].Name())
	if err != nil || atOfList.ReplaceAllString(string(text), "AT") != want {
		t.Errorf("the file %s is %s, %v", entries[0].Name(), text, err)
	}
}
