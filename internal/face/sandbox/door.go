package sandbox

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Door admits requests, or makes them wait while it is shut. The zero value is open.
type Door struct {
	mu     sync.Mutex
	inside int
	shut   chan struct{} // closed when the door opens again; nil while open
	left   chan struct{} // closed when the last request has left; nil unless Shut waits
}

// closeTimeout is how long a closing door waits for the requests inside to end. A request that
// takes longer, for example because of a fault rule's delay, sees the new state in its next
// transaction.
const closeTimeout = 2 * time.Second

// Guard admits requests to a handler. It calls gone for a request whose client disconnects while
// waiting.
func (d *Door) Guard(next http.Handler, gone func(*http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.enter(r.Context()) != nil {
			gone(r)
			return
		}
		defer d.leave()
		next.ServeHTTP(w, r)
	})
}

// Shut makes new requests wait, and waits for those inside to end, at most for the door's patience.
// The caller must call open. Only one caller at a time may shut the door.
func (d *Door) Shut(ctx context.Context) (open func()) {
	d.mu.Lock()
	d.shut = make(chan struct{})
	left := make(chan struct{})
	if d.inside == 0 {
		close(left)
	} else {
		d.left = left
	}
	d.mu.Unlock()
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-left:
	case <-timer.C:
	case <-ctx.Done():
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		close(d.shut)
		d.shut, d.left = nil, nil
	}
}

func (d *Door) enter(ctx context.Context) error {
	for {
		d.mu.Lock()
		shut := d.shut
		if shut == nil {
			d.inside++
		}
		d.mu.Unlock()
		if shut == nil {
			return nil
		}
		select {
		case <-shut:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *Door) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inside--
	if d.inside == 0 && d.left != nil {
		close(d.left)
		d.left = nil
	}
}
