package pgtest

import (
	"net"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Counted returns a connection string for a database through a proxy, and the number of round trips
// through the proxy, each counted at the server's answer. The proxy ends with the test.
func Counted(t testing.TB, database string) (string, *atomic.Int64) {
	t.Helper()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = front.Close() })
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	trips := new(atomic.Int64)
	go func() {
		for {
			caller, err := front.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = caller.Close()
				continue
			}
			connect(caller, server, trips)
		}
	}()
	return through(t, database, front.Addr().(*net.TCPAddr).Port), trips
}

// through replaces the server in a connection string.
func through(t testing.TB, database string, port int) string {
	t.Helper()
	parsed, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	parsed.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	query := parsed.Query()
	query.Del("host")
	query.Del("port")
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

// connect copies in both directions until either side closes.
func connect(caller, server net.Conn, trips *atomic.Int64) {
	var b atomic.Bool
	go carry(server, caller, func() { b.Store(true) })
	go carry(caller, server, func() {
		if b.Swap(false) {
			trips.Add(1)
		}
	})
}

// carry calls note before it passes a piece on, so that an answer is counted before it is received.
func carry(to, from net.Conn, note func()) {
	defer to.Close()
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		note()
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}
