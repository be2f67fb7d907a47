package issuing

import (
	"context"
	"sync"
)

// How many long answers of a kind are given at the same time, and how many of them to one API key.
// Each takes its memory until the caller has read it. A caller that reads slowly holds its places
// for as long as an answer may take; the bound by key leaves places for the others.
const (
	longAnswers       = 8
	longAnswersOfAKey = 2
)

// LongAnswers bound how many long answers of a kind there are. An answer that finds no free place
// waits; places are given in the order of arrival.
type LongAnswers struct {
	all chan struct{}

	mu  sync.Mutex
	own map[string]chan struct{} // of each API key that has asked for one
}

// NewLongAnswers returns places that are all free.
func NewLongAnswers() *LongAnswers {
	return &LongAnswers{
		all: make(chan struct{}, longAnswers), own: make(map[string]chan struct{}),
	}
}

// enter waits for a place until the context ends. The caller must call leave, and may call it more
// than once.
func (p *LongAnswers) enter(ctx context.Context, key string) (leave func(), err error) {
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

// Give waits for a place, and reads an answer. The place is kept if that succeeds: the caller must call
// leave then, and may always call it.
func (p *LongAnswers) Give(
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

func (p *LongAnswers) of(key string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own[key] == nil {
		p.own[key] = make(chan struct{}, longAnswersOfAKey)
	}
	return p.own[key]
}
