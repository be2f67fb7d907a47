package api

import "testing"

// BenchmarkBuffer compares a response buffer from the pool with a newly allocated one.
func BenchmarkBuffer(b *testing.B) {
	text := make(rendered, 9000) // as large as the settings of a program
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
