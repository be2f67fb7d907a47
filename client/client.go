// Package client speaks the JSON interface of Mintmark for a Go program: one method an operation,
// with a typed request and a typed answer, and one error type for whatever the service refuses.
//
// It owns the wire side only: credentials, escaping, the envelope and exact decimals. The rules of
// the card's life, and the texts of the faults, belong to the service, so hardly a check is made
// here: a request goes out as it is given. The package imports nothing else of Mintmark and can be
// used by any program. "interface §5.1" is that section of docs/interface.md.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// An answer of the service may take 30 seconds; the rest is for the way there and back.
	defaultTimeout = 45 * time.Second
	// A list of documents carries their HTML, up to 2 MB each, which escaping can make longer.
	defaultMaxAnswerBytes = 64 << 20
	// What is left of an answer is read up to here, so that its connection can be used again.
	maxDrainBytes = 256 << 10
)

// Client calls one Mintmark service with one API key. It is made with New, holds its connections
// open between calls, and may be used by many goroutines at once.
type Client struct {
	baseURL        string
	key, secret    string
	http           *http.Client
	userAgent      string
	maxAnswerBytes int64
}

// New returns a client of the service at baseURL, for example "https://cards.example.com". Nothing
// is sent yet: an address that cannot be used shows at the first call.
func New(baseURL, key, secret string, options ...Option) *Client {
	c := &Client{
		baseURL:        strings.TrimRight(baseURL, "/"),
		key:            key,
		secret:         secret,
		http:           newHTTPClient(),
		userAgent:      "mintmark-client",
		maxAnswerBytes: defaultMaxAnswerBytes,
	}
	for _, option := range options {
		option(c)
	}
	return c
}

// newHTTPClient returns an HTTP client that offers HTTP/1.1 only, because the interface refuses
// every other version, and that follows no redirect: the interface has none, and the credentials
// belong to the address that was given.
func newHTTPClient() *http.Client {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSHandshakeTimeout: 10 * time.Second,
		// The service closes an idle connection after 60 seconds. Closing it earlier on this side
		// keeps a request from being written into a connection that is just going away.
		IdleConnTimeout:     50 * time.Second,
		MaxIdleConnsPerHost: 16,
		Protocols:           new(http.Protocols),
	}
	transport.Protocols.SetHTTP1(true)
	return &http.Client{
		Transport: transport,
		Timeout:   defaultTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// get calls a GET operation, whose answer carries data of type T.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return call[T](ctx, c, http.MethodGet, path, nil)
}

// post calls a POST operation, whose answer carries data of type T.
func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return call[T](ctx, c, http.MethodPost, path, body)
}

// call sends a request and decodes the data of its answer.
func call[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var answer T
	data, err := c.send(ctx, method, path, body)
	if err != nil {
		return answer, err
	}
	if len(data) == 0 || string(data) == "null" {
		return answer, fmt.Errorf("mintmark: %s %s: %w: it carries no data",
			method, path, ErrBrokenAnswer)
	}
	err = json.Unmarshal(data, &answer)
	if err != nil {
		// What was decoded before the fault is not handed out: half a card helps nobody.
		var none T
		return none, fmt.Errorf("mintmark: %s %s: %w: its data: %w",
			method, path, ErrBrokenAnswer, err)
	}
	return answer, nil
}

// send makes one request and returns the data of the envelope, empty where there is none.
func (c *Client) send(
	ctx context.Context, method, path string, body any,
) (json.RawMessage, error) {
	request, err := c.newRequest(ctx, method, path, body)
	if err != nil {
		return nil, fmt.Errorf("mintmark: %s %s: %w", method, path, err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		// The text of net/http names the method and the address already.
		return nil, fmt.Errorf("mintmark: %w", err)
	}
	defer drain(response.Body)
	data, err := c.readAnswer(response)
	if err != nil {
		return nil, fmt.Errorf("mintmark: %s %s: %w", method, path, err)
	}
	return data, nil
}

// newRequest writes the request. The body is kept in memory, so that net/http can send it again
// on a fresh connection when an idle one turns out to be closed.
func (c *Client) newRequest(
	ctx context.Context, method, path string, body any,
) (*http.Request, error) {
	var text []byte
	if body != nil {
		var err error
		text, err = json.Marshal(body)
		if err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.baseURL+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(c.key, c.secret)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.userAgent)
	if body != nil {
		request.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	setCallHeaders(ctx, request)
	return request, nil
}

// readAnswer reads the answer whole, but never more than the limit.
func (c *Client) readAnswer(response *http.Response) (json.RawMessage, error) {
	text, err := io.ReadAll(io.LimitReader(response.Body, c.maxAnswerBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if int64(len(text)) > c.maxAnswerBytes {
		return nil, brokenAnswer(newFailure(response),
			fmt.Sprintf("it is longer than %d bytes", c.maxAnswerBytes))
	}
	return openEnvelope(response, text)
}

// drain lets the connection be used again. An answer that never ends is cut off instead.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxDrainBytes)
	_ = body.Close()
}

// escape writes text as one segment of a path. A plus is escaped as well, since some servers read
// a bare one as a space.
func escape(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
