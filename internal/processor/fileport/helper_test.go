package fileport

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/vault"
)

const (
	number = "4000001234567899"
	pinned = "7391"
)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

var private = sync.OnceValue(func() jose.JSONWebKeySet {
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: testKey(), KeyID: "k1"}}}
})

// stores are the databases that store the numbers.
var stores = map[string]func(*testing.T) store.Store{
	"embedded": func(t *testing.T) store.Store {
		kept, _, err := cached.OpenMemory(t.Context(), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return kept
	},
	"PostgreSQL": func(t *testing.T) store.Store {
		opened, err := postgres.Open(t.Context(), pgtest.URL(t), postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return sqlstore.New(opened)
	},
}

// world is a folder, a store and the applied reports.
type world struct {
	*testing.T
	settings Settings
	kept     store.Store
	now      time.Time // wall time
	applied  []order.Report
	known    func(orderID string) bool
	failing  error // returned when reports are applied

	unfetched []int // the numbers of the sent files of orders
	fetched   []int // the numbers recorded as fetched
}

func newWorld(t *testing.T, database string) *world {
	t.Helper()
	dir := t.TempDir()
	public := private().Keys[0].Public()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "processor.jwks"), text, 0o600)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "files"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		T: t, settings: Settings{
			Folder: filepath.Join(dir, "files"), JWKS: filepath.Join(dir, "processor.jwks"),
		},
		kept: stores[database](t), now: time.Unix(1_800_000_000, 0),
		known: func(orderID string) bool { return strings.HasPrefix(orderID, "o") },
	}
	t.Cleanup(func() {
		if err := w.kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// start opens the port, as at the start of a process that uses the folder.
func (w *world) start() *Port {
	w.Helper()
	port, err := Open(w.Context(), w.settings, w.kept, slog.New(slog.DiscardHandler))
	if err != nil {
		w.Fatal(err)
	}
	port.now = func() time.Time { return w.now }
	return port
}

// ApplyReports applies each report once, as package issuing does.
func (w *world) ApplyReports(
	_ context.Context, reports []order.Report,
) ([]order.ReportResult, error) {
	if w.failing != nil {
		return nil, w.failing
	}
	for _, report := range reports {
		if !slices.Contains(w.applied, report) {
			w.applied = append(w.applied, report)
		}
	}
	return nil, nil
}

func (w *world) UnfetchedFiles(context.Context) ([]int, error) {
	return slices.Clone(w.unfetched), w.failing
}

func (w *world) FileFetched(_ context.Context, number int) error {
	w.fetched = append(w.fetched, number)
	w.unfetched = slices.DeleteFunc(w.unfetched, func(n int) bool { return n == number })
	return nil
}

func (w *world) CheckReports(
	_ context.Context, reports []order.Report,
) ([]order.Report, string, error) {
	var unknown []string
	for _, report := range reports {
		if report.OrderID != "" && !w.known(report.OrderID) {
			unknown = append(unknown, fmt.Sprintf("there is no order %q", report.OrderID))
		}
	}
	if len(unknown) > 0 {
		return nil, strings.Join(unknown, "\n"), nil
	}
	return reports, "", nil
}

func (w *world) order(id string) processor.Message {
	w.Helper()
	parsed, err := pan.Parse(number)
	if err != nil {
		w.Fatal(err)
	}
	return processor.Message{
		OrderID: id, Sequence: 1, Kind: order.Make, CardID: 5001, ProgramID: 1, Created: w.now,
		Secret: &processor.Secret{
			Number: parsed, ExpireMonth: 11, ExpireYear: 2031,
			Pin: &vault.Pin{Text: secret.New(pinned)},
		},
	}
}

// in writes a file into in/, as the processor does.
func (w *world) in(sequence int, lines ...string) (name string, text []byte) {
	w.Helper()
	var raw [][]byte
	for _, line := range lines {
		raw = append(raw, []byte(line))
	}
	text, _, err := message.EncodeFile(sequence, raw)
	if err != nil {
		w.Fatal(err)
	}
	name = message.FileName(message.ReportFiles, sequence)
	w.put(name, text)
	return name, text
}

func (w *world) put(name string, text []byte) {
	w.Helper()
	err := os.WriteFile(filepath.Join(w.settings.Folder, folder.In, name), text, 0o600)
	if err != nil {
		w.Fatal(err)
	}
}

// reportLine returns a valid report.
func reportLine(id, orderID string) string {
	return fmt.Sprintf(`{"reportId":%q,"orderId":%q,"cardId":5001,"kind":"taken",`+
		`"at":"2026-03-14T15:09:26Z"}`, id, orderID)
}

// unmount moves the folder away as if its disk were unmounted, and returns a function that mounts
// it again.
func (w *world) unmount() (mount func()) {
	w.Helper()
	path := w.settings.Folder
	disk := path + " elsewhere"
	err := os.Rename(path, disk)
	if err == nil {
		err = os.MkdirAll(filepath.Join(path, folder.Out), 0o700)
	}
	if err != nil {
		w.Fatal(err)
	}
	return func() {
		w.Helper()
		if err := errors.Join(os.RemoveAll(path), os.Rename(disk, path)); err != nil {
			w.Fatal(err)
		}
	}
}

// mark writes a text into the marker.
func (w *world) mark(text string) {
	w.Helper()
	err := os.WriteFile(filepath.Join(w.settings.Folder, marker), []byte(text), 0o600)
	if err != nil {
		w.Fatal(err)
	}
}

// names returns the files in a part of the folder.
func (w *world) names(part string) []string {
	w.Helper()
	entries, err := os.ReadDir(filepath.Join(w.settings.Folder, part))
	if err != nil {
		w.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func (w *world) read(part, name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.settings.Folder, part, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// sent returns the numbers of the files in out/ and the orders in them, and checks each file.
func (w *world) sent() (numbers []int, orderIDs []string) {
	w.Helper()
	for _, name := range w.names(folder.Out) {
		if number, ours := message.FileNumber(message.OrderFiles, name); ours {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		text := w.read(folder.Out, message.FileName(message.OrderFiles, number))
		file, err := message.DecodeFile([]byte(text))
		if err != nil || file.Sequence != number {
			w.Fatalf("file %d: %+v, %v", number, file, err)
		}
		for _, line := range file.Lines {
			body, err := message.DecodeOrder(line)
			if err == nil && body.Sealed != "" {
				_, err = message.Open(private(), body.OrderID, body.Sealed)
			}
			if err != nil {
				w.Fatal(err)
			}
			orderIDs = append(orderIDs, body.OrderID)
		}
	}
	return numbers, orderIDs
}

// errKilled simulates the end of the process at a step.
var errKilled = errors.New("killed")

// killAt stops a port at a step, counted from 1, and makes it do nothing after that. The result
// counts the steps.
func killAt(p *Port, step int) *int {
	var steps int
	p.folder.Before = func(string) error {
		steps++
		if step > 0 && steps >= step {
			return errKilled
		}
		return nil
	}
	return &steps
}
