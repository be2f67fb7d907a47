package wire

import (
	"net"
	"testing"
	"time"
)

// crowd opens connections to a listener that sheds idle ones.
type crowd struct {
	*testing.T
	listener *Listener
}

// connect returns both ends of a connection from a loopback address.
func (c crowd) connect(from string) (served *conn, caller net.Conn) {
	c.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	caller, err := dialer.DialContext(c.Context(), "tcp", c.listener.Addr().String())
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { caller.Close() })
	accepted, err := c.listener.Accept()
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { accepted.Close() })
	served, _ = accepted.(*conn)
	if err := served.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		c.Fatal(err)
	}
	return served, caller
}

// ended reports whether the listener has closed a connection.
func ended(c *conn) bool {
	c.idle.mu.Lock()
	defer c.idle.mu.Unlock()
	return c.idling.ended
}

// TestShed fills a listener. Idle connections are closed to make room: first those of the address
// that has the most, and of these the longest idle. A connection with a request in progress is
// never closed.
func TestShed(t *testing.T) {
	t.Parallel()
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listening.Close() })
	c := crowd{t, Listen(listening, 5, func(int, net.Addr) []byte { return []byte("refused") })}
	c.listener.Shed()
	other, _ := c.connect("127.0.0.2")
	var all []*conn
	for range 4 {
		served, _ := c.connect("127.0.0.1")
		all = append(all, served)
	}
	all[0].Begin()
	all[0].Idle()  // idle, but the most recent to become so
	all[1].Begin() // a request is in progress
	newest, _ := c.connect("127.0.0.1")
	if !ended(all[2]) || ended(all[0]) || ended(all[1]) || ended(all[3]) || ended(other) {
		t.Error("another connection was closed than the one that is idle for longest")
	}
	if all[2].Begin() {
		t.Error("a connection goes on that was closed")
	}
	for _, served := range []*conn{all[0], all[3], newest, other} {
		served.Begin()
	}
	for range extraPlaces {
		if served, _ := c.connect("127.0.0.1"); !served.Extra() {
			t.Fatal("a connection beyond the limit is not marked")
		} else {
			served.Begin()
		}
	}
	if room, _ := c.listener.room(); room {
		t.Error("there is room beyond the extra places")
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	other.Idle()
	if len(c.listener.idle.of) != 0 || c.listener.open.Load() != 4+extraPlaces {
		t.Errorf("%d connections are open, %d addresses idle", c.listener.open.Load(),
			len(c.listener.idle.of))
	}
}
