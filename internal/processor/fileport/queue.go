package fileport

import (
	"context"
	"sync"
	"time"

	"mintmark/internal/processor"
)

// writeTime bounds how long a file may take.
const writeTime = 15 * time.Second

// queue holds the orders that arrive while a file is being written. The next file takes them all.
type queue struct {
	mu      sync.Mutex
	waiting []*submission
	running bool // somebody writes files
}

// submission is an order that waits for its file.
type submission struct {
	message processor.Message
	answer  processor.Answer
	err     error
	ended   chan struct{}
}

// Submit sends an order in a file. Orders that are submitted at the same time share a file.
func (p *Port) Submit(ctx context.Context, m processor.Message) (processor.Answer, error) {
	mine := &submission{message: m, ended: make(chan struct{})}
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

// writeWaiting writes files until no order waits. A caller who goes away does not take the file of
// others along.
func (p *Port) writeWaiting() {
	for {
		p.queue.mu.Lock()
		batch := p.queue.waiting
		p.queue.waiting = nil
		p.queue.running = len(batch) > 0
		p.queue.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		p.writeBatch(batch)
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
