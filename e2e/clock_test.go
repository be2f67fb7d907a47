package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/base/clock"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/testkit/testrun"
)

// TestOneClock moves one clock, and with it everything in a process that follows business time: the
// dates of a card, the age of settings, rates, the expiry of secrets, and the jobs. The wall clock
// hardly moves.
func TestOneClock(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	moved := clock.FrozenAt(began)
	world := ledger.NewWorld(t, app.Settings{Clock: moved})
	example, limited, expiring := connect(t, world.App.URL(), "example1"),
		connect(t, world.App.URL(), "limited"), connect(t, world.App.URL(), "example2")
	changeKey(t, world, "example2", func(key *apikey.Key) {
		key.Secrets[0].Expires = began.Add(time.Hour)
	})

	c, err := example.CardInitiate(t.Context(), client.CardInitiateRequest{
		CustomerID: 1001, CardHolderCustomerID: 1001, VendorTypeCode: "VS",
		PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example", NickName: "By the clock",
	})
	if err != nil {
		t.Fatal(err)
	}
	moment(t, "the card was made", c.CreatedDate, began)
	moment(t, "the settings are those", filled(t, example), began)
	wantStatus(t, "within the rate", limited, 200)
	wantStatus(t, "within the rate", limited, 200)
	wantStatus(t, "beyond the rate", limited, 429)
	wantStatus(t, "before the secret expires", expiring, 200)

	moved.Advance(time.Second / 2) // at two requests a second
	wantStatus(t, "within the rate again", limited, 200)
	wantStatus(t, "beyond the rate again", limited, 429)
	moment(t, "the settings are those", filled(t, example), began)

	moved.Advance(5*time.Minute - time.Second/2)
	moment(t, "the settings are those", filled(t, example), began.Add(5*time.Minute))

	moved.Advance(55 * time.Minute)
	refused(t, untilRefused(t, expiring), 50401)

	moved.Advance(91 * 24 * time.Hour)
	awaitEvent(t, world.App.AdminURL(), "card.expired", c.CardID)
	card, err := example.CardGet(t.Context(), 1001, c.CardID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "status", card.Status, "Expired")
	// The window of 90 days ended meanwhile, and a sandbox does what falls due at its due time.
	moment(t, "the card has expired", card.ExpiredDate,
		began.Add(90*24*time.Hour+time.Millisecond))
}

// awaitEvent follows the events of a card in a sandbox until there is one of a type.
func awaitEvent(t *testing.T, adminURL, kind string, cardID int) {
	t.Helper()
	operator := admin.New(adminURL, "sandbox-administrator")
	following := fmt.Sprintf("events?after=0&wait=60s&cardId=%d&type=%s", cardID, kind)
	testrun.Within(t, fmt.Sprintf("there is an event %s of card %d", kind, cardID), func() bool {
		eventList, err := admin.Get[admin.EventList](t.Context(), operator, following)
		if err != nil {
			t.Fatal(err)
		}
		return len(eventList.Items) > 0
	})
}

func moment(t *testing.T, what string, got, want time.Time) {
	t.Helper()
	if !got.Equal(want) {
		t.Errorf("%s at %s, want %s", what, got, want)
	}
}

// filled returns when the settings that a caller sees were read.
func filled(t *testing.T, caller *client.Client) time.Time {
	t.Helper()
	program, err := caller.ProgramGet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return program.FilledDate
}

// wantStatus checks the status of the response to a request.
func wantStatus(t *testing.T, when string, caller *client.Client, want int) {
	t.Helper()
	if got := status(t, caller); got != want {
		t.Errorf("%s a request is answered %d, want %d", when, got, want)
	}
}

// status returns the status of the response to a request.
func status(t *testing.T, caller *client.Client) int {
	t.Helper()
	_, err := caller.ProgramGet(t.Context())
	failure := (*client.Failure)(nil)
	switch {
	case errors.As(err, &failure):
		return failure.HTTP
	case err != nil:
		t.Fatal(err)
	}
	return http.StatusOK
}
