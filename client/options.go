package client

import (
	"context"
	"net/http"
)

// Option changes how a Client works; see New.
type Option func(*Client)

// HTTPClient makes the client use h, for its own timeouts, proxies or certificates. The transport
// of h has to speak HTTP/1.1: the service answers 50505 to any other version.
func HTTPClient(h *http.Client) Option {
	return func(c *Client) { c.http = h }
}

// UserAgent sets the User-Agent header of every request.
func UserAgent(name string) Option {
	return func(c *Client) { c.userAgent = name }
}

// MaxAnswer sets how many bytes an answer may have, 64 MiB by default.
func MaxAnswer(bytes int64) Option {
	return func(c *Client) { c.maxAnswerBytes = bytes }
}

// callHeader is the key under which a context carries the value of one request header.
type callHeader string

const (
	requestIDHeader      callHeader = "X-Request-Id"
	idempotencyKeyHeader callHeader = "Idempotency-Key"
)

// WithRequestID returns a context whose calls carry the request id, a UUID, under which the service
// logs and answers them. Failure.RequestID gives it back.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDHeader, id)
}

// WithIdempotencyKey returns a context for one POST that may be sent several times: within 24 hours
// the same key and request get the first answer again, and the effect happens once. The service
// refuses the key for another request of the same operation, so choose one a request: at most 255
// visible ASCII characters. net/http itself repeats such a request when its connection breaks.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKeyHeader, key)
}

// setCallHeaders writes the headers that the context carries for this call. An idempotency key goes
// with a POST alone: a GET in between, made with the same context, has no effect to repeat.
func setCallHeaders(ctx context.Context, request *http.Request) {
	for _, header := range []callHeader{requestIDHeader, idempotencyKeyHeader} {
		value, given := ctx.Value(header).(string)
		if !given || header == idempotencyKeyHeader && request.Method != http.MethodPost {
			continue
		}
		request.Header.Set(string(header), value)
	}
}
