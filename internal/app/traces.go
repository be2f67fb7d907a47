package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/exaring/otelpgx"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"mintmark/internal/app/otlp"
	"mintmark/internal/base/version"
	"mintmark/internal/face/web"
	"mintmark/internal/store/sqlstore/postgres"
)

// traces sends a span of each request, and of each statement on a database server, to a collector.
// The span of a request names the route and never the path, which may contain a caller's tag of a
// card. The span of a statement has the text with $1 in it, and no arguments.
type traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// openTraces returns nil without an endpoint in the settings or the environment.
func (a *App) openTraces(ctx context.Context) (*traces, error) {
	settings, err := otlp.FromEnvironment(a.Traces)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	if settings.Endpoint == "" {
		return nil, nil
	}
	exporter, err := otlptrace.New(ctx, otlp.New(settings))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	environment := "production"
	if a.Sandbox {
		environment = "sandbox"
	}
	about, err := resource.Merge(resource.Environment(), resource.NewSchemaless(
		attribute.String("service.name", "mintmark"),
		attribute.String("service.version", version.Current().Version),
		attribute.String("service.instance.id", a.node),
		attribute.String("deployment.environment.name", environment),
	))
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		a.Log.Warn("exporting traces failed", "error", err)
	}))
	return &traces{provider, provider.Tracer("mintmark")}, nil
}

// statements returns a tracer of the statements on a database server; nil without an endpoint.
func (t *traces) statements() postgres.Tracer {
	if t == nil {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithTracerProvider(t.provider),
		otelpgx.WithDisableConnectionDetailsInAttributes())
}

// close sends the remaining spans.
func (t *traces) close(ctx context.Context, log *slog.Logger) {
	if t == nil {
		return
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		log.WarnContext(ctx, "exporting traces failed", "error", err)
	}
}

// untraced are the paths that machines request all the time.
var untraced = map[string]bool{"/healthz": true, "/readyz": true, metricsPath: true}

// begin begins the span of a request, in the trace of its caller if there is one.
func (t *traces) begin(r *http.Request) context.Context {
	if untraced[r.URL.Path] {
		return r.Context()
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, _ = t.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return ctx
}

// end ends the span of a request, which is named after its route.
func (t *traces) end(ctx context.Context, of web.Observation) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	if of.Route != "" {
		span.SetName(of.Route)
		span.SetAttributes(attribute.String("http.route", of.Route))
	}
	span.SetAttributes(
		attribute.Int("http.response.status_code", of.Status),
		attribute.String("mintmark.request_id", of.ID),
	)
	if of.Fault != nil {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
