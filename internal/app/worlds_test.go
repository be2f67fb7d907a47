package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/clock"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// begun is the time at which the clocks of these tests are frozen.
var begun = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// repeatable returns the settings of a sandbox whose responses are the same each time.
func repeatable(dir string) Settings {
	settings, seed := sandboxIn(dir), uint64(7)
	settings.Seed, settings.Clock = &seed, clock.FrozenAt(begun)
	return settings
}

// control sends a request to the controls of a sandbox, which must succeed.
func control[T any](t testing.TB, running *App, method, path string, body any) T {
	t.Helper()
	client := wire.New(running.AdminURL())
	answer, err := wire.Do[T](context.Background(), client, method, path, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

func saveWorld(t testing.TB, running *App, name string) wire.Snapshot {
	t.Helper()
	return control[wire.Snapshot](t, running, http.MethodPut, "snapshots/"+name, nil)
}

func restoreWorld(t testing.TB, running *App, name string) {
	t.Helper()
	control[struct{}](t, running, http.MethodPost, "snapshots/"+name+"/restore", nil)
}

func resetWorld(t testing.TB, running *App) {
	t.Helper()
	control[struct{}](t, running, http.MethodPost, "reset", nil)
}

// fullResponse returns a response with its headers, over a new connection.
func fullResponse(t testing.TB, running *App, key, path, body string, headers ...string) string {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(context.Background(), method, running.URL()+path,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(key, key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	response.Header.Del("Date") // comes from the wall clock
	var all []string
	for name, values := range response.Header {
		all = append(all, fmt.Sprintf("%s: %s", name, strings.Join(values, ", ")))
	}
	slices.Sort(all)
	return fmt.Sprintf("%s %s\n%s\n%s\n%s", method, path, response.Status,
		strings.Join(all, "\n"), text)
}

// orderOf returns a body that orders a card with a tag.
func orderOf(tag string) string {
	return `{"customerId":1001,"cardHolderCustomerId":1001,"vendorTypeCode":"VS",` +
		`"primaryAccountId":2001,"firstName":"Ada","lastName":"Example","nickName":"` + tag +
		`","tag":"` + tag + `"}`
}

// exerciseCallers sends requests of callers that read and change the data, and returns all
// responses.
func exerciseCallers(t testing.TB, running *App) []string {
	t.Helper()
	ask := func(path, body string, headers ...string) string {
		return fullResponse(t, running, "example1", path, body, headers...)
	}
	return []string{
		ask("/program/get", ""),
		ask("/card/initiate", orderOf("one")),
		ask("/card/getbytag/1001/one", ""),
		ask("/card/initiate", orderOf("two"), "Idempotency-Key", "k1"),
		ask("/card/initiate", orderOf("two"), "Idempotency-Key", "k1"),
		ask("/card/lock", `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`),
		ask("/card/getbycustomer/1001", ""),
		fullResponse(t, running, "limited", "/program/get", ""),
		fullResponse(t, running, "limited", "/program/get", ""),
		fullResponse(t, running, "limited", "/program/get", ""),
		fullResponse(t, running, "limited", "/program/get", ""),
	}
}

// TestRestore sends the same requests again after a restore. All responses must be the same, and
// those after a reset must equal those of the start.
func TestRestore(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"memory": "", "file": dataDir(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			running := start(t, repeatable(dir))
			defer stop(t, running)
			first := exerciseCallers(t, running)
			fullResponse(t, running, "limited", "/program/get", "")
			running.Clock.Advance(100 * time.Millisecond)
			snapshot := saveWorld(t, running, "here")
			second := exerciseCallers(t, running)
			for range 3 {
				running.Clock.Advance(time.Hour)
				restoreWorld(t, running, "here")
				if now := running.Clock.Now(); !now.Equal(snapshot.Now) {
					t.Errorf("it is %s, and was %s", now, snapshot.Now)
				}
				if diff := cmp.Diff(second, exerciseCallers(t, running)); diff != "" {
					t.Fatalf("answers (-before +again):\n%s", diff)
				}
			}
			for range 2 {
				resetWorld(t, running)
				if diff := cmp.Diff(first, exerciseCallers(t, running)); diff != "" {
					t.Fatalf("answers (-started +reset):\n%s", diff)
				}
			}
			all := control[wire.List[wire.Snapshot]](t, running, http.MethodGet, "snapshots", nil)
			if diff := cmp.Diff([]wire.Snapshot{snapshot}, all.Items); diff != "" {
				t.Errorf("snapshots (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSnapshotRefusals checks the responses to unknown and invalid snapshot names.
func TestSnapshotRefusals(t *testing.T) {
	t.Parallel()
	running := start(t, repeatable(""))
	defer stop(t, running)
	client := wire.New(running.AdminURL())
	for request, want := range map[string]string{
		"POST snapshots/none/restore": "Not Found",
		"DELETE snapshots/none":       "Not Found",
		"PUT snapshots/.hidden":       "name",
		"POST snapshots":              "Method Not Allowed",
	} {
		method, path, _ := strings.Cut(request, " ")
		_, err := wire.Do[struct{}](t.Context(), client, method, path, nil)
		if err == nil || !strings.Contains(fmt.Sprintf("%+v", err), want) {
			t.Errorf("%s: %v, want %s", request, err, want)
		}
	}
}

// TestSnapshotsAreBounded saves the maximum number of snapshots. One more must be refused, and an
// existing one can be replaced.
func TestSnapshotsAreBounded(t *testing.T) {
	t.Parallel()
	running := start(t, repeatable(""))
	defer stop(t, running)
	client := wire.New(running.AdminURL())
	none, err := wire.Do[map[string]json.RawMessage](t.Context(), client, "GET", "requests", nil)
	if err != nil || string(none["items"]) != "[]" {
		t.Errorf("the requests of a new sandbox are %s, %v", none["items"], err)
	}
	save := func(number int) error {
		path := fmt.Sprint("snapshots/s", number)
		_, err := wire.Do[wire.Snapshot](t.Context(), client, "PUT", path, nil)
		return err
	}
	const most = 100
	for number := range most {
		if err := save(number); err != nil {
			t.Fatal(err)
		}
	}
	if err := save(most); err == nil || !strings.Contains(fmt.Sprintf("%+v", err), "There are 100") {
		t.Errorf("one more: %v", err)
	}
	if err := save(0); err != nil {
		t.Errorf("one again: %v", err)
	}
}

// TestClockOutlivesRestart checks that the clock is stored with the data, and that a clock in the
// settings overrides it at a start.
func TestClockOutlivesRestart(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	running := start(t, sandboxIn(dir))
	running.Clock.Set(clock.Setting{Frozen: begun})
	saveWorld(t, running, "then")
	running.Clock.Set(clock.Setting{})
	restoreWorld(t, running, "then")
	stop(t, running)

	again := start(t, sandboxIn(dir))
	if now := again.Clock.Now(); !now.Equal(begun) {
		t.Errorf("after a restart it is %s", now)
	}
	resetWorld(t, again)
	if again.Clock.Frozen() {
		t.Error("after a reset time stands still")
	}
	restoreWorld(t, again, "then")
	stop(t, again)

	settings := repeatable(dir)
	settings.Clock = clock.FrozenAt(begun.Add(time.Hour))
	last := start(t, settings)
	defer stop(t, last)
	if now := last.Clock.Now(); !now.Equal(begun.Add(time.Hour)) {
		t.Errorf("started at a moment of its own it is %s", now)
	}
}

// TestManyResets resets and restores a sandbox repeatedly, which must not leak anything.
// MINTMARK_RESETS sets the number of resets.
func TestManyResets(t *testing.T) {
	const often = 10
	warmUp, times := 20, 60
	if testrun.Full() {
		warmUp, times = 50, 150
	}
	if set, err := strconv.Atoi(os.Getenv("MINTMARK_RESETS")); err == nil {
		times = set
	}
	running := start(t, repeatable(""))
	defer stop(t, running)
	saveWorld(t, running, "here")
	again := func(count int) {
		for i := range count {
			resetWorld(t, running)
			if i%often == 0 {
				restoreWorld(t, running, "here")
				saveWorld(t, running, "here")
			}
		}
	}
	again(warmUp)
	goroutines, heap, files := resourceUsage(t)
	again(times - warmUp)
	if more, _, _ := resourceUsage(t); more > goroutines+10 {
		t.Errorf("%d goroutines after %d resets, and %d before", more, times, goroutines)
	}
	if _, more, _ := resourceUsage(t); more > heap+heap/2+4<<20 {
		t.Errorf("%d bytes on the heap after %d resets, and %d before", more, times, heap)
	}
	if _, _, more := resourceUsage(t); more > files+5 {
		t.Errorf("%d open files after %d resets, and %d before", more, times, files)
	}
}

// resourceUsage returns what this process holds: goroutines, bytes on the heap, open files.
func resourceUsage(t *testing.T) (goroutines, heap, files int) {
	t.Helper()
	time.Sleep(200 * time.Millisecond) //nolint:forbidigo // connections close in their own time
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Logf("open files are not counted: %v", err)
	}
	return runtime.NumGoroutine(), int(memory.HeapAlloc), len(open)
}

// TestNodesFollow runs two sandboxes on one PostgreSQL database. What one restores, the other must
// soon show, and likewise its clock.
func TestNodesFollow(t *testing.T) {
	t.Parallel()
	settings := repeatable(dataDir(t))
	settings.Database.URL = pgtest.URL(t)
	app := start(t, settings)
	defer stop(t, app)
	settings.Data, settings.Clock = dataDir(t), clock.New(clock.Setting{})
	other := start(t, settings)
	defer stop(t, other)
	if now := other.Clock.Now(); !now.Equal(begun) {
		t.Errorf("the second node starts at %s", now)
	}
	before := fullResponse(t, other, "example1", "/program/get", "")
	saveWorld(t, app, "here")
	ordered := fullResponse(t, other, "example1", "/card/initiate", orderOf("later"))
	if !strings.Contains(ordered, "200 OK") {
		t.Fatal(ordered)
	}
	control[wire.Clock](t, app, "PUT", "clock", wire.ClockChange{Advance: "1h"})
	testrun.Within(t, "the clock", func() bool {
		return other.Clock.Now().Equal(begun.Add(time.Hour))
	})
	restoreWorld(t, app, "here")
	same := func() bool {
		return other.sandbox.Generation().Number() == app.sandbox.Generation().Number()
	}
	testrun.Within(t, "the world", same)
	testrun.Within(t, "the clock of the world", func() bool {
		return other.Clock.Now().Equal(begun)
	})
	gone := fullResponse(t, other, "example1", "/card/getbytag/1001/later", "")
	if strings.Contains(gone, "200 OK") {
		t.Errorf("the second node still shows a card of the world before:\n%s", gone)
	}
	after := fullResponse(t, other, "example1", "/program/get", "")
	if diff := cmp.Diff(settingsOf(before), settingsOf(after)); diff != "" {
		t.Errorf("settings (-before +after):\n%s", diff)
	}
	resetWorld(t, other)
	testrun.Within(t, "the reset", same)
	if started := fullResponse(t, app, "example1", "/card/initiate", orderOf("later")); !strings.Contains(
		started, "200 OK") {
		t.Error(started)
	}
}

// settingsOf returns the settings of a program in a response.
func settingsOf(answer string) string {
	_, data, _ := strings.Cut(answer, `{"data":`)
	data, _, _ = strings.Cut(data, `,"errors":`)
	return data
}

// BenchmarkRestore restores the demo data, and BenchmarkReset writes it again, as a client sees it.
func BenchmarkRestore(b *testing.B) {
	onBoth(b, func(running *App) { restoreWorld(b, running, "here") })
}

func BenchmarkReset(b *testing.B) { onBoth(b, func(running *App) { resetWorld(b, running) }) }

// onBoth measures a function on a sandbox in memory and on one in a file, each with a snapshot.
func onBoth(b *testing.B, fn func(*App)) {
	for name, dir := range map[string]string{"memory": "", "file": b.TempDir()} {
		b.Run(name, func(b *testing.B) {
			running, err := Start(b.Context(), sandboxIn(dir))
			if err != nil {
				b.Fatal(err)
			}
			defer running.Close(context.Background())
			saveWorld(b, running, "here")
			for b.Loop() {
				fn(running)
			}
		})
	}
}
