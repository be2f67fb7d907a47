package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/client"
)

// service is a server that records the last request and gives a fixed response.
type service struct {
	status int
	answer string
	header http.Header

	request *http.Request
	body    string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	s.request, s.body = r, string(body)
	for name, values := range s.header {
		w.Header()[name] = values
	}
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.answer)
}

// answers starts a service that gives the same response to every request, and returns it with a
// client.
func answers(
	t *testing.T, status int, answer string, options ...client.Option,
) (*service, *client.Client) {
	t.Helper()
	s := &service{status: status, answer: answer, header: http.Header{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	// The address ends in a slash, which must not appear in the path.
	return s, client.New(server.URL+"/", "example1", "se:cret", options...)
}

// succeeds is answers with data in an envelope of success.
func succeeds(t *testing.T, data string) (*service, *client.Client) {
	t.Helper()
	return answers(t, 200, `{"data":`+data+`,"errors":[],"requestId":"r-1","status":200}`)
}

func TestHeadersOfARequest(t *testing.T) {
	s, c := succeeds(t, `{}`)
	ctx := client.WithRequestID(t.Context(), "6f1b0c2e-0000-4000-8000-000000000001")
	ctx = client.WithIdempotencyKey(ctx, "order-17")

	_, err := c.CardLock(ctx, client.CardLockRequest{CustomerID: 1001})
	if err != nil {
		t.Fatal(err)
	}
	key, secret, given := s.request.BasicAuth()
	if !given || key != "example1" || secret != "se:cret" {
		t.Errorf("credentials %q %q", key, secret)
	}
	want := map[string]string{
		"Accept":          "application/json",
		"Content-Type":    "application/json; charset=utf-8",
		"User-Agent":      "mintmark-client",
		"X-Request-Id":    "6f1b0c2e-0000-4000-8000-000000000001",
		"Idempotency-Key": "order-17",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = s.request.Header.Get(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadingCarriesNoIdempotencyKey(t *testing.T) {
	s, c := succeeds(t, `{}`)
	_, err := c.ProgramGet(client.WithIdempotencyKey(t.Context(), "order-17"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Idempotency-Key", "X-Request-Id", "Content-Type"} {
		if s.request.Header.Get(name) != "" {
			t.Errorf("a GET carries %s: %q", name, s.request.Header.Get(name))
		}
	}
	if s.body != "" {
		t.Errorf("a GET carries the body %q", s.body)
	}
}

func TestUserAgentAndHTTPClientOptions(t *testing.T) {
	trips := 0
	counting := roundTripper(func(r *http.Request) (*http.Response, error) {
		trips++
		return http.DefaultTransport.RoundTrip(r)
	})
	s, c := answers(t, 200, `{"data":{},"errors":[],"status":200}`,
		client.UserAgent("teller/2"), client.HTTPClient(&http.Client{Transport: counting}))
	_, err := c.ProgramGet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if trips != 1 || s.request.UserAgent() != "teller/2" {
		t.Errorf("%d trips, user agent %q", trips, s.request.UserAgent())
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// countedBody records whether a response was read to its end and closed.
type countedBody struct {
	io.Reader
	ended, closed bool
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.ended = b.ended || errors.Is(err, io.EOF)
	return n, err
}

func (b *countedBody) Close() error {
	b.closed = true
	return nil
}

func TestEveryAnswerIsDrainedAndClosed(t *testing.T) {
	long := `{"data":{},"errors":[],"status":200}` + strings.Repeat(" ", 1000)
	for name, text := range map[string]string{
		"success":       `{"data":{},"errors":[],"status":200}`,
		"no envelope":   `<html>`,
		"over the size": long,
	} {
		t.Run(name, func(t *testing.T) {
			body := &countedBody{Reader: strings.NewReader(text)}
			transport := roundTripper(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: body, Request: r}, nil
			})
			c := client.New("http://localhost", "k", "s", client.MaxAnswer(100),
				client.HTTPClient(&http.Client{Transport: transport}))
			_, err := c.ProgramGet(t.Context())
			if (err == nil) != (name == "success") {
				t.Errorf("error %v", err)
			}
			if !body.ended || !body.closed {
				t.Errorf("ended %v, closed %v", body.ended, body.closed)
			}
		})
	}
}

func TestAnswerOverTheLimitIsRefused(t *testing.T) {
	text := `{"data":{},"errors":[],"status":200}`
	_, exact := answers(t, 200, text, client.MaxAnswer(int64(len(text))))
	_, err := exact.ProgramGet(t.Context())
	if err != nil {
		t.Errorf("an answer as long as the limit: %v", err)
	}
	_, short := answers(t, 200, text, client.MaxAnswer(int64(len(text)-1)))
	_, err = short.ProgramGet(t.Context())
	if !errors.Is(err, client.ErrBrokenAnswer) || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("an answer longer than the limit: %v", err)
	}
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// The caller cancels during the call; the service must notice.
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
		close(released)
	}))
	t.Cleanup(server.Close)

	_, err := client.New(server.URL, "k", "s").CardLock(ctx, client.CardLockRequest{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want it to be context.Canceled", err)
	}
	<-released
}

func TestAnswerThatBreaksOffIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"data":{}`)
	}))
	t.Cleanup(server.Close)
	_, err := client.New(server.URL, "k", "s").ProgramGet(t.Context())
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want it to be io.ErrUnexpectedEOF", err)
	}
}

func TestAddressThatCannotBeUsed(t *testing.T) {
	_, err := client.New("http://a b", "k", "s").ProgramGet(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "mintmark: GET /program/get: ") {
		t.Errorf("error %v", err)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	s, c := answers(t, 302, `moved`)
	s.header.Set("Location", "/elsewhere")
	_, err := c.ProgramGet(t.Context())
	failure, ok := errors.AsType[*client.Failure](err)
	if !ok || failure.HTTP != 302 || s.request.URL.Path != "/program/get" {
		t.Errorf("error %v after %s", err, s.request.URL.Path)
	}
}
