package cards

import (
	"context"
	"sync"
)

// How many long lists are answered at the same time, and how many of them to one API key. Each
// takes the memory of its cards until the caller has read it. A caller that reads slowly holds its
// places for as long as an answer may take; the bound by key leaves places for the others.
const (
	longLists       = 8
	LongListsOfAKey = 2
)

// places bound how many long lists there are. A list that finds no free place waits; places are
// given in the order of arrival.
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

// Enter waits for a place until the context ends. The caller must call leave, and may call it more
// than once.
func (p *places) Enter(ctx context.Context, key string) (leave func(), err error) {
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
		p.own[key] = make(chan struct{}, LongListsOfAKey)
	}
	return p.own[key]
}
