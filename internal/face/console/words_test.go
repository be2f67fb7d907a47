package console

import (
	"net/http"
	"strings"
	"testing"

	"mintmark/internal/base/pan"
	domain "mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
)

// TestEveryCodeHasItsWords holds that the console has words for each code of the domain, and lets
// cards be filtered by each status.
func TestEveryCodeHasItsWords(t *testing.T) {
	w := newWorld(t, false, "configurator")
	list := w.get("/console/cards").Body.String()
	for _, status := range domain.Statuses {
		if _, has := marks["card"][string(status)]; !has {
			t.Errorf("the status %s has no mark", status)
		}
		if !strings.Contains(list, `<option value="`+string(status)+`"`) {
			t.Errorf("cards cannot be filtered by the status %s", status)
		}
	}
	for _, reason := range domain.Reasons {
		if lockReason(string(reason)) == string(reason) {
			t.Errorf("the reason %s has no words", reason)
		}
	}
	for _, state := range []order.State{
		order.Waiting, order.Sent, order.Done, order.Failed, order.Held,
	} {
		if _, has := marks["order"][string(state)]; !has {
			t.Errorf("the state %s of an order has no mark", state)
		}
	}
	for _, outcome := range []order.Outcome{
		order.TryDone, order.TryAccepted, order.TryRefused, order.TryUnreached, order.TryFailed,
	} {
		if _, has := marks["try"][string(outcome)]; !has {
			t.Errorf("the outcome %s of a try has no mark", outcome)
		}
	}
	answer := w.get("/console/bins/new")
	for _, vendor := range pan.Vendors {
		if answer.Code != http.StatusOK ||
			!strings.Contains(answer.Body.String(), `value="`+vendor+`"`) {
			t.Errorf("%d: a bin of %s cannot be added", answer.Code, vendor)
		}
	}
}
