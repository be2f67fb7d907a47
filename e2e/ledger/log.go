package ledger

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
)

// shownOnFailure returns a log whose last lines are shown if the test fails.
func shownOnFailure(t *testing.T) *slog.Logger {
	t.Helper()
	kept := new(lastLines)
	t.Cleanup(func() {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if t.Failed() {
			t.Logf("the last lines that the service has logged:\n%s",
				bytes.Join(kept.lines, nil))
		}
	})
	return slog.New(slog.NewTextHandler(kept, nil))
}

// lastLines holds the end of a log.
type lastLines struct {
	mu    sync.Mutex
	lines [][]byte
}

// Write adds a line.
func (l *lastLines) Write(line []byte) (int, error) {
	const most = 40
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == most {
		l.lines = append(l.lines[:0], l.lines[1:]...)
	}
	l.lines = append(l.lines, bytes.Clone(line))
	return len(line), nil
}
