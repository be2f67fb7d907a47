package api

import "testing"

// BenchmarkBuffer is what the memory of an answer costs, from the pool and made anew.
func BenchmarkBuffer(b *testing.B) {
	text := make(rendered, 9000) // the settings of a program
	b.Run("pool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := &memory{}
			m.take()
			*m.buffer = appendEnvelope(*m.buffer, "id", text)
			m.Release()
		}
	})
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = appendEnvelope(nil, "id", text)
		}
	})
}
