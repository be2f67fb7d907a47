package ledger

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// SandboxReportSecret signs reports to a sandbox, see docs/processor.md.
const SandboxReportSecret = "whsec_c2FuZGJveC1wcm9jZXNzb3ItcmVwb3J0LXNlY3JldA=="

// ReportsPath is the path for reports of the card processor, on the admin address.
const ReportsPath = "/processor/v1/reports"

// SignedReports returns a request with reports, signed with a secret at a time.
func SignedReports(
	t *testing.T, adminURL, body, secret string, at time.Time,
) *http.Request {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign("message", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		adminURL+ReportsPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(standardwebhooks.HeaderWebhookID, "message")
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return request
}

// Report returns a report as JSON. Its id must be unique.
func Report(id string, card int, kind string) string {
	return fmt.Sprintf(`{"reportId":%q,"cardId":%d,"kind":%q,"at":"2026-03-14T15:09:26Z"}`, id,
		card, kind)
}

// SendReports sends reports as the card processor of a sandbox, and returns the status and the body
// of the response.
func SendReports(t *testing.T, adminURL string, reports ...string) (status int, text string) {
	t.Helper()
	body := "[" + strings.Join(reports, ",") + "]"
	response, err := http.DefaultClient.Do(
		SignedReports(t, adminURL, body, SandboxReportSecret, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}
