package client

import (
	"context"
	"net/http"
)

// Option configures a Client; see New.
type Option func(*Client)

// HTTPClient makes the client use h, with its timeouts, proxies or certificates. The transport of h
// must use HTTP/1.1: the service rejects any other version with 50505.
func HTTPClient(h *http.Client) Option {
	return func(c *Client) { c.http = h }
}

// UserAgent sets the User-Agent header of every request.
func UserAgent(name string) Option {
	return func(c *Client) { c.userAgent = name }
}

// MaxAnswer sets the maximum length of a response in bytes, 64 MiB by default.
func MaxAnswer(bytes int64) Option {
	return func(c *Client) { c.maxAnswerBytes = bytes }
}

// callHeader is the context key for the value of one request header.
type callHeader string

const (
	requestIDHeader      callHeader = "X-Request-Id"
	idempotencyKeyHeader callHeader = "Idempotency-Key"
)

// WithRequestID returns a context whose calls send this request id, a UUID. The service logs it and
// returns it; Failure.RequestID contains it.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDHeader, id)
}

// WithIdempotencyKey returns a context for one POST that may be sent several times: within 24
// hours, the same request with the same key gets the first response again, and takes effect once.
// The service rejects the key for another request of the same operation, so choose one per request:
// at most 255 visible ASCII characters. net/http itself repeats such a request when its connection
// breaks.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKeyHeader, key)
}

// setCallHeaders sets the headers that the context holds for this call. Only a POST gets the
// idempotency key: a GET with the same context has no effect to repeat.
func setCallHeaders(ctx context.Context, request *http.Request) {
	for _, header := range []callHeader{requestIDHeader, idempotencyKeyHeader} {
		value, given := ctx.Value(header).(string)
		if !given || header == idempotencyKeyHeader && request.Method != http.MethodPost {
			continue
		}
		request.Header.Set(string(header), value)
	}
}
