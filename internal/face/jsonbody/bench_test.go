package jsonbody

import (
	"encoding/json"
	"testing"
	"time"
)

// plainLock is cardLock as encoding/json is usually used, without options in the tags.
type plainLock struct {
	CustomerID         int    `json:"customerId"`
	CardID             int    `json:"cardId"`
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
}

var lockBody = []byte(`{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`)

// BenchmarkDecode compares this package with encoding/json on an ordinary request. The two
// alternate in one run, so that other load on the machine affects both. A ratio below 1 means that
// this package is faster.
func BenchmarkDecode(b *testing.B) {
	locks := For[plainLock]("CardLockRequest")
	var into plainLock
	ours := func() error { return locks.Decode(lockBody, &into) }
	theirs := func() error {
		into = plainLock{}
		return json.Unmarshal(lockBody, &into)
	}
	b.Run("ours", func(b *testing.B) { repeat(b, ours) })
	b.Run("encoding-json", func(b *testing.B) { repeat(b, theirs) })
	b.Run("ratio", func(b *testing.B) {
		var oursTook, theirsTook time.Duration
		for b.Loop() {
			oursTook += timed(b, ours)
			theirsTook += timed(b, theirs)
		}
		b.ReportMetric(float64(oursTook)/float64(theirsTook), "ours/theirs")
	})
}

func repeat(b *testing.B, decode func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := decode(); err != nil {
			b.Fatal(err)
		}
	}
}

// timed measures enough calls of a decoder for the clock's resolution.
func timed(b *testing.B, decode func() error) time.Duration {
	start := time.Now()
	for range 100 {
		if err := decode(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}
