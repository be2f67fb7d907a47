package app

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"mintmark/client/admin"
	wire "mintmark/client/sandbox"
	"mintmark/internal/base/clock"
)

// TestClockOfSandbox moves the clock of a sandbox over HTTP. A card waiting for verification has
// expired by the time of the response.
func TestClockOfSandbox(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	settings := sandboxIn("")
	settings.Clock = clock.FrozenAt(began)
	running := start(t, settings)
	defer stop(t, running)
	status, text := request(t, running, "/card/initiate", `{"customerId":1001,
		"cardHolderCustomerId":1001,"vendorTypeCode":"VS","primaryAccountId":2001,
		"firstName":"Ada","lastName":"Example","nickName":"Clock","tag":"clock"}`)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	controls := wire.New(running.AdminURL())
	put := func(change wire.ClockChange) (wire.Clock, error) {
		return wire.Do[wire.Clock](t.Context(), controls, http.MethodPut, "clock", change)
	}
	got, err := put(wire.ClockChange{Advance: "P91D"})
	want := wire.Clock{Now: began.AddDate(0, 0, 91), Frozen: true}
	if err != nil || got != want {
		t.Fatalf("the clock is %+v (%v), want %+v", got, err, want)
	}
	status, text = request(t, running, "/card/getbytag/1001/clock", "")
	expired := `"expiredDate":"2026-08-30T08:00:00.001-04:00"`
	if status != http.StatusOK || !strings.Contains(text, `"status":"Expired"`) ||
		!strings.Contains(text, expired) {
		t.Errorf("%d %s", status, text)
	}
	refusal := (*admin.Problem)(nil)
	_, err = put(wire.ClockChange{Now: &began})
	if !errors.As(err, &refusal) || refusal.Status != http.StatusConflict {
		t.Errorf("the clock goes back: %v", err)
	}
	no := false
	got, err = put(wire.ClockChange{Frozen: &no})
	if err != nil || got.Frozen || got.Now.Before(want.Now) {
		t.Errorf("the clock is %+v (%v)", got, err)
	}
	again, err := wire.Get[wire.Clock](t.Context(), controls, "clock")
	if err != nil || again.Now.Before(got.Now) || again.Frozen {
		t.Errorf("the clock is %+v (%v)", again, err)
	}
}
