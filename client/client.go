// Package client is a Go client for the JSON interface of Mintmark: one method per operation, with
// a typed request and a typed result, and one error type for everything that the service refuses.
//
// It owns the wire side only: credentials, escaping, the envelope and exact decimals. The service
// owns the rules of cards and the texts of faults, so the client checks little: it sends a request
// as given. The package imports nothing else of Mintmark and can be used by any program.
// "interface §5.1" is that section of docs/interface.md.
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
	// The service may take 30 seconds to respond; the rest is for the network.
	defaultTimeout = 45 * time.Second
	// A list of documents contains their HTML, up to 2 MB each, and escaping makes it longer.
	defaultMaxAnswerBytes = 64 << 20
	// Up to this limit, the rest of a response is read, so that its connection can be reused.
	maxDrainBytes = 256 << 10
)

// Client calls one Mintmark service with one API key. Create it with New. It keeps its connections
// open between calls and is safe for concurrent use.
type Client struct {
	baseURL        string
	key, secret    string
	http           *http.Client
	userAgent      string
	maxAnswerBytes int64
}

// New returns a client for the service at baseURL, for example "https://cards.example.com". It
// sends nothing yet: the first call reports an invalid address.
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

// newHTTPClient returns an HTTP client that offers only HTTP/1.1, because the interface rejects
// every other version. It follows no redirects: the interface has none, and the credentials are for
// the given address only.
func newHTTPClient() *http.Client {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSHandshakeTimeout: 10 * time.Second,
		// The service closes an idle connection after 60 seconds. Closing it earlier on this side
		// avoids sending a request on a connection that is being closed.
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

// get calls a GET operation whose data is of type T.
func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return call[T](ctx, c, http.MethodGet, path, nil)
}

// post calls a POST operation whose data is of type T.
func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return call[T](ctx, c, http.MethodPost, path, body)
}

// call sends a request and decodes the data of its response.
func call[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var answer T
	data, err := c.send(ctx, method, path, body)
	if err != nil {
		return answer, err
	}
	if len(data) == 0 || string(data) == "null" {
		return answer, fmt.Errorf("mintmark: %s %s: %w: it has no data",
			method, path, ErrBrokenAnswer)
	}
	err = json.Unmarshal(data, &answer)
	if err != nil {
		// A partly decoded card is of no use.
		var none T
		return none, fmt.Errorf("mintmark: %s %s: %w: its data: %w",
			method, path, ErrBrokenAnswer, err)
	}
	return answer, nil
}

// send sends one request and returns the data of the envelope, empty if it has none.
func (c *Client) send(
	ctx context.Context, method, path string, body any,
) (json.RawMessage, error) {
	request, err := c.newRequest(ctx, method, path, body)
	if err != nil {
		return nil, fmt.Errorf("mintmark: %s %s: %w", method, path, err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		// The error of net/http already names the method and the address.
		return nil, fmt.Errorf("mintmark: %w", err)
	}
	defer drain(response.Body)
	data, err := c.readAnswer(response)
	if err != nil {
		return nil, fmt.Errorf("mintmark: %s %s: %w", method, path, err)
	}
	return data, nil
}

// newRequest builds the request. Its body is in memory, so that net/http can send it again on a new
// connection when an idle one turns out to be closed.
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

// readAnswer reads the response up to the limit and returns the data of its envelope.
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

// drain reads the rest of a body so that its connection can be reused. If more than the limit is
// left, closing the body closes the connection instead.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxDrainBytes)
	_ = body.Close()
}

// escape escapes text as one segment of a path. A plus is escaped too, because some servers read a
// bare one as a space.
func escape(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}
