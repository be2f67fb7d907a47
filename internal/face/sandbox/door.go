package sandbox

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Door lets requests in, and keeps them waiting while it is shut. The zero value is open.
type Door struct {
	mu     sync.Mutex
	inside int
	shut   chan struct{} // closed when the door opens again; nil while it is open
	left   chan struct{} // closed when nobody is inside any more; nil while nobody waits for it
}

// patience is how long a door that is shut waits for requests inside to end. One that takes longer,
// such as one that a fault rule delays, sees the world after in its next transaction.
const patience = 2 * time.Second

// Guard lets requests in to a handler. Those whose client disconnects before are told to gone.
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

// Shut keeps requests waiting from now on, and waits until those inside have ended, for as long as
// the door has patience. The caller must call open. Only one caller at a time may have it shut.
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
	timer := time.NewTimer(patience)
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
