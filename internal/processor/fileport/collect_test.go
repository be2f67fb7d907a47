package fileport

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
)

// collect has a port collect, which must succeed.
func (w *world) collect(p *Port) {
	w.Helper()
	if err := p.Collect(w.Context(), w); err != nil {
		w.Fatal(err)
	}
}

// ids returns the applied reports, in order.
func (w *world) ids() string {
	var ids []string
	for _, report := range w.applied {
		ids = append(ids, report.ID)
	}
	return strings.Join(ids, " ")
}

func TestReports(t *testing.T) {
	t.Parallel()
	for database := range stores {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, database)
			port := w.start()
			w.in(2, reportLine("c", "o2"))
			w.in(1, reportLine("a", "o1"), reportLine("b", "o1"))
			w.in(3)
			w.in(4, reportLine("d", "o2"))
			w.put(".partial-reports-3.jsonl-1", []byte("half"))
			w.put("notes.txt", []byte("mine"))
			w.collect(port)
			if w.ids() != "a b c d" {
				t.Errorf("applied %s", w.ids())
			}
			if done := w.names(folder.Done); !slices.Equal(done,
				[]string{"reports-1.jsonl", "reports-2.jsonl", "reports-3.jsonl", "reports-4.jsonl"}) {
				t.Errorf("done are %v", done)
			}
			if left := w.names(folder.In); len(left) != 2 {
				t.Errorf("left are %v", left)
			}
		})
	}
}

// TestKilledWhileCollecting kills the process at each step of a file that is applied, and of one
// that is rejected. The next process finishes the work, and no report is applied twice.
func TestKilledWhileCollecting(t *testing.T) {
	t.Parallel()
	for kind, orderID := range map[string]string{"good": "o1", "bad": "x1"} {
		steps := 0
		for step := 0; step <= steps; step++ {
			t.Run(fmt.Sprintf("%s step %d", kind, step), func(t *testing.T) {
				w := newWorld(t, "embedded")
				port := w.start()
				w.in(1, reportLine("a", orderID))
				counted := killAt(port, step)
				err := port.Collect(t.Context(), w)
				if step == 0 {
					steps = *counted
				}
				if killed := errors.Is(err, errKilled); killed != (step > 0) {
					t.Fatalf("%v", err)
				}
				w.collect(w.start())
				w.in(2, reportLine("b", "o1"))
				w.in(1, reportLine("a", "o1"))
				w.collect(w.start())
				if w.ids() != "a b" {
					t.Errorf("applied %s", w.ids())
				}
				if left := w.names(folder.In); len(left) > 0 {
					t.Errorf("left are %v", left)
				}
			})
		}
		if steps < 3 {
			t.Errorf("%s: only %d steps were tried", kind, steps)
		}
	}
}

// TestRefused checks which files are rejected immediately without applying any of their reports,
// and the text of their .why files.
func TestRefused(t *testing.T) {
	t.Parallel()
	good := reportLine("a", "o1")
	for name, row := range map[string]struct {
		lines []string
		why   string
	}{
		"an unknown order": {[]string{good, reportLine("b", "x9")}, `there is no order "x9"`},
		"not a report":     {[]string{good, "{"}, "line 3: read a report: it is not the JSON"},
		"no kind": {[]string{strings.Replace(good, "taken", "eaten", 1)},
			"line 2: read a report: kind: must be one of taken, "},
		"no card": {[]string{strings.Replace(good, "5001", "0", 1)},
			"line 2: read a report: cardId"},
		"no time": {[]string{strings.Replace(good, `"2026-03-14T15:09:26Z"`, "null", 1)},
			"line 2: read a report: at: a value is required"},
		"no identifier": {[]string{reportLine("", "o1")}, "line 2: read a report: reportId"},
		"two values":    {[]string{good + good}, "line 2: read a report: it is not the JSON"},
		"an unknown member": {[]string{strings.Replace(good, `{`, `{"card 4000":1,`, 1)},
			"line 2: read a report: it has a member that a report does not have\n"},
	} {
		w := newWorld(t, "embedded")
		port := w.start()
		file, text := w.in(1, row.lines...)
		w.collect(port)
		why := w.read(folder.Bad, file+".why")
		if len(w.applied) > 0 || !strings.HasPrefix(why, row.why) ||
			w.read(folder.Bad, file) != string(text) {
			t.Errorf("%s: applied %s, %s", name, w.ids(), why)
		}
		// The number is free, and a second rejection does not replace the first.
		w.in(1, row.lines[:1]...)
		w.in(1, row.lines...)
		w.collect(port)
		if bad := w.names(folder.Bad); len(bad) != 4 {
			t.Errorf("%s: bad are %v", name, bad)
		}
		w.in(1, good)
		w.collect(port)
		if w.ids() != "a" {
			t.Errorf("%s: the corrected file is not taken", name)
		}
	}
}

// TestLostOrders restores a database that lacks an order which reports from the lost period refer
// to. The commands of docs/backup.md remove these reports; the others, and those of later files,
// are applied.
func TestLostOrders(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/backup.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "### Replay reports after a restore")
	_, section, _ = strings.Cut(section, "```sh\n")
	commands, _, _ := strings.Cut(section, "```")
	commands = strings.Replace(commands, "number=57", "number=1", 1)

	w := newWorld(t, "embedded")
	port := w.start()
	w.in(1, reportLine("a", "o1"), reportLine("b", "x1"), reportLine("c", ""),
		strings.Replace(reportLine("d", "x2"), "taken", "compromised", 1), reportLine("e", "x1"))
	later, text := w.in(2, reportLine("f", "o1"))
	w.collect(port)
	w.now = w.now.Add(Rest)
	w.collect(port)
	if bad := w.names(folder.Bad); len(bad) != 4 || len(w.applied) > 0 {
		t.Fatalf("bad are %v, applied %s", bad, w.ids())
	}
	run := exec.CommandContext(t.Context(), "sh", "-c", commands)
	run.Dir = w.settings.Folder
	out, err := run.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), `"d"`) {
		t.Errorf("%s, %v", out, err)
	}
	w.put(later, text)
	w.collect(port)
	if w.ids() != "a c f" {
		t.Errorf("applied %s", w.ids())
	}
}

// TestGrowing checks that a file is neither accepted nor rejected during its transfer, at any of
// its lengths, and is accepted when it is complete.
func TestGrowing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	name, text := w.in(1, reportLine("a", "o1"), reportLine("b", "o2"))
	for length := range text {
		w.put(name, text[:length])
		w.collect(port)
		w.now = w.now.Add(Rest - time.Second)
		w.collect(port)
		if bad := w.names(folder.Bad); len(bad) > 0 || len(w.applied) > 0 {
			t.Fatalf("with %d bytes: bad are %v, applied %s", length, bad, w.ids())
		}
	}
	w.put(name, text)
	w.collect(port)
	if w.ids() != "a b" {
		t.Errorf("applied %s", w.ids())
	}
}

// TestRestsIncomplete checks that a file that stays incomplete is eventually rejected, also after a
// restart in between, which restarts the wait.
func TestRestsIncomplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	name, text := w.in(1, reportLine("a", "o1"))
	w.put(name, text[:len(text)-1])
	w.collect(port)
	w.now = w.now.Add(Rest)
	port = w.start()
	w.collect(port)
	if bad := w.names(folder.Bad); len(bad) > 0 {
		t.Fatalf("bad are %v after a restart", bad)
	}
	w.now = w.now.Add(Rest)
	w.collect(port)
	if why := w.read(folder.Bad, name+".why"); !strings.Contains(why, "has no line break") {
		t.Error(why)
	}
}

// TestGap checks that a file waits for its predecessor for a limited time, and is then rejected.
func TestGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	name, _ := w.in(3, reportLine("c", "o1"))
	w.in(1, reportLine("a", "o1"))
	w.collect(port)
	if left := w.names(folder.In); !slices.Equal(left, []string{name}) || w.ids() != "a" {
		t.Errorf("left are %v, applied %s", left, w.ids())
	}
	w.in(2, reportLine("b", "o1"))
	w.collect(port)
	if w.ids() != "a b c" {
		t.Errorf("applied %s", w.ids())
	}
	late, _ := w.in(9, reportLine("z", "o1"))
	w.collect(port)
	w.now = w.now.Add(Rest)
	w.collect(port)
	const want = "a gap: number 4 was expected; send it, and then this one again\n"
	if why := w.read(folder.Bad, late+".why"); why != want || w.ids() != "a b c" {
		t.Errorf("%s, applied %s", why, w.ids())
	}
}

// TestNumberTwice checks that a repeated file is only moved, and that another file under a used
// number is rejected.
func TestNumberTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	name, _ := w.in(1, reportLine("a", "o1"))
	w.collect(port)
	w.in(1, reportLine("a", "o1"))
	w.collect(port)
	if w.ids() != "a" || len(w.names(folder.Bad)) > 0 || len(w.names(folder.In)) > 0 {
		t.Errorf("applied %s, bad are %v", w.ids(), w.names(folder.Bad))
	}
	w.in(1, reportLine("b", "o1"))
	w.collect(port)
	why := w.read(folder.Bad, name+".why")
	if w.ids() != "a" || why != "the number was used by another file; the next one is 2\n" {
		t.Errorf("applied %s, %s", w.ids(), why)
	}
	_, text := w.in(2, reportLine("b", "o1"))
	w.put(message.FileName(message.ReportFiles, 5), text)
	w.collect(port)
	why = w.read(folder.Bad, "reports-5.jsonl.why")
	if w.ids() != "a b" || why != "the first line says number 2\n" {
		t.Errorf("applied %s, %s", w.ids(), why)
	}
}

// TestStoreFails checks that a file stays in place while its reports cannot be applied.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	name, _ := w.in(1, reportLine("a", "o1"))
	w.failing = errors.New("no database")
	if err := port.Collect(t.Context(), w); !errors.Is(err, w.failing) {
		t.Error(err)
	}
	if left := w.names(folder.In); !slices.Equal(left, []string{name}) {
		t.Errorf("left are %v", left)
	}
	w.failing = nil
	w.collect(port)
	if w.ids() != "a" {
		t.Errorf("applied %s", w.ids())
	}
}

// TestNoFile checks that entries other than files are ignored: a folder, and a link to another
// place.
func TestNoFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	inside := filepath.Join(w.settings.Folder, folder.In)
	err := errors.Join(os.Mkdir(filepath.Join(inside, "reports-1.jsonl"), 0o700),
		os.Symlink(w.settings.JWKS, filepath.Join(inside, "reports-2.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	w.collect(port)
	if left := w.names(folder.In); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
}

// TestFetched checks that a file of orders counts as fetched when its name is gone from out/,
// whatever the processor did with it, and that an unreadable folder is no evidence.
func TestFetched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	for i := range 3 {
		answer, err := port.Submit(t.Context(), w.order(fmt.Sprint("o", i)))
		if err != nil {
			t.Fatal(err)
		}
		w.unfetched = append(w.unfetched, answer.File)
	}
	out := filepath.Join(w.settings.Folder, folder.Out)
	wants := func(fetched ...int) {
		t.Helper()
		if !slices.Equal(w.fetched, fetched) {
			t.Errorf("fetched are %v, want %v", w.fetched, fetched)
		}
	}
	w.collect(port)
	wants()
	if err := os.Remove(filepath.Join(out, "orders-2.jsonl")); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(out, "orders-1.jsonl")
	if err := os.Rename(first, first+".taken"); err != nil {
		t.Fatal(err)
	}
	w.collect(port)
	wants(1, 2)
	if err := os.Rename(out, out+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := port.Collect(t.Context(), w); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without out/: %v", err)
	}
	wants(1, 2)
}
