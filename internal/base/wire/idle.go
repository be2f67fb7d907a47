package wire

import (
	"container/list"
	"crypto/tls"
	"net"
	"sync"
)

// extraPlaces is the number of connections beyond the limit that a shedding listener accepts.
const extraPlaces = 32

// Shed makes the listener close an idle connection to make room for a new one. A connection is idle
// while none of its requests has been read to the end of its head or is being answered. The
// listener closes the connection that has been idle longest, of the address with the most idle
// connections. While no connection is idle, it accepts some more; Extra reports them. Shed must be
// called before Accept.
func (l *Listener) Shed() { l.idle = &idle{of: make(map[string]*list.List)} }

// idle holds the idle connections of a listener by address, the longest idle first. A nil idle has
// none.
type idle struct {
	mu sync.Mutex
	of map[string]*list.List
}

// waiting is the place of a connection among the idle ones. The mutex of idle guards it.
type waiting struct {
	address string
	at      *list.Element // nil while a request is being answered
	ended   bool          // shed or closed
}

func (i *idle) add(c *conn) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if c.idling.at != nil || c.idling.ended {
		return
	}
	if c.idling.address == "" {
		c.idling.address = addressOf(c.RemoteAddr())
	}
	of := i.of[c.idling.address]
	if of == nil {
		of = list.New()
		i.of[c.idling.address] = of
	}
	c.idling.at = of.PushBack(c)
}

// remove marks a connection as not idle, and reports whether it may continue: false if it has
// ended.
func (i *idle) remove(c *conn) bool {
	if i == nil {
		return true
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.take(c)
	return !c.idling.ended
}

// end removes a connection permanently.
func (i *idle) end(c *conn) {
	if i != nil {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.take(c)
		c.idling.ended = true
	}
}

func (i *idle) take(c *conn) {
	if c.idling.at == nil {
		return
	}
	of := i.of[c.idling.address]
	of.Remove(c.idling.at)
	c.idling.at = nil
	if of.Len() == 0 {
		delete(i.of, c.idling.address)
	}
}

// shed closes an idle connection, and reports whether there was one.
func (i *idle) shed() bool {
	if i == nil {
		return false
	}
	i.mu.Lock()
	var longest *list.List
	for _, of := range i.of {
		if longest == nil || of.Len() > longest.Len() {
			longest = of
		}
	}
	if longest == nil {
		i.mu.Unlock()
		return false
	}
	c, _ := longest.Front().Value.(*conn)
	i.take(c)
	c.idling.ended = true
	i.mu.Unlock()
	c.leave()
	below := c.Conn
	if encrypted, ok := below.(*tls.Conn); ok {
		below = encrypted.NetConn() // closing TLS would wait for the client
	}
	// The server, which reads from the connection, closes it again.
	_ = below.Close()
	return true
}

func addressOf(remote net.Addr) string {
	host, _, err := net.SplitHostPort(remote.String())
	if err != nil {
		return remote.String()
	}
	return host
}

// Extra reports whether a connection has one of the places beyond the limit.
func (c *conn) Extra() bool { return c.extra }

// Idle is called when the server has answered a request and reads the next one.
func (c *conn) Idle() { c.idle.add(c) }

// NoRoom responds to a request like to a connection above the limit, and ends the connection.
func (c *conn) NoRoom() error { return c.end(noRoom) }
