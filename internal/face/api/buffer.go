package api

import "sync"

// memory is what a response holds until it is sent.
type memory struct {
	buffer *[]byte // from bufPool
	done   func()  // releases the slot of a long answer; nil for others
}

// bufPool has the buffers for answers. The body of a response is valid until its owner is released;
// a stored answer has its own memory.
var bufPool = sync.Pool{New: func() any { return new([]byte) }}

// take takes an empty buffer from the pool.
func (m *memory) take() {
	m.buffer, _ = bufPool.Get().(*[]byte)
	*m.buffer = (*m.buffer)[:0]
}

// Release returns everything after the answer has been sent. A very large buffer is left to the
// garbage collector.
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
