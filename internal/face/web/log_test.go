package web

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkLog is what the line about a request costs, as this package writes it and by way of a
// Logger.
func BenchmarkLog(b *testing.B) {
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	host := NewHost(log, func() string { return newID }, Settings{})
	x := host.begin(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	x.Route, x.Actor, x.Client = "/card/get", slog.String("key", "example1"), "127.0.0.1"
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			x.log(log, 200)
		}
	})
	b.Run("logger", func(b *testing.B) {
		for b.Loop() {
			log.LogAttrs(b.Context(), slog.LevelInfo, "request", slog.String("route", x.Route),
				slog.String("requestId", x.ID), slog.Int("status", 200),
				slog.Int64("micros", time.Since(x.started).Microseconds()), x.Actor,
				slog.String("address", x.Client))
		}
	})
}
