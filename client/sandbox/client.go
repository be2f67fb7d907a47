package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mintmark/client/admin"
)

// ErrBrokenAnswer is wrapped by the error for a response that a sandbox does not send.
var ErrBrokenAnswer = errors.New("the answer does not come from a sandbox")

const (
	timeout        = time.Minute
	maxAnswerBytes = 64 << 20
)

// Client calls one sandbox. It is safe for concurrent use.
type Client struct {
	server string
	http   *http.Client
}

// New returns a client for a sandbox at its admin address, such as "http://127.0.0.1:8081".
func New(server string) *Client { return Over(http.DefaultTransport, server) }

// Over is like New, with the given transport.
func Over(transport http.RoundTripper, server string) *Client {
	return &Client{
		strings.TrimRight(server, "/"), &http.Client{Transport: transport, Timeout: timeout},
	}
}

// Get reads the resource at a path below Prefix, such as "clock".
func Get[T any](ctx context.Context, c *Client, path string) (T, error) {
	return Do[T](ctx, c, http.MethodGet, path, nil)
}

// Do sends a request with a JSON body, or none if body is nil, and decodes the response. A refusal
// is returned as an *admin.Problem.
func Do[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var read T
	text, err := c.send(ctx, method, path, body)
	if err != nil || len(text) == 0 {
		return read, err
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("%s %s: %w: %w", method, path, ErrBrokenAnswer, err)
	}
	return read, nil
}

// send sends a request and returns the body of a successful response.
func (c *Client) send(ctx context.Context, method, path string, body any) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+Prefix+path, sent)
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: it was cut off: %w", method, path, ErrBrokenAnswer, err)
	}
	if response.StatusCode >= 200 && response.StatusCode <= 299 {
		return text, nil
	}
	problem := &admin.Problem{}
	if err := json.Unmarshal(text, problem); err != nil || problem.Type == "" {
		return nil, fmt.Errorf("%s %s: %w: %s", method, path, ErrBrokenAnswer, response.Status)
	}
	return nil, problem
}
