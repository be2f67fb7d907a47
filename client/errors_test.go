package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/client"
)

func TestFailureHoldsWhatTheServiceSaid(t *testing.T) {
	s, c := answers(t, 400, `{"errors":[{"code":150213,"message":"Both are required."},`+
		`{"code":150202,"message":"VendorTypeCode XX is not valid."}],`+
		`"requestId":"r-9","status":400}`)
	s.header.Set("Retry-After", "7")

	_, err := c.CardInitiate(t.Context(), client.CardInitiateRequest{})
	failure, ok := errors.AsType[*client.Failure](err)
	if !ok {
		t.Fatalf("error %v holds no Failure", err)
	}
	want := &client.Failure{
		HTTP:      400,
		RequestID: "r-9",
		Errors: []client.Error{
			{Code: 150213, Message: "Both are required."},
			{Code: 150202, Message: "VendorTypeCode XX is not valid."},
		},
		RetryAfter: 7 * time.Second,
	}
	if diff := cmp.Diff(want, failure); diff != "" {
		t.Error(diff)
	}
	if !failure.Has(150202) || failure.Has(150201) {
		t.Error("Has does not find the codes that are there, and those alone")
	}
	text := "mintmark: POST /card/initiate: HTTP status 400: 150213 Both are required. " +
		"150202 VendorTypeCode XX is not valid. (request r-9)"
	if err.Error() != text {
		t.Errorf("error\n%s\nwant\n%s", err, text)
	}
	if errors.Is(err, client.ErrBrokenAnswer) {
		t.Error("a refusal is taken for a broken answer")
	}
}

func TestAnswersThatBreakTheInterface(t *testing.T) {
	cases := []struct {
		name   string
		status int
		answer string
		reason string
	}{
		{"page of a proxy", 502, `<html>Bad Gateway</html>`, "not an envelope"},
		{"empty", 200, ``, "not an envelope"},
		{"other JSON", 404, `{"error":"no such page"}`, "no status"},
		{"list", 200, `[]`, "not an envelope"},
		{"two statuses", 200, `{"errors":[],"status":500}`, "has status 500"},
		{"other two statuses", 500, `{"data":{},"errors":[],"status":200}`, "has status 200"},
		{"status is text", 200, `{"data":{},"errors":[],"status":"200"}`, "not an envelope"},
		{"no data", 200, `{"errors":[],"status":200}`, "no data"},
		{"null data", 200, `{"data":null,"errors":[],"status":200}`, "no data"},
		{"data of another kind", 200,
			`{"data":{"tag":"a","cardId":"x"},"errors":[],"status":200}`, "cardId"},
		{"two envelopes", 200, `{"data":{},"errors":[],"status":200}{}`, "not an envelope"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			_, c := answers(t, test.status, test.answer)
			card, err := c.CardGet(t.Context(), 1001, 5001)
			if !errors.Is(err, client.ErrBrokenAnswer) {
				t.Fatalf("error %v, want ErrBrokenAnswer", err)
			}
			if !strings.Contains(err.Error(), test.reason) {
				t.Errorf("error %v, want it to say %q", err, test.reason)
			}
			failure, ok := errors.AsType[*client.Failure](err)
			if ok && failure.HTTP != test.status || !ok && test.status != 200 {
				t.Errorf("failure %v, want HTTP status %d", failure, test.status)
			}
			if diff := cmp.Diff(client.Card{}, card); diff != "" {
				t.Errorf("a card came with the error: %s", diff)
			}
		})
	}
}

func TestErrorsInAnAnswerOfSuccessAreAFailure(t *testing.T) {
	_, c := answers(t, 200, `{"data":{},"errors":[{"code":52998,"message":"x"}],"status":200}`)
	_, err := c.CardGet(t.Context(), 1001, 5001)
	failure, ok := errors.AsType[*client.Failure](err)
	if !ok || !failure.Has(52998) {
		t.Errorf("error %v, want a Failure with 52998", err)
	}
}

func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"3600":                          time.Hour,
		"-1":                            0,
		"soon":                          0,
		"99999999999999999999":          0,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		s, c := answers(t, 429, `{"errors":[],"status":429}`)
		s.header.Set("Retry-After", text)
		_, err := c.ProgramGet(t.Context())
		failure, ok := errors.AsType[*client.Failure](err)
		if !ok || failure.RetryAfter != want {
			t.Errorf("%q is read as %v, want %v", text, failure, want)
		}
	}
}

func TestRetryAfterDate(t *testing.T) {
	s, c := answers(t, 503, `no envelope`)
	s.header.Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
	_, err := c.ProgramGet(t.Context())
	failure, ok := errors.AsType[*client.Failure](err)
	if !ok {
		t.Fatalf("error %v holds no Failure", err)
	}
	if failure.RetryAfter < 50*time.Minute || failure.RetryAfter > time.Hour {
		t.Errorf("wait %v, want about an hour", failure.RetryAfter)
	}
}
