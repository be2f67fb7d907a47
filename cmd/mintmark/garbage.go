package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage there may be before it is collected, in percent of what is used. The live heap
// of a server is a few dozen megabytes; collecting it as usual takes a fifth of the time of a read.
const (
	usualGarbage = 100
	muchGarbage  = 400
)

// maxGarbage is how many bytes of garbage there may be, unless that is less than as usual.
const maxGarbage = 96 << 20

// collectGarbage says how much garbage there may be. GOGC overrides it.
func collectGarbage(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// garbageOf is how much garbage a server may have beside a live heap.
func garbageOf(live uint64) int {
	return int(min(muchGarbage, max(usualGarbage, maxGarbage*100/max(live, 1))))
}

// boundGarbage has garbage collected as the live heap asks for, until the context ends.
func boundGarbage(ctx context.Context) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for percent := 0; ; {
		metrics.Read(live)
		if now := garbageOf(live[0].Value.Uint64()); now/10 != percent/10 {
			percent = now
			collectGarbage(percent)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
}
