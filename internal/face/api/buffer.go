package api

import "sync"

// memory is what a response holds until it is sent.
type memory struct {
	buffer *[]byte // from bufPool
	done   func()  // of a long answer, which holds a place; nil for others
}

// bufPool has the buffers in which answers are written. The body of a response is valid until its
// owner is released; an answer that is stored has memory of its own.
var bufPool = sync.Pool{New: func() any { return new([]byte) }}

// take takes an empty buffer.
func (m *memory) take() {
	m.buffer, _ = bufPool.Get().(*[]byte)
	*m.buffer = (*m.buffer)[:0]
}

// Release gives all back once the answer is sent. A very large buffer is left to the collector.
func (m *memory) Release() {
	const largest = 64 << 10
	if m.buffer != nil && cap(*m.buffer) <= largest {
		bufPool.Put(m.buffer)
	}
	m.buffer = nil
	if m.done != nil {
		m.done()
	}
}
