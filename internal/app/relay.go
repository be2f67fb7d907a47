package app

import (
	"errors"
	"net"
	"net/http"
	"sync"
)

// door is the listener of an HTTP server, fed from a socket that it does not own. The limits of an
// HTTP server of Go are fixed once it serves, so other limits need another server and door.
type door struct {
	http    *http.Server
	address net.Addr
	come    chan accepted
	once    sync.Once
	shut    chan struct{}
}

// accepted is what a listener has answered.
type accepted struct {
	conn net.Conn
	err  error
}

// Accept waits for the next connection.
func (d *door) Accept() (net.Conn, error) {
	select {
	case next := <-d.come:
		return next.conn, next.err
	case <-d.shut:
		return nil, net.ErrClosed
	}
}

// Close refuses further connections. Accepted connections stay.
func (d *door) Close() error {
	d.once.Do(func() { close(d.shut) })
	return nil
}

// Addr is the address of the socket.
func (d *door) Addr() net.Addr { return d.address }

// newest is the door that is open.
func (s *server) newest() *door {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doors[len(s.doors)-1]
}

// relay hands connections to the door that is open, until the socket is closed.
func (s *server) relay() {
	defer s.listener.Close()
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) || !s.handOver(accepted{conn, err}) {
			return
		}
	}
}

// handOver reports false when the last door is shut, and there will be no other.
func (s *server) handOver(next accepted) bool {
	for {
		open := s.newest()
		select {
		case open.come <- next:
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
