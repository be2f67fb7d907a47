package processorapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/face/web"
	"mintmark/internal/vault/signature"
)

// requestID is the identifier of every request.
const requestID = "00000000-0000-4000-8000-000000000001"

// Two secrets, as during a rotation, and one that the face does not accept.
const (
	oldSecret   = "whsec_b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xk"
	newSecret   = "whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3"
	wrongSecret = "whsec_d3JvbmctLXdyb25nLS13cm9uZy0td3Jvbmct"
)

// twoReports is a valid body.
const twoReports = `[
	{"reportId":"r1","cardId":5001,"kind":"shipped","at":"2026-03-14T15:09:26Z"},
	{"reportId":"r2","orderId":"7-ab","cardId":5001,"kind":"refused","at":"2026-03-14T15:09:26Z",
	 "reason":"no such street"}]`

// acts records the calls of the face.
type acts struct {
	Transfers // other acts are not called
	from      audit.Actor
	reports   []order.Report
	ignores   order.ReportKind
	err       error
}

func (a *acts) ApplyReportsFrom(
	_ context.Context, from audit.Actor, reports []order.Report,
) ([]order.ReportResult, error) {
	a.from, a.reports = from, append(a.reports, reports...)
	var results []order.ReportResult
	for _, r := range reports {
		result := order.ReportResult{ReportID: r.ID, Result: order.Applied}
		if r.Kind == a.ignores {
			result.Result, result.Reason = order.Ignored, "why"
		}
		results = append(results, result)
	}
	return results, a.err
}

// mount serves the face with these secrets.
func mount(t *testing.T, a *acts, secrets ...string) *httptest.Server {
	t.Helper()
	return mountLogged(t, a, slog.DiscardHandler, secrets...)
}

func mountLogged(
	t *testing.T, a *acts, log slog.Handler, secrets ...string,
) *httptest.Server {
	t.Helper()
	known := func() (all []signature.Secret) {
		for _, secret := range secrets {
			parsed, err := signature.ParseSecret(secret)
			if err != nil {
				t.Error(err)
			}
			all = append(all, parsed)
		}
		return all
	}
	host := web.NewHost(slog.New(log), func() string { return requestID },
		web.Settings{BodyLimit: MaxBodyBytes})
	server := httptest.NewServer(host.Handler(New(a, a, known)))
	t.Cleanup(server.Close)
	return server
}

// message is a request before it is sent.
type message struct {
	method, path, body string
	header             http.Header
}

// post returns a message signed with a secret at a time.
func post(t *testing.T, body, with string, at time.Time) message {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(with)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign("m1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, "m1")
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return message{"POST", Prefix + "reports", body, header}
}

// send returns the status, the headers and the body of the response.
func (m message) send(t *testing.T, to *httptest.Server) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), m.method, to.URL+m.path,
		strings.NewReader(m.body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = m.header
	response, err := to.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(text)
}

// TestWhoMayReport checks which messages are accepted, and that a rejected message changes nothing.
func TestWhoMayReport(t *testing.T) {
	t.Parallel()
	now := time.Now()
	good := func() message { return post(t, twoReports, newSecret, now) }
	without := func(header string) message {
		m := good()
		m.header.Del(header)
		return m
	}
	with := func(header, value string) message {
		m := good()
		m.header.Set(header, value)
		return m
	}
	other := good()
	other.body = strings.Replace(other.body, "5001", "5002", 1)
	older := good()
	older.header.Add(standardwebhooks.HeaderWebhookSignature, "")
	older.header.Set(standardwebhooks.HeaderWebhookSignature,
		"v1,AAAA v2,x "+older.header.Get(standardwebhooks.HeaderWebhookSignature))
	for name, row := range map[string]struct {
		message
		accepted bool
	}{
		"signed":                  {good(), true},
		"signed with the old one": {post(t, twoReports, oldSecret, now), true},
		"several signatures":      {older, true},
		"four minutes old":        {post(t, twoReports, newSecret, now.Add(-4*time.Minute)), true},
		"six minutes old":         {post(t, twoReports, newSecret, now.Add(-6*time.Minute)), false},
		"six minutes ahead":       {post(t, twoReports, newSecret, now.Add(6*time.Minute)), false},
		"an unknown secret":       {post(t, twoReports, wrongSecret, now), false},
		"no signature":            {without(standardwebhooks.HeaderWebhookSignature), false},
		"no timestamp":            {without(standardwebhooks.HeaderWebhookTimestamp), false},
		"no id":                   {without(standardwebhooks.HeaderWebhookID), false},
		"another id":              {with(standardwebhooks.HeaderWebhookID, "m2"), false},
		"another timestamp": {with(standardwebhooks.HeaderWebhookTimestamp,
			strconv.FormatInt(now.Unix()+1, 10)), false},
		"no number as timestamp": {with(standardwebhooks.HeaderWebhookTimestamp, "now"), false},
		"an empty signature":     {with(standardwebhooks.HeaderWebhookSignature, "v1,"), false},
		"another body":           {other, false},
		"a caller's credentials": {message{"POST", Prefix + "reports", twoReports,
			http.Header{"Authorization": {"Basic ZXhhbXBsZTE6ZXhhbXBsZTE="}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := &acts{}
			status, header, text := row.send(t, mount(t, a, oldSecret, newSecret))
			if row.accepted {
				if status != 200 || len(a.reports) != 2 {
					t.Errorf("answered %d %s, %d reports", status, text, len(a.reports))
				}
				return
			}
			if status != 401 || !strings.Contains(text, `"/problems/not-signed-in"`) ||
				header.Get("Content-Type") != web.ProblemType || a.reports != nil ||
				header.Get("WWW-Authenticate") == "" {
				t.Errorf("answered %d %s, %d reports", status, text, len(a.reports))
			}
		})
	}
}

// TestWithoutSecrets checks that an installation without secrets accepts no message.
func TestWithoutSecrets(t *testing.T) {
	t.Parallel()
	a := &acts{}
	status, _, _ := post(t, twoReports, newSecret, time.Now()).send(t, mount(t, a))
	if status != 401 || a.reports != nil {
		t.Errorf("answered %d", status)
	}
}

// TestApply checks what the acts receive, and the response.
func TestApply(t *testing.T) {
	t.Parallel()
	a := &acts{}
	status, header, text := post(t, twoReports, newSecret, time.Now()).send(t,
		mount(t, a, newSecret))
	const want = `{"results":[{"reportId":"r1","result":"applied"},` +
		`{"reportId":"r2","result":"applied"}]}` + "\n"
	if status != 200 || text != want || header.Get("Content-Type") != "application/json" {
		t.Errorf("answered %d %v %s", status, header, text)
	}
	at := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	reports := []order.Report{
		{ID: "r1", CardID: 5001, Kind: order.Shipped, At: at},
		{ID: "r2", OrderID: "7-ab", CardID: 5001, Kind: order.Refused, At: at,
			Reason: "no such street"},
	}
	if diff := cmp.Diff(reports, a.reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	from := audit.Actor{
		Kind: audit.Processor, Name: "processor", Address: "127.0.0.1", RequestID: requestID,
	}
	if diff := cmp.Diff(from, a.from); diff != "" {
		t.Errorf("actor (-want +got):\n%s", diff)
	}
}

// TestLog checks that the log line of a message has the number of ignored reports, and none of
// their content.
func TestLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server := mountLogged(t, &acts{ignores: order.Refused}, slog.NewJSONHandler(&log, nil),
		newSecret)
	_, _, text := post(t, twoReports, newSecret, time.Now()).send(t, server)
	server.Close()
	if !strings.Contains(text, `{"reportId":"r2","result":"ignored","reason":"why"}`) {
		t.Errorf("answered %s", text)
	}
	line := log.String()
	for _, want := range []string{`"route":"/processor/v1/reports"`, `"applied":1`, `"ignored":1`,
		`"actor":"processor"`} {
		if !strings.Contains(line, want) {
			t.Errorf("the line lacks %s: %s", want, line)
		}
	}
	if strings.Contains(line, "street") || strings.Contains(line, "repeated") {
		t.Errorf("the line says too much: %s", line)
	}
}

// wrong returns body errors, given as pairs of pointer and detail.
func wrong(texts ...string) (errors []web.BodyError) {
	for pair := range slices.Chunk(texts, 2) {
		errors = append(errors, web.BodyError{Pointer: pair[0], Detail: pair[1]})
	}
	return errors
}

// TestBodies checks that all problems with a body are reported together, and that none of its
// reports is applied.
func TestBodies(t *testing.T) {
	t.Parallel()
	a := &acts{}
	server := mount(t, a, newSecret)
	for _, row := range []struct {
		body string
		want []web.BodyError
	}{
		{`{}`, wrong("", "must be a list")},
		{``, wrong("", "is not valid JSON")},
		{`[{]`, wrong("", "is not valid JSON")},
		{"[\"\xff\"]", wrong("", "is not valid JSON")},
		{`[1]`, wrong("/0", "must be an object")},
		{`[` + strings.Repeat(`{},`, order.MaxReports) + `{}]`,
			wrong("", "must have at most 1000 entries")},
		{twoReports[:len(twoReports)-1] + `,{"reportId":7,"cardId":"5001","kind":"lost",
			"at":"yesterday","reason":"a\nb","colour":"red","a/b":1,"kind":"taken"}]`,
			wrong(
				"/2/kind", "is given twice",
				"/2/reportId", "must be a text",
				"/2/cardId", "must be a whole number",
				"/2/at", "must be a moment with its offset, such as 2026-03-14T15:09:26Z",
				"/2/reason", "must have no control characters",
				"/2/colour", "is not a known member",
				"/2", `"a/b" is not a known member`,
			)},
		{`[{"reportId":"` + strings.Repeat("x", 101) + `","cardId":0,"kind":"lost","at":null}]`,
			wrong(
				"/0/reportId", "must have at most 100 characters",
				"/0/cardId", "must be a whole number from 1 to 2147483647",
				"/0/kind", `"lost" is not one of: taken, shipped, delivered, returned, refused, `+
					`pinSet, pinTriesExceeded, compromised`,
				"/0/at", "a value is required",
			)},
	} {
		status, _, text := post(t, row.body, newSecret, time.Now()).send(t, server)
		var got web.Problem
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		want := web.Problem{
			Type: "/problems/invalid", Title: "Unprocessable Entity", Status: 422,
			RequestID: requestID, Errors: row.want, Detail: got.Detail,
		}
		diff := cmp.Diff(want, got)
		if diff != "" || got.Detail == "" || status != 422 || a.reports != nil {
			t.Errorf("%.80s: %d, %d reports (-want +got):\n%s", row.body, status,
				len(a.reports), diff)
		}
	}
	status, _, text := post(t, `[]`, newSecret, time.Now()).send(t, server)
	if status != 200 || text != `{"results":[]}`+"\n" {
		t.Errorf("an empty list is answered %d %s", status, text)
	}
}

// TestOtherRequests checks the responses to requests that are not messages. The signature is
// checked first, then the path, then the method.
func TestOtherRequests(t *testing.T) {
	t.Parallel()
	a := &acts{}
	server := mount(t, a, newSecret)
	now := time.Now()
	at := func(method, path string) message {
		m := post(t, "", newSecret, now)
		m.method, m.path = method, path
		return m
	}
	long := func(bytes int) message {
		return post(t, strings.Repeat(" ", bytes-2)+"[]", newSecret, now)
	}
	unsigned := at("GET", Prefix+"nothing")
	unsigned.header = nil
	for name, row := range map[string]struct {
		message
		status int
		text   string
	}{
		"an unknown path":            {at("POST", Prefix+"nothing"), 404, "/problems/not-found"},
		"an unknown path, unsigned":  {unsigned, 401, "/problems/not-signed-in"},
		"another method":             {at("GET", Prefix+"reports"), 405, "not-allowed"},
		"a slash behind":             {at("POST", Prefix+"reports/"), 404, "/problems/not-found"},
		"too long a body":            {long(MaxBodyBytes + 1), 413, "/problems/too-large"},
		"as long a body as may be":   {long(MaxBodyBytes), 200, "results"},
		"another spelling of a path": {at("POST", Prefix+"Reports"), 404, "/problems/not-found"},
	} {
		status, header, text := row.send(t, server)
		if status != row.status || !strings.Contains(text, row.text) ||
			(status == 405) != (header.Get("Allow") == "POST") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// TestFailures checks that a failure of the service is reported as such, without details.
func TestFailures(t *testing.T) {
	t.Parallel()
	disk := errors.New("disk")
	for _, row := range []struct {
		err    error
		status int
		text   string
	}{
		{errors.Join(fault.New(fault.Unavailable), disk), 503, "/problems/unavailable"},
		{fault.New(fault.GatewayTimeout), 503, "/problems/unavailable"},
		{disk, 500, "/problems/internal"},
	} {
		status, header, text := post(t, twoReports, newSecret, time.Now()).send(t,
			mount(t, &acts{err: row.err}, newSecret))
		if status != row.status || !strings.Contains(text, row.text) ||
			strings.Contains(text, "disk") ||
			(status == 503) != (header.Get("Retry-After") == "1") {
			t.Errorf("%v: %d %v %s", row.err, status, header, text)
		}
	}
}
