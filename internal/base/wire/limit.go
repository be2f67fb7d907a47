package wire

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Listener limits the number of open connections. It responds to a connection above the limit with
// a refusal and closes it, so that the client does not wait.
type Listener struct {
	net.Listener
	refuse Refuse

	most    atomic.Int64
	open    atomic.Int64
	refused atomic.Int64 // connections being refused now

	idle *idle // nil for a listener that does not shed
}

// Bound changes the maximum number of open connections. Connections above a lower limit stay open.
func (l *Listener) Bound(most int) { l.most.Store(int64(most)) }

// maxRefused is the maximum number of connections that are being refused at the same time. Further
// ones are closed without a response, because a refusal takes memory and a file descriptor, too.
const maxRefused = 128

// patience is how long a refused connection may take to send its first byte. Many clients read a
// response only after they have sent a request.
const patience = time.Second

// Accept waits for the next connection within the limit.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if room, extra := l.room(); room {
			entered := l.enter(accepted, &l.open)
			entered.extra = extra
			l.idle.add(entered)
			return entered, nil
		}
		if l.refused.Add(1) <= maxRefused {
			go l.enter(accepted, &l.refused).refuseRoom()
			continue
		}
		l.refused.Add(-1)
		// The client gets no response, so an error of Close does not matter.
		_ = accepted.Close()
	}
}

// room counts a connection if there is room for it. A listener that sheds makes room by closing an
// idle connection. While none is idle, it has some extra places.
func (l *Listener) room() (room, extra bool) {
	most := l.most.Load()
	if l.open.Add(1) <= most || l.idle.shed() {
		return true, false
	}
	if l.idle != nil && l.open.Load() <= most+extraPlaces {
		return true, true
	}
	l.open.Add(-1)
	return false, false
}

// enter returns a connection that is counted until it is closed.
func (l *Listener) enter(accepted net.Conn, counter *atomic.Int64) *conn {
	leave := sync.OnceFunc(func() { counter.Add(-1) })
	return &conn{Conn: accepted, refuse: l.refuse, leave: leave, idle: l.idle}
}

// refuseRoom sends the refusal on a connection above the limit.
func (c *conn) refuseRoom() {
	// An error means that the client has disconnected.
	defer func() { _ = c.Close() }()
	if err := c.Conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return
	}
	begin := make([]byte, 1)
	_, _ = c.Conn.Read(begin)
	if err := c.Conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return
	}
	_ = c.sendRefusal(c.refuse(noRoom, c.RemoteAddr()))
}
