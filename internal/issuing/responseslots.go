package issuing

import (
	"context"
	"sync"
)

// Limits on the long responses of a kind that are in progress: in total, and for one API key. Each
// occupies memory until the caller has read it. A caller that reads slowly holds its slots until
// the response times out; the limit per key leaves slots for others.
const (
	longAnswers       = 8
	longAnswersOfAKey = 2
)

// ResponseSlots limits the long responses of a kind. A response without a free slot waits; slots
// are granted in the order of arrival.
type ResponseSlots struct {
	all chan struct{}

	mu  sync.Mutex
	own map[string]chan struct{} // of each API key that has requested a slot
}

// NewLongAnswers returns a ResponseSlots with all slots free.
func NewLongAnswers() *ResponseSlots {
	return &ResponseSlots{
		all: make(chan struct{}, longAnswers), own: make(map[string]chan struct{}),
	}
}

// enter waits for a slot until the context ends. leave must be called, and may be called more than
// once.
func (p *ResponseSlots) enter(ctx context.Context, key string) (leave func(), err error) {
	own := p.of(key)
	for _, room := range []chan struct{}{own, p.all} {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			if room == p.all {
				<-own
			}
			return nil, ctx.Err()
		}
	}
	return sync.OnceFunc(func() {
		<-p.all
		<-own
	}), nil
}

// Acquire waits for a slot and calls read. If read succeeds, the slot stays occupied until leave is
// called. Calling leave is always allowed.
func (p *ResponseSlots) Acquire(
	ctx context.Context, key string, read func() error,
) (leave func(), err error) {
	leave, err = p.enter(ctx, key)
	if err != nil {
		return func() {}, FaultOf(err)
	}
	isRead := false
	defer func() {
		if !isRead {
			leave()
		}
	}()
	err = read()
	isRead = err == nil
	return leave, err
}

func (p *ResponseSlots) of(key string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own[key] == nil {
		p.own[key] = make(chan struct{}, longAnswersOfAKey)
	}
	return p.own[key]
}
