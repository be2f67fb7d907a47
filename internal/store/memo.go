package store

import "sync/atomic"

// Memo keeps, beside a standing in memory, what somebody has made of it, so that it need not be
// made again as long as the standing stays the same. A nil Memo keeps nothing. It is safe for
// concurrent use.
type Memo struct {
	last atomic.Pointer[made]
}

// made is a text and what it depends on besides the standing.
type made struct {
	with any
	text []byte
}

// Make returns the text that was made last, if it was made with the same, and makes it otherwise.
// Nobody writes into it.
func (m *Memo) Make(with any, text func() []byte) []byte {
	if m == nil {
		return text()
	}
	if last := m.last.Load(); last != nil && last.with == with {
		return last.text
	}
	fresh := &made{with, text()}
	m.last.Store(fresh)
	return fresh.text
}
