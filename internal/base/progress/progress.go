// Package progress shows a person at a terminal the progress of a command. The work reports its
// progress through its context, and knows nothing of the terminal.
package progress

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"
)

// patience is how long a command runs before it shows anything.
const patience = 2 * time.Second

type key struct{}

// Show returns a context whose work is counted in a unit ("entries", or "bytes", which are shown as
// KiB and MiB). On a terminal it shows the amount done, the total, the rate and the time left;
// elsewhere it shows nothing. End removes the line; nothing may be printed before.
func Show(ctx context.Context, on io.Writer, unit string) (_ context.Context, end func()) {
	if !IsTerminal(on) {
		return ctx, func() {}
	}
	bar := pb.ProgressBarTemplate(
		`{{counters . }} {{string . "unit"}} {{bar . }} {{speed . }} {{rtime . "%s left"}}`).
		New(0).SetWriter(on).Set(pb.CleanOnFinish, true).Set(pb.Bytes, unit == "bytes")
	if unit != "bytes" {
		bar.Set("unit", unit)
	}
	done := make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() {
		select {
		case <-done:
		case <-time.After(patience): //nolint:forbidigo // A person waits.
			bar.Start()
			<-done
			bar.Finish()
		}
	})
	return context.WithValue(ctx, key{}, bar), func() {
		close(done)
		shown.Wait()
	}
}

// IsTerminal reports whether the output goes to a terminal, where a person may read it.
func IsTerminal(to io.Writer) bool {
	file, ok := to.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Expect adds to the total.
func Expect(ctx context.Context, more int64) {
	if bar, ok := ctx.Value(key{}).(*pb.ProgressBar); ok {
		bar.AddTotal(more)
	}
}

// Add adds to the amount done.
func Add(ctx context.Context, done int64) {
	if bar, ok := ctx.Value(key{}).(*pb.ProgressBar); ok {
		bar.Add64(done)
	}
}

// Reader counts the bytes that are read.
func Reader(ctx context.Context, from io.Reader) io.Reader {
	return io.TeeReader(from, counter{ctx})
}

// Writer counts the bytes that are written.
func Writer(ctx context.Context, to io.Writer) io.Writer { return io.MultiWriter(to, counter{ctx}) }

type counter struct{ ctx context.Context }

// Write counts the bytes of text.
func (c counter) Write(text []byte) (int, error) {
	Add(c.ctx, int64(len(text)))
	return len(text), nil
}
