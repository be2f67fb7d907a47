package fileport

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
	"mintmark/internal/store"
)

// TestOrders checks the format of a file of orders, and that it contains no secret.
func TestOrders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	lock := processor.Message{OrderID: "o2", Sequence: 2, Kind: order.Lock, CardID: 5001}
	inFile := func(number int) processor.Answer {
		return processor.Answer{Outcome: processor.Accepted, File: number}
	}
	answers, err := port.submitAll(t.Context(), []processor.Message{w.order("o1"), lock})
	if diff := cmp.Diff([]processor.Answer{inFile(1), inFile(1)}, answers); diff != "" ||
		err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	answer, err := port.Submit(t.Context(), w.order("o3"))
	if diff := cmp.Diff(inFile(2), answer); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	numbers, orderIDs := w.sent()
	if !slices.Equal(numbers, []int{1, 2}) || !slices.Equal(orderIDs, []string{"o1", "o2", "o3"}) {
		t.Errorf("files %v with the orders %v", numbers, orderIDs)
	}
	for _, plain := range []string{number, `"expireYear"`, `"pin"`} {
		reversed := []byte(plain)
		slices.Reverse(reversed)
		for _, form := range []string{
			plain, string(reversed), hex.EncodeToString([]byte(plain)),
			strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(plain)), "="),
		} {
			if strings.Contains(w.read(folder.Out, "orders-1.jsonl"), form) {
				t.Errorf("the file holds %s", form)
			}
		}
	}
}

// TestKilledWhileWriting kills the process at each step of writing, then has another one send the
// orders again. Each order is in a file, the numbers have no gap, and each file is complete.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	steps := 0
	for step := 0; step <= steps; step++ {
		t.Run(fmt.Sprint("step ", step), func(t *testing.T) {
			w := newWorld(t, "embedded")
			port := w.start()
			counted := killAt(port, step)
			all := []processor.Message{w.order("o1"), w.order("o2")}
			_, err := port.submitAll(t.Context(), all)
			if step == 0 {
				steps = *counted
			}
			if killed := errors.Is(err, errKilled); killed != (step > 0) {
				t.Fatalf("%v", err)
			}
			again := append(slices.Clone(all), w.order("o3"))
			if _, err := w.start().submitAll(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			numbers, orderIDs := w.sent()
			for i, number := range numbers {
				if number != i+1 {
					t.Errorf("the numbers are %v", numbers)
				}
			}
			slices.Sort(orderIDs)
			if !cmp.Equal(slices.Compact(orderIDs), []string{"o1", "o2", "o3"}) {
				t.Errorf("the orders are %v", orderIDs)
			}
		})
	}
	if steps < 6 {
		t.Errorf("only %d steps were tried", steps)
	}
}

// TestSameBytes checks that a file that was written by a process that died before recording it is
// written again with the same bytes, also when the processor has already fetched it.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	port.folder.Before = func(step string) error {
		if step == "written" {
			return errKilled
		}
		return nil
	}
	if _, err := port.Submit(t.Context(), w.order("o1")); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	first := w.read(folder.Out, "orders-1.jsonl")
	err := os.Remove(filepath.Join(w.settings.Folder, folder.Out, "orders-1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.start().Submit(t.Context(), w.order("o1")); err != nil {
		t.Fatal(err)
	}
	if w.read(folder.Out, "orders-1.jsonl") != first {
		t.Error("the file has other bytes now")
	}
	if numbers, _ := w.sent(); len(numbers) != 1 {
		t.Errorf("the files are %v", numbers)
	}
}

// TestFullDisk checks that a full disk keeps one file waiting, whatever is sent, and that the
// processor counts as unreachable.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, failing := range []string{"write", "sync", "rename"} {
		t.Run(failing, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "embedded")
			port := w.start()
			port.folder.Before = func(step string) error {
				if step == failing {
					return syscall.ENOSPC
				}
				return nil
			}
			for _, id := range []string{"o1", "o2", "o3"} {
				_, err := port.Submit(t.Context(), w.order(id))
				if !errors.Is(err, processor.ErrUnreachable) || !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("%s: %v", id, err)
				}
			}
			if left := w.names(folder.Out); len(left) > 0 {
				t.Errorf("%v is left in out", left)
			}
			port.folder.Before = nil
			for _, id := range []string{"o1", "o2", "o3"} {
				if _, err := port.Submit(t.Context(), w.order(id)); err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
			numbers, orderIDs := w.sent()
			if !slices.Equal(numbers, []int{1, 2, 3}) ||
				!slices.Equal(orderIDs, []string{"o1", "o2", "o3"}) {
				t.Errorf("files %v with the orders %v", numbers, orderIDs)
			}
		})
	}
}

// TestWithdrawn checks that a file whose orders were withdrawn before it could be written is
// written without them: its number leaves no gap.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	port.folder.Before = func(string) error { return syscall.ENOSPC }
	if _, err := port.Submit(t.Context(), w.order("o1")); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	text, digest, err := message.EncodeFile(1, nil)
	if err == nil {
		err = w.kept.Update(t.Context(), func(tx store.Tx) error {
			return tx.Files().Change(store.File{
				Direction: store.OrderFiles, Sequence: 1, Digest: digest, Text: text,
			})
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	port.folder.Before = nil
	answer, err := port.Submit(t.Context(), w.order("o2"))
	if err != nil || answer.File != 2 {
		t.Errorf("got %+v, %v", answer, err)
	}
	numbers, orderIDs := w.sent()
	if !slices.Equal(numbers, []int{1, 2}) || !slices.Equal(orderIDs, []string{"o2"}) {
		t.Errorf("files %v with the orders %v", numbers, orderIDs)
	}
}

// TestRenameFails uses a real obstacle: a folder occupies the name of the file.
func TestRenameFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	obstacle := filepath.Join(w.settings.Folder, folder.Out, "orders-1.jsonl", "inside")
	if err := os.MkdirAll(obstacle, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := port.Submit(t.Context(), w.order("o1"))
	if !errors.Is(err, processor.ErrUnreachable) {
		t.Errorf("%v", err)
	}
	if err := os.RemoveAll(filepath.Dir(obstacle)); err != nil {
		t.Fatal(err)
	}
	if _, err := port.Submit(t.Context(), w.order("o1")); err != nil {
		t.Error(err)
	}
	if _, orderIDs := w.sent(); !slices.Equal(orderIDs, []string{"o1"}) {
		t.Errorf("the orders are %v", orderIDs)
	}
}

// TestShared checks that concurrently submitted orders share files, each order in one.
func TestShared(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	port := w.start()
	const orders = 50
	port.writing.Lock()
	var sending sync.WaitGroup
	for i := range orders {
		sending.Go(func() {
			if _, err := port.Submit(t.Context(), w.order(fmt.Sprint("o", i))); err != nil {
				t.Error(err)
			}
		})
	}
	port.writing.Unlock()
	sending.Wait()
	numbers, orderIDs := w.sent()
	slices.Sort(orderIDs)
	if len(numbers) >= orders || len(orderIDs) != orders ||
		len(slices.Compact(orderIDs)) != orders {
		t.Errorf("%d files with %d orders", len(numbers), len(orderIDs))
	}
}

// TestTwoNodes has two processes write concurrently.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	for database := range stores {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, database)
			var writing sync.WaitGroup
			const each = 10
			for node := range 2 {
				port := w.start()
				writing.Go(func() {
					for i := range each {
						m := w.order(fmt.Sprintf("o%d-%d", node, i))
						if _, err := port.Submit(t.Context(), m); err != nil {
							t.Errorf("node %d: %v", node, err)
						}
					}
				})
			}
			writing.Wait()
			numbers, orderIDs := w.sent()
			slices.Sort(orderIDs)
			if len(numbers) != numbers[len(numbers)-1] ||
				len(slices.Compact(orderIDs)) != 2*each {
				t.Errorf("files %v with the orders %v", numbers, orderIDs)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	w.start()
	for _, part := range []string{folder.Out, folder.In, folder.Done, folder.Bad} {
		w.names(part) // exists
	}
	for name, settings := range map[string]Settings{
		"no folder":   {Folder: w.settings.Folder + "x", JWKS: w.settings.JWKS},
		"a file":      {Folder: w.settings.JWKS, JWKS: w.settings.JWKS},
		"no keys":     {Folder: w.settings.Folder},
		"no key file": {Folder: w.settings.Folder, JWKS: w.settings.JWKS + "x"},
	} {
		if _, err := Open(t.Context(), settings, w.kept, nil); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

// TestNotMounted exchanges files, then simulates an unmounted disk, whose mount point has no marker
// or one of an earlier start: no file counts as fetched, none is written, and no process starts
// until the disk is mounted again.
func TestNotMounted(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"no marker": "none", "an empty one": "", "an old one": "1\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "embedded")
			p := w.start()
			for _, id := range []string{"o1", "o2"} {
				if _, err := p.Submit(t.Context(), w.order(id)); err != nil {
					t.Fatal(err)
				}
			}
			w.unfetched = []int{1, 2}
			mount := w.unmount()
			if text != "none" {
				w.mark(text)
			}
			if err := p.Collect(t.Context(), w); !errors.Is(err, errOtherFolder) ||
				!errors.Is(err, processor.ErrUnreachable) || w.fetched != nil {
				t.Errorf("collect: %v, fetched %v", err, w.fetched)
			}
			_, err := p.Submit(t.Context(), w.order("o3"))
			if !errors.Is(err, processor.ErrUnreachable) {
				t.Errorf("submit: %v", err)
			}
			_, err = Open(t.Context(), w.settings, w.kept, nil)
			if !errors.Is(err, errOtherFolder) {
				t.Errorf("open: %v", err)
			}
			mount()
			if err := w.start().Collect(t.Context(), w); err != nil || w.fetched != nil {
				t.Errorf("mounted again: %v, fetched %v", err, w.fetched)
			}
		})
	}
}

// TestUnmountedMeanwhile unmounts the disk after the check of the marker: the empty folder of the
// mount point is no evidence that files were fetched.
func TestUnmountedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	p := w.start()
	if _, err := p.Submit(t.Context(), w.order("o1")); err != nil {
		t.Fatal(err)
	}
	w.unfetched = []int{1}
	err := p.Collect(t.Context(), unmounting{w})
	if !errors.Is(err, errOtherFolder) || w.fetched != nil {
		t.Errorf("%v, fetched %v", err, w.fetched)
	}
}

// unmounting is a world whose disk is unmounted when its files are requested.
type unmounting struct{ *world }

func (u unmounting) UnfetchedFiles(ctx context.Context) ([]int, error) {
	u.unmount()
	return u.world.UnfetchedFiles(ctx)
}

// TestMarkerOvertaken checks that a node which writes its number into the marker after another
// node's larger one blocks no node: the folder still counts as the same.
func TestMarkerOvertaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "embedded")
	p := w.start()
	for _, id := range []string{"o1", "o2", "o3"} {
		if _, err := p.Submit(t.Context(), w.order(id)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		w.mark("1\n")
	}
	w.collect(p)
	if text := w.read("", marker); text != "3\n" {
		t.Errorf("the marker says %q", text)
	}
}

// TestRestored checks that numbering continues after the files that the folder has had, whatever
// the database contains: the processor drops a file whose number it has already received.
func TestRestored(t *testing.T) {
	t.Parallel()
	lost, restored := newWorld(t, "embedded"), newWorld(t, "embedded")
	restored.settings = lost.settings
	for _, id := range []string{"o1", "o2"} {
		if _, err := lost.start().Submit(t.Context(), lost.order(id)); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := restored.start().Submit(t.Context(), restored.order("o3"))
	if err != nil || answer.File != 3 {
		t.Errorf("got %+v, %v, want file 3", answer, err)
	}
}
