package postgres

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"mintmark/internal/testkit/pgtest"
)

// wire stands between a store and its server: it counts the trips and cuts the line.
type wire struct {
	trips atomic.Int64
	// cut is what happens to the line at the next thing that is sent.
	cut atomic.Int32
	// down keeps new lines from being laid.
	down atomic.Bool
	// czech has the server speak another language than English.
	czech atomic.Bool
}

// Ways to cut a line.
const (
	whole         = iota
	beforeSending // the server hears nothing
	afterSending  // the server has heard, and its answer is lost
)

var errCut = errors.New("the line is cut")

// wired opens a store on a database of its own, behind a wire.
func wired(t *testing.T) (*Engine, *wire) {
	t.Helper()
	config, err := poolConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{}
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(
		ctx context.Context, network, address string,
	) (net.Conn, error) {
		if w.down.Load() {
			return nil, errCut
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &line{Conn: conn, wire: w}, nil
	}
	p, err := open(context.Background(), config, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, w
}

// line is one connection.
type line struct {
	net.Conn
	wire *wire
	sent atomic.Bool
	dead atomic.Bool
}

func (l *line) Write(p []byte) (int, error) {
	l.sent.Store(true)
	how := l.wire.cut.Swap(whole)
	if how == whole {
		return l.Conn.Write(p)
	}
	l.dead.Store(true)
	if how == beforeSending {
		_ = l.Conn.Close()
		return 0, errCut
	}
	return l.Conn.Write(p)
}

func (l *line) Read(p []byte) (int, error) {
	if l.dead.Load() {
		return 0, errCut
	}
	n, err := l.Conn.Read(p)
	if l.wire.czech.Load() {
		copy(p, bytes.ReplaceAll(p[:n], []byte("SERROR\x00V"), []byte("SCHYBA\x00V")))
	}
	if l.sent.Swap(false) {
		l.wire.trips.Add(1)
	}
	return n, err
}
