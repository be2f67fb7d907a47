package web

import (
	"log/slog"
	"time"
)

// Note adds an attribute to the log line.
func (x *Exchange) Note(note slog.Attr) { x.notes = append(x.notes, note) }

// Fault logs the request as an error: it failed for a reason on the server's side.
func (x *Exchange) Fault(err error) { x.fault = err }

// log writes the log line of the request and returns the request's duration. The line has no
// secret, no body and no path: a path may contain the tag that a caller gave a card.
func (x *Exchange) log(log *slog.Logger, status int) (took time.Duration) {
	took = time.Since(x.started)
	level := slog.LevelInfo
	switch {
	case x.fault != nil:
		level = slog.LevelError
	case x.Quiet:
		level = slog.LevelDebug
	}
	line := append([]slog.Attr{
		slog.String("route", x.Route),
		slog.String("requestId", x.ID),
		slog.Int("status", status),
		slog.Int64("micros", took.Microseconds()),
		x.Actor,
		slog.String("address", x.Client),
	}, x.notes...)
	if x.fault != nil {
		line = append(line, slog.String("error", x.fault.Error()))
	}
	log.LogAttrs(&x.deadline, level, "request", line...)
	return took
}
