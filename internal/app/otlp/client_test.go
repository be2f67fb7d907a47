package otlp

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// batch is a request to a collector.
type batch struct {
	path   string
	header http.Header
	spans  *trace.TracesData
}

// collector returns a server that passes on what it receives, and responds by answer, or with 200
// if answer is nil.
func collector(
	t *testing.T, start func(http.Handler) *httptest.Server, answer http.HandlerFunc,
) (*httptest.Server, <-chan batch) {
	t.Helper()
	batches := make(chan batch, 10)
	server := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			plain, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			body = plain
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		spans := new(trace.TracesData)
		if err := proto.Unmarshal(text, spans); err != nil {
			t.Error(err)
		}
		batches <- batch{r.URL.Path, r.Header, spans}
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server, batches
}

// connect returns a client with the settings of the environment and short pauses.
func connect(t *testing.T, endpoint string) *Client {
	t.Helper()
	settings, err := FromEnvironment(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	client := New(settings)
	client.firstWait = time.Millisecond
	t.Cleanup(func() { _ = client.Stop(context.Background()) })
	return client
}

// upload sends one span through the exporter of OpenTelemetry.
func upload(t *testing.T, client *Client) error {
	t.Helper()
	exporter, err := otlptrace.New(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporterFunc(
		func(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
			failed = exporter.ExportSpans(ctx, spans)
			return nil
		})))
	_, span := provider.Tracer("test").Start(t.Context(), "/card/lock")
	span.SetAttributes(attribute.Int("http.response.status_code", 200))
	span.End()
	return failed
}

type exporterFunc func(context.Context, []sdktrace.ReadOnlySpan) error

func (f exporterFunc) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	return f(ctx, spans)
}

func (exporterFunc) Shutdown(context.Context) error { return nil }

// TestUpload sends a span with every setting, over TLS.
func TestUpload(t *testing.T) {
	server, batches := collector(t, httptest.NewTLSServer, nil)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{
		Type: "CERTIFICATE", Bytes: server.Certificate().Raw,
	}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", authority)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20eA==, X-Tenant=a%2Cb")
	if err := upload(t, connect(t, server.URL)); err != nil {
		t.Fatal(err)
	}
	got := <-batches
	if got.path != "/v1/traces" || got.header.Get("Content-Type") != "application/x-protobuf" ||
		got.header.Get("Authorization") != "Basic eA==" || got.header.Get("X-Tenant") != "a,b" {
		t.Errorf("sent to %s with %v", got.path, got.header)
	}
	text := got.spans.String()
	for _, want := range []string{"/card/lock", "http.response.status_code", "int_value:200"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// partial returns the body of a 200 response that rejects spans.
func partial() []byte {
	said := protowire.AppendTag(nil, rejectedSpans, protowire.VarintType)
	said = protowire.AppendVarint(said, 7)
	said = protowire.AppendTag(said, errorMessage, protowire.BytesType)
	said = protowire.AppendString(said, "too old")
	return protowire.AppendBytes(
		protowire.AppendTag(nil, partialSuccess, protowire.BytesType), said)
}

// TestAnswers checks which batches are sent again, and the error for spans that are lost.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answers []int // the last one repeats
		header  http.Header
		body    []byte
		sent    int
		want    string
	}{
		"taken":         {answers: []int{200}, sent: 1},
		"taken at last": {answers: []int{503, 429, 502, 504, 202}, sent: 5},
		"refused": {
			answers: []int{400}, body: []byte("no tenant"), sent: 1, want: `"no tenant"`,
		},
		"broken": {answers: []int{500}, sent: 1, want: "500 Internal"},
		"too late": {
			answers: []int{503}, header: http.Header{"Retry-After": {"3600"}},
			sent: 1, want: "503 Service",
		},
		"in part": {
			answers: []int{200}, header: http.Header{"Content-Type": {contentType}},
			body: partial(), sent: 1, want: `rejected 7 spans: "too old"`,
		},
		"nonsense": {
			answers: []int{200}, header: http.Header{"Content-Type": {contentType}},
			body: []byte{0x0a, 0xff}, sent: 1, want: errAnswer.Error(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := 0
			server, _ := collector(t, httptest.NewServer,
				func(w http.ResponseWriter, _ *http.Request) {
					for name, values := range row.header {
						w.Header()[name] = values
					}
					w.WriteHeader(row.answers[min(sent, len(row.answers)-1)])
					_, _ = w.Write(row.body)
					sent++
				})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := connect(t, server.URL).UploadTraces(ctx, nil)
			if ctx.Err() != nil {
				t.Error("an attempt that comes too late was waited for")
			}
			if sent != row.sent {
				t.Errorf("sent %d times, want %d", sent, row.sent)
			}
			if (err == nil) != (row.want == "") ||
				err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("the error is %v, want %q", err, row.want)
			}
		})
	}
}

// TestStop checks that a batch waiting for its next attempt ends with the client.
func TestStop(t *testing.T) {
	t.Parallel()
	server, batches := collector(t, httptest.NewServer,
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	client := connect(t, server.URL)
	client.firstWait = time.Hour
	ended := make(chan error)
	go func() { ended <- client.UploadTraces(t.Context(), nil) }()
	<-batches
	if err := client.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a batch that was not taken ends without an error")
	}
}
