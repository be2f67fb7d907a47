package webhook

import (
	"testing"
)

// BenchmarkDeliveries measures an event that a receiver in the same process accepts immediately.
func BenchmarkDeliveries(b *testing.B) {
	w := newWorld(b, openFile)
	r := w.receive(nil)
	w.subscribe(r.URL, nil)
	for i := range b.N {
		w.lock(1, 5001+i%100)
	}
	w.seal()
	b.ResetTimer()
	w.deliver("a", production(), func(s *Settings) { s.PerSecond = 1 << 30 })
	w.until("all are taken", func() bool { return len(r.taken()) >= b.N })
}
