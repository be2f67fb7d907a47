package job

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// run runs duties for a time, and returns what was logged.
func run(t *testing.T, length time.Duration, duties ...Duty) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	var logged bytes.Buffer
	Run(ctx, slog.New(slog.NewTextHandler(&logged, nil)), duties)
	return logged.String()
}

// noting returns a duty that notes when it was done.
func noting(every time.Duration, done *[]time.Duration) Duty {
	began := time.Now()
	return Duty{Name: "note", Every: every, Do: func(context.Context) error {
		*done = append(*done, time.Since(began))
		return nil
	}}
}

func TestDutiesAreDoneAtOnceAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var quick, slow []time.Duration
		const s = time.Second
		text := run(t, 150*s, noting(60*s, &quick), noting(100*s, &slow))
		if want := []time.Duration{0, 60 * s, 120 * s}; !slices.Equal(quick, want) {
			t.Errorf("done at %v, want %v", quick, want)
		}
		if want := []time.Duration{0, 100 * s}; !slices.Equal(slow, want) {
			t.Errorf("done at %v, want %v", slow, want)
		}
		if text != "" {
			t.Errorf("the log holds %s", text)
		}
	})
}

func TestFailingDutyIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		text := run(t, 150*time.Second, Duty{Name: "sweep", Every: time.Minute,
			Do: func(context.Context) error {
				tries++
				if tries == 2 {
					return nil
				}
				return errors.New("no broom")
			}})
		if tries != 3 {
			t.Errorf("tried %d times, want 3", tries)
		}
		const line = `duty=sweep error="no broom"`
		if strings.Count(text, "\n") != 2 || strings.Count(text, line) != 2 {
			t.Errorf("the log holds %s", text)
		}
	})
}

// TestDutiesEndWithTheContext holds that Run waits for a duty at work, tells it to end, and takes
// that for no failure.
func TestDutiesEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		text := run(t, time.Second, Duty{Name: "wait", Every: time.Hour,
			Do: func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(time.Minute)
				ended = true
				return ctx.Err()
			}})
		if !ended || text != "" {
			t.Errorf("ended is %v, the log holds %q", ended, text)
		}
	})
}

func TestPanickingDutyIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		text := run(t, 90*time.Second, Duty{Name: "sweep", Every: time.Minute,
			Do: func(context.Context) error {
				tries++
				panic("no broom")
			}})
		if tries != 2 || !strings.Contains(text, "no broom") {
			t.Errorf("tried %d times, the log holds %s", tries, text)
		}
	})
}
