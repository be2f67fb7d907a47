package app

import (
	"errors"
	"net"
	"net/http"
	"sync"
)

// relayListener is a listener for one HTTP server. The limits of a Go HTTP server are fixed once it
// serves, so other limits need another server. Several listeners, one after the other, share one
// socket.
type relayListener struct {
	http    *http.Server
	address net.Addr
	conns   chan accepted
	once    sync.Once
	shut    chan struct{}
}

// accepted is a result of the socket's Accept.
type accepted struct {
	conn net.Conn
	err  error
}

// Accept waits for the next connection.
func (d *relayListener) Accept() (net.Conn, error) {
	select {
	case next := <-d.conns:
		return next.conn, next.err
	case <-d.shut:
		return nil, net.ErrClosed
	}
}

// Close refuses further connections. Accepted connections stay open.
func (d *relayListener) Close() error {
	d.once.Do(func() { close(d.shut) })
	return nil
}

// Addr returns the address of the socket.
func (d *relayListener) Addr() net.Addr { return d.address }

// newest returns the listener that accepts new connections.
func (s *server) newest() *relayListener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.relayed[len(s.relayed)-1]
}

// relay passes connections to the newest listener until the socket is closed.
func (s *server) relay() {
	defer s.listener.Close()
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) || !s.handOver(accepted{conn, err}) {
			return
		}
	}
}

// handOver passes a connection to the newest listener. It reports false when the last listener is
// closed and none will follow.
func (s *server) handOver(next accepted) bool {
	for {
		open := s.newest()
		select {
		case open.conns <- next:
			return true
		case <-open.shut:
		}
		if s.newest() == open {
			if next.conn != nil {
				_ = next.conn.Close()
			}
			return false
		}
	}
}
