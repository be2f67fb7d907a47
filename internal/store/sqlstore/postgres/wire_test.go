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

// wire is a proxy between an engine and its server: it counts round trips and cuts connections.
type wire struct {
	trips atomic.Int64
	// cut is the way to cut the connection at the next write.
	cut atomic.Int32
	// down makes new connections fail.
	down atomic.Bool
	// czech makes the server's messages Czech.
	czech atomic.Bool
}

// Ways to cut a connection.
const (
	whole         = iota
	beforeSending // the server receives nothing
	afterSending  // the server receives it, and its answer is lost
)

var errCut = errors.New("the line is cut")

// openWired opens an engine on a new database, with a wire between them.
func openWired(t *testing.T) (*Engine, *wire) {
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

// line is one connection through a wire.
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
