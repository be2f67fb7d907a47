package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ErrBrokenAnswer is wrapped by the error for a response that the interface does not define.
var ErrBrokenAnswer = errors.New("the answer does not follow the operators' interface")

const (
	timeout        = 75 * time.Second // a request for events waits up to 60 s
	maxAnswerBytes = 64 << 20
)

// Client calls one service with one token. It is safe for concurrent use.
type Client struct {
	server, token string
	http          *http.Client
}

// New returns a client for the service at the given admin address, for example
// "https://cards.example.com:8081".
func New(server, token string) *Client {
	return Over(http.DefaultTransport, server, token)
}

// Over is like New, with the given transport.
func Over(transport http.RoundTripper, server, token string) *Client {
	return &Client{strings.TrimRight(server, "/"), token, &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// Request is one request. Only Method and Path are required.
type Request struct {
	Method   string
	Path     string // below Prefix, for example "cards/5001/lock"
	Query    url.Values
	Body     any    // encoded as JSON; nil for none
	Revision int    // of the resource that the request changes, sent as If-Match; 0 for none
	Reason   string // for the audit
	DryRun   bool

	IdempotencyKey string

	// File is sent as the body instead of Body, with the media type FileType. Long takes its place
	// for a file that may not fit into memory; it has Length bytes.
	File     []byte
	FileType string
	Long     io.Reader
	Length   int64
}

// Answer is the response to a successful request.
type Answer struct {
	Status      int
	ContentType string
	Location    string
	Replayed    bool // the stored response to an earlier request with the same Idempotency-Key
	Body        []byte
}

// Get reads one resource.
func Get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return Do[T](ctx, c, Request{Method: http.MethodGet, Path: path})
}

// Page reads one page of a list.
func Page[T any](ctx context.Context, c *Client, path string, query url.Values) (List[T], error) {
	return Do[List[T]](ctx, c, Request{Method: http.MethodGet, Path: path, Query: query})
}

// Do sends a request and decodes the response. A refusal, and an act that waits for approval, is
// returned as a *Problem.
func Do[T any](ctx context.Context, c *Client, r Request) (T, error) {
	var decoded T
	answer, err := c.Send(ctx, r)
	if err != nil || len(answer.Body) == 0 {
		return decoded, err
	}
	if err := json.Unmarshal(answer.Body, &decoded); err != nil {
		return decoded, fmt.Errorf("%s %s: %w: %w", r.Method, r.Path, ErrBrokenAnswer, err)
	}
	return decoded, nil
}

// Send sends a request and returns the response undecoded.
func (c *Client) Send(ctx context.Context, r Request) (Answer, error) {
	response, err := c.send(ctx, c.http, r)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w: it was cut off: %w", r.Method, r.Path,
			ErrBrokenAnswer, err)
	}
	if len(body) > maxAnswerBytes {
		return Answer{}, fmt.Errorf("%s %s: %w: it has more than %d bytes", r.Method, r.Path,
			ErrBrokenAnswer, maxAnswerBytes)
	}
	return Answer{
		Status: response.StatusCode, Body: body,
		ContentType: response.Header.Get("Content-Type"),
		Location:    response.Header.Get("Location"),
		Replayed:    response.Header.Get("Idempotency-Replayed") == "true",
	}, nil
}

// Open sends a request and returns the body of the response, which may be long: only the context
// limits the time to read it. The caller closes the body.
func (c *Client) Open(ctx context.Context, r Request) (io.ReadCloser, error) {
	patient := *c.http
	patient.Timeout = 0
	response, err := c.send(ctx, &patient, r)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// Copy sends a request and copies the body of the response to w as it arrives, however long it is.
func (c *Client) Copy(ctx context.Context, w io.Writer, r Request) error {
	body, err := c.Open(ctx, r)
	if err != nil {
		return err
	}
	defer body.Close()
	if _, err := io.Copy(w, body); err != nil {
		return fmt.Errorf("%s %s: %w: it was cut off: %w", r.Method, r.Path, ErrBrokenAnswer, err)
	}
	return nil
}

// send sends a request and returns the response if the request succeeded.
func (c *Client) send(ctx context.Context, by *http.Client, r Request) (*http.Response, error) {
	request, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}
	response, err := by.Do(request)
	if err != nil {
		return nil, err
	}
	kind := response.Header.Get("Content-Type")
	problem := strings.HasPrefix(kind, "application/problem+json")
	if !problem && response.StatusCode >= 200 && response.StatusCode <= 299 {
		return response, nil
	}
	defer response.Body.Close()
	if !problem {
		return nil, fmt.Errorf("%s %s: %w: %s", r.Method, r.Path, ErrBrokenAnswer,
			response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, err
	}
	return nil, problemOf(response, body)
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		text, err := json.Marshal(r.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	kind := "application/json"
	if r.File != nil {
		body, kind = bytes.NewReader(r.File), r.FileType
	}
	if r.Long != nil {
		body, kind = r.Long, r.FileType
	}
	query := r.Query
	if r.DryRun {
		query = url.Values{"dryRun": {"true"}}
		for name, values := range r.Query {
			query[name] = values
		}
	}
	address := c.server + Prefix + r.Path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, address, body)
	if err != nil {
		return nil, err
	}
	if r.Long != nil {
		request.ContentLength = r.Length
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	if r.Revision != 0 {
		request.Header.Set("If-Match", strconv.Quote(strconv.Itoa(r.Revision)))
	}
	if r.Reason != "" {
		// A header cannot contain line breaks.
		request.Header.Set("Mintmark-Reason", strings.Join(strings.Fields(r.Reason), " "))
	}
	if r.IdempotencyKey != "" {
		request.Header.Set("Idempotency-Key", r.IdempotencyKey)
	}
	return request, nil
}

func problemOf(response *http.Response, body []byte) error {
	problem := &Problem{}
	if err := json.Unmarshal(body, problem); err != nil || problem.Type == "" {
		return fmt.Errorf("%w: %s", ErrBrokenAnswer, response.Status)
	}
	problem.RetryAfterSeconds, _ = strconv.Atoi(response.Header.Get("Retry-After"))
	return problem
}
