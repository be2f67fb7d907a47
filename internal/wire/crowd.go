package wire

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Listener bounds how many connections are open. One too many is told so and closed, so that nobody
// waits for an answer that never comes.
type Listener struct {
	net.Listener
	refuse Refuse

	most    atomic.Int64
	open    atomic.Int64
	refused atomic.Int64 // connections that are being told
}

// Bound changes how many connections may be open. Those that are open stay.
func (l *Listener) Bound(most int) { l.most.Store(int64(most)) }

// mostRefused is how many connections are told at the same time that there is no room. Those
// beyond are closed without a word: telling them would need the room that is not there.
const mostRefused = 128

// patience is how long a connection without room is waited for to ask something. Many callers do
// not expect an answer before they have asked.
const patience = time.Second

// Accept waits for the next connection that there is room for.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most.Load() {
			return l.enter(accepted, &l.open), nil
		}
		l.open.Add(-1)
		if l.refused.Add(1) <= mostRefused {
			go l.enter(accepted, &l.refused).refuseRoom()
			continue
		}
		l.refused.Add(-1)
		// This caller is not answered, so an error of the closing matters to none.
		_ = accepted.Close()
	}
}

// enter returns a connection that is counted until it is closed.
func (l *Listener) enter(accepted net.Conn, counter *atomic.Int64) *conn {
	leave := sync.OnceFunc(func() { counter.Add(-1) })
	return &conn{Conn: accepted, refuse: l.refuse, leave: leave}
}

// refuseRoom tells a connection that there is no room for it.
func (c *conn) refuseRoom() {
	// The caller may be gone at any point, and then there is nobody to tell.
	defer func() { _ = c.Close() }()
	if err := c.Conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return
	}
	begin := make([]byte, 1)
	_, _ = c.Conn.Read(begin)
	if err := c.Conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return
	}
	_ = c.turnAway(c.refuse(noRoom, c.RemoteAddr()))
}
