package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/fileport"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// crashSteps is how many steps are tried. More than there are does no harm: nothing crashes then.
const crashSteps = 24

// story are the orders of a crash, with what is reported about them in the end.
func story(t *testing.T) (orders []processor.Message, kinds string) {
	return []processor.Message{
		testOrder(t, "1-a", 1, order.Make), testOrder(t, "2-b", 2, order.Lock),
		testOrder(t, "3-c", 3, order.SetPin),
	}, "taken shipped pinSet"
}

// heldOnce compares the orders of a stand-in with those of the story: each was done, once.
func heldOnce(t *testing.T, url string) {
	t.Helper()
	_, text := ask(t, "GET", url+"/simulator/orders", "")
	var held struct{ Orders []simulator.Received }
	if err := json.Unmarshal([]byte(text), &held); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, one := range held.Orders {
		ids = append(ids, fmt.Sprint(one.OrderID, " ", one.Effect))
	}
	if got := strings.Join(ids, ", "); got != "1-a applied, 2-b applied, 3-c applied" {
		t.Errorf("the orders are %s", got)
	}
}

// TestCrashOverHTTP kills a stand-in at each of its steps, and starts it again. Mintmark sends what
// was not answered again.
func TestCrashOverHTTP(t *testing.T) {
	t.Parallel()
	crashes := 0
	for step := 1; step <= crashSteps; step++ {
		t.Run(fmt.Sprint("step ", step), func(t *testing.T) {
			m := newMintmark(t)
			settings := Settings{
				Listen: "127.0.0.1:0", Keys: sharedKeys(), Data: t.TempDir(), CrashAt: step,
				ReportURLs: []string{m.server.URL}, Mode: simulator.Instant,
			}
			p := startProcess(t, settings)
			revive := func() {
				if p.crashed() || p.url == "" {
					<-p.ended
					crashes++
					settings.CrashAt = 0
					p = startProcess(t, settings)
				}
			}
			orders, kinds := story(t)
			for _, one := range orders {
				eventually(t, one.OrderID+" taken", func() bool {
					revive()
					_, err := portTo(t, p.url).Submit(t.Context(), one)
					return err == nil
				})
			}
			eventually(t, "all reports", func() bool {
				revive()
				return m.kinds() == kinds
			})
			p.kill()
			settings.CrashAt = 0
			heldOnce(t, startProcess(t, settings).url)
		})
	}
	if crashes < 8 {
		t.Errorf("only %d steps were met", crashes)
	}
}

// applier applies the reports of files, each once.
type applier struct{ kinds []string }

func (a *applier) ApplyReports(
	_ context.Context, reports []order.Report,
) ([]order.ReportResult, error) {
	for _, report := range reports {
		a.kinds = append(a.kinds, string(report.Kind))
	}
	return nil, nil
}

// UnfetchedFiles knows of no file.
func (*applier) UnfetchedFiles(context.Context) ([]int, error) { return nil, nil }

// FileFetched is not called.
func (*applier) FileFetched(context.Context, int) error { return nil }

// UnknownOrder knows every order.
func (*applier) UnknownOrder(context.Context, []string) (string, error) { return "", nil }

// TestCrashWithFiles kills a stand-in at each of its steps. No file is lost, none taken twice.
func TestCrashWithFiles(t *testing.T) {
	t.Parallel()
	crashes := 0
	for step := 1; step <= crashSteps; step++ {
		t.Run(fmt.Sprint("step ", step), func(t *testing.T) {
			kept, _, err := cached.OpenMemory(t.Context(), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer kept.Close()
			settings := Settings{
				Listen: "127.0.0.1:0", Keys: sharedKeys(), Data: t.TempDir(), CrashAt: step,
				Folder: t.TempDir(), Mode: simulator.Instant,
			}
			port, err := fileport.Open(fileport.Settings{
				Folder: settings.Folder, JWKS: filepath.Join(sharedKeys(), PublicKeys),
			}, kept, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			p := startProcess(t, settings)
			applied := &applier{}
			orders, kinds := story(t)
			for _, one := range orders {
				if _, err := port.Submit(t.Context(), one); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "all reports", func() bool {
				if p.crashed() {
					crashes++
					settings.CrashAt = 0
					p = startProcess(t, settings)
				}
				if err := port.Collect(t.Context(), applied); err != nil {
					t.Fatal(err)
				}
				return strings.Join(applied.kinds, " ") == kinds
			})
			p.kill()
			settings.CrashAt = 0
			heldOnce(t, startProcess(t, settings).url)
		})
	}
	if crashes < 8 {
		t.Errorf("only %d steps were met", crashes)
	}
}
