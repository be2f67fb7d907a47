package standin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/fileport"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// story returns the orders sent around a crash, and the reports expected at the end.
func story(t *testing.T) (orders []processor.Message, kinds string) {
	return []processor.Message{
		testOrder(t, "1-a", 1, order.Make), testOrder(t, "2-b", 2, order.Lock),
		testOrder(t, "3-c", 3, order.SetPin),
	}, "taken shipped pinSet"
}

// checkDoneOnce compares the orders of a stand-in with the expected ones: each was done once.
func checkDoneOnce(t *testing.T, url string) {
	t.Helper()
	_, text := ask(t, "GET", url+"/simulator/orders", "")
	var held struct{ Orders []simulator.Received }
	if err := json.Unmarshal([]byte(text), &held); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, received := range held.Orders {
		ids = append(ids, fmt.Sprint(received.OrderID, " ", received.Effect))
	}
	if got := strings.Join(ids, ", "); got != "1-a applied, 2-b applied, 3-c applied" {
		t.Errorf("the orders are %s", got)
	}
}

// crashing is a stand-in that crashes at a step and is then restarted.
type crashing struct {
	*testing.T
	*process
	settings Settings
	crashes  int
}

// startCrashing starts a stand-in that crashes at a step.
func startCrashing(t *testing.T, step int, s Settings) *crashing {
	t.Helper()
	s.Listen, s.Keys, s.Data = "127.0.0.1:0", sharedKeys(), t.TempDir()
	s.CrashAt, s.Mode = step, simulator.Instant
	c := &crashing{T: t, settings: s, process: startProcess(t, s)}
	if c.url == "" {
		c.revive(errors.New("not listening"))
	}
	return c
}

// revive restarts the stand-in after its crash, which caused the failure.
func (c *crashing) revive(failure error) {
	c.Helper()
	select {
	case <-c.ended:
	case <-time.After(time.Minute):
		c.Fatalf("without a crash: %v", failure)
	}
	c.crashes++
	c.settings.CrashAt = 0
	c.process = startProcess(c.T, c.settings)
}

// end kills the stand-in, and checks that the next one remembers its work.
func (c *crashing) end() {
	c.Helper()
	c.kill()
	c.settings.CrashAt = 0
	checkDoneOnce(c.T, startProcess(c.T, c.settings).url)
}

// atEachStep runs a test with a crash at each step, up to the last one.
func atEachStep(t *testing.T, test func(t *testing.T, step int) (crashes int)) {
	t.Parallel()
	for step := 1; ; step++ {
		crashes := 0
		t.Run(fmt.Sprint("step ", step), func(t *testing.T) { crashes = test(t, step) })
		if crashes == 0 {
			if step <= leastSteps {
				t.Errorf("only %d steps were met", step-1)
			}
			return
		}
	}
}

// leastSteps is the minimum number of steps.
const leastSteps = 8

// TestCrashOverHTTP kills a stand-in at each of its steps, and restarts it. Mintmark sends
// unanswered orders again.
func TestCrashOverHTTP(t *testing.T) {
	atEachStep(t, func(t *testing.T, step int) int {
		m := newMintmark(t)
		c := startCrashing(t, step, Settings{ReportURLs: []string{m.server.URL}})
		orders, kinds := story(t)
		for _, message := range orders {
			for {
				_, err := portTo(t, c.url).Submit(t.Context(), message)
				if err == nil {
					break
				}
				c.revive(err)
			}
		}
		for deadline := time.After(time.Minute); ; {
			next := m.events.Next()
			if m.kinds() == kinds {
				break
			}
			select {
			case <-next:
			case <-c.ended:
				c.revive(nil)
			case <-deadline:
				t.Fatalf("the reports are %s", m.kinds())
			}
		}
		c.end()
		return c.crashes
	})
}

// applier applies each report of the files once.
type applier struct{ kinds []string }

func (a *applier) ApplyReports(
	_ context.Context, reports []order.Report,
) ([]order.ReportResult, error) {
	for _, report := range reports {
		a.kinds = append(a.kinds, string(report.Kind))
	}
	return nil, nil
}

// UnfetchedFiles returns no files.
func (*applier) UnfetchedFiles(context.Context) ([]int, error) { return nil, nil }

// FileFetched is never called.
func (*applier) FileFetched(context.Context, int) error { return nil }

// CheckReports accepts each report.
func (*applier) CheckReports(
	_ context.Context, reports []order.Report,
) ([]order.Report, string, error) {
	return reports, "", nil
}

// TestCrashWithFiles kills a stand-in at each of its steps. No file is lost or applied twice.
func TestCrashWithFiles(t *testing.T) {
	atEachStep(t, func(t *testing.T, step int) int {
		kept, _, err := cached.OpenMemory(t.Context(), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		inbox := t.TempDir()
		port, err := fileport.Open(t.Context(), fileport.Settings{
			Folder: inbox, JWKS: filepath.Join(sharedKeys(), PublicKeys),
		}, kept, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		c := startCrashing(t, step, Settings{Folder: inbox})
		applied := &applier{}
		orders, kinds := story(t)
		for _, m := range orders {
			if _, err := port.Submit(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		for deadline := time.After(time.Minute); ; {
			if err := port.Collect(t.Context(), applied); err != nil {
				t.Fatal(err)
			}
			if strings.Join(applied.kinds, " ") == kinds {
				break
			}
			select {
			case <-time.After(5 * time.Millisecond): // a folder does not signal new files
			case <-c.ended:
				c.revive(nil)
			case <-deadline:
				t.Fatalf("the reports are %q", applied.kinds)
			}
		}
		c.end()
		return c.crashes
	})
}
