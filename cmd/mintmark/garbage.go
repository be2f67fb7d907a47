package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Values of GOGC: the garbage allowed before a collection, in percent of the live heap. The live
// heap of a server is a few dozen megabytes; collecting it at the usual rate takes a fifth of the
// time of a read.
const (
	usualGarbage     = 100
	relaxedGCPercent = 400
)

// maxGarbage bounds the bytes of garbage, unless the usual rate already allows more.
const maxGarbage = 96 << 20

// setGCPercent sets the percentage of garbage, unless GOGC is set.
func setGCPercent(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// garbageOf returns the percentage of garbage for a live heap of the given size.
func garbageOf(live uint64) int {
	return int(min(relaxedGCPercent, max(usualGarbage, maxGarbage*100/max(live, 1))))
}

// boundGarbage adapts the percentage of garbage to the live heap until the context ends.
func boundGarbage(ctx context.Context) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for percent := 0; ; {
		metrics.Read(live)
		if now := garbageOf(live[0].Value.Uint64()); now/10 != percent/10 {
			percent = now
			setGCPercent(percent)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}
