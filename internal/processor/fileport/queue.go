package fileport

import (
	"context"
	"slices"
	"sync"
	"time"

	"mintmark/internal/processor"
)

// writeTime is the timeout for writing a file.
const writeTime = 15 * time.Second

// queue holds the orders that arrive while a file is being written. The next file contains them
// all.
type queue struct {
	mu      sync.Mutex
	waiting []*submission
	running bool // a goroutine is writing files
}

// submission is an order that waits for its file.
type submission struct {
	message processor.Message
	gone    <-chan struct{} // closed when the caller stops waiting
	answer  processor.Answer
	err     error
	ended   chan struct{}
}

// Submit sends an order in a file. Concurrent calls share a file.
func (p *Port) Submit(ctx context.Context, m processor.Message) (processor.Answer, error) {
	mine := &submission{message: m, gone: ctx.Done(), ended: make(chan struct{})}
	p.queue.mu.Lock()
	p.queue.waiting = append(p.queue.waiting, mine)
	if !p.queue.running {
		p.queue.running = true
		go p.writeWaiting()
	}
	p.queue.mu.Unlock()
	select {
	case <-mine.ended:
		return mine.answer, mine.err
	case <-ctx.Done():
		return processor.Answer{}, ctx.Err()
	}
}

// writeWaiting writes files until no order waits. A caller that stops waiting does not cancel the
// file of the others. Its own order is left out of the file, because it may no longer be wanted.
func (p *Port) writeWaiting() {
	for {
		p.queue.mu.Lock()
		batch := p.queue.waiting
		p.queue.waiting = nil
		batch = slices.DeleteFunc(batch, (*submission).isLeft)
		p.queue.running = len(batch) > 0
		p.queue.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		p.writeBatch(batch)
	}
}

// isLeft reports whether the caller has stopped waiting.
func (s *submission) isLeft() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (p *Port) writeBatch(batch []*submission) {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	all := make([]processor.Message, len(batch))
	for i, s := range batch {
		all[i] = s.message
	}
	answers, err := p.submitAll(ctx, all)
	for i, s := range batch {
		if err == nil {
			s.answer = answers[i]
		}
		s.err = err
		close(s.ended)
	}
}
