// Package otlp sends spans to a collector: OTLP over HTTP, as protobuf. It is the client below the
// exporter of OpenTelemetry, whose own client imports gRPC.
package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	contentType = "application/x-protobuf"

	// maxAnswer is the maximum number of bytes of a response that are read.
	maxAnswer = 64 << 10

	firstWait, maxWait = 5 * time.Second, 30 * time.Second
)

// Client sends spans. It retries a batch that the collector may accept later until the context of
// the batch ends, which the tracer provider sets.
type Client struct {
	Settings
	http      *http.Client
	firstWait time.Duration
	stopped   context.Context
	stop      context.CancelFunc
}

var _ otlptrace.Client = (*Client)(nil)

// New returns a client that sends to the endpoint of the settings.
func New(settings Settings) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = settings.TLS
	stopped, stop := context.WithCancel(context.Background())
	return &Client{
		Settings:  settings,
		http:      &http.Client{Transport: transport, Timeout: settings.Timeout},
		firstWait: firstWait, stopped: stopped, stop: stop,
	}
}

// Start does nothing: connections are opened when they are needed.
func (c *Client) Start(context.Context) error { return nil }

// Stop cancels all sending.
func (c *Client) Stop(context.Context) error {
	c.stop()
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces sends a batch. The error says why spans are lost.
func (c *Client) UploadTraces(ctx context.Context, spans []*trace.ResourceSpans) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.stopped, cancel)()
	// TracesData has the same encoding as ExportTraceServiceRequest, whose package imports gRPC.
	body, err := proto.Marshal(&trace.TracesData{ResourceSpans: spans})
	if err == nil && c.Gzip {
		body, err = compress(body)
	}
	if err != nil {
		return err
	}
	for wait := c.firstWait; ; wait = min(2*wait, maxWait) {
		err := c.send(ctx, body)
		var later *laterError
		if !errors.As(err, &later) {
			return err
		}
		pause := max(later.after, wait/2+rand.N(wait)) // random, so that nodes spread retries
		if until, ok := ctx.Deadline(); ok && time.Until(until) < pause {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func compress(body []byte) ([]byte, error) {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	_, err := w.Write(body)
	err = errors.Join(err, w.Close())
	return compressed.Bytes(), err
}

// laterError is the error of a batch that can be sent again later.
type laterError struct {
	error
	after time.Duration
}

// send makes one attempt to send a batch.
func (c *Client) send(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("User-Agent", "Mintmark OTLP")
	for name, value := range c.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", contentType)
	if c.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		var network net.Error
		if ctx.Err() == nil && errors.As(err, &network) && network.Timeout() {
			return &laterError{error: err}
		}
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if answer.StatusCode/100 == 2 {
		if err != nil || answer.Header.Get("Content-Type") != contentType {
			return err
		}
		return rejected(text)
	}
	refusal := fmt.Errorf("%s responded with %s: %s",
		r.URL.Redacted(), answer.Status, excerpt(text))
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return &laterError{refusal, retryAfter(answer.Header.Get("Retry-After"))}
	}
	return refusal
}

// excerpt returns the beginning of a response, which may be protobuf.
func excerpt(text []byte) string {
	const most = 200
	return strconv.QuoteToASCII(strings.TrimSpace(string(text[:min(len(text), most)])))
}

// retryAfter parses a Retry-After header, in seconds or as a date; 0 for none.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	moment, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return time.Until(moment)
}
