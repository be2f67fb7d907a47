package issuing

import (
	"context"
	"sync"
)

// How many long lists are answered at the same time, and how many of them to one API key. Each
// takes the memory of its cards until the caller has read it. A caller that reads slowly holds its
// places for as long as an answer may take, so that the others need places which it cannot have.
const (
	longLists       = 8
	longListsOfAKey = 2
)

// places bound how many long lists there are. A list that finds none waits, and gets one in the
// order of arrival.
type places struct {
	all chan struct{}

	mu  sync.Mutex
	own map[string]chan struct{} // of each API key that has asked for one
}

func newPlaces() *places {
	return &places{
		all: make(chan struct{}, longLists), own: make(map[string]chan struct{}),
	}
}

// enter waits for a place until the context ends. It has to be left, which may be done again.
func (p *places) enter(ctx context.Context, key string) (leave func(), err error) {
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

func (p *places) of(key string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own[key] == nil {
		p.own[key] = make(chan struct{}, longListsOfAKey)
	}
	return p.own[key]
}
