package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mintmark/internal/app"
	"mintmark/internal/cli"
)

// TestPrintJSON starts a sandbox as a test in another language would: on free ports and with a
// frozen clock. Standard output is a single line with everything such a test needs.
func TestPrintJSON(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, writing := io.Pipe()
	var errOut bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{
			"sandbox", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--seed", "1",
			"--clock", "2026-06-01T14:00:00+02:00", "--print-json",
		}, writing, &errOut)
		_ = writing.Close()
	}()
	printed := bufio.NewReader(out)
	line, err := printed.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, &errOut)
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	var ready struct {
		URL, AdminURL, PinPublicKey string
		Keys                        map[string]string
		PID                         int
	}
	if err := decoder.Decode(&ready); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	now, failed, code := command(t, "sandbox", "clock", "--admin-url", ready.AdminURL)
	if code != cli.Done || !strings.Contains(now, "2026-06-01T12:00:00Z") {
		t.Errorf("the clock is %s%s", now, failed)
	}
	response, err := http.Get(ready.URL + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK || len(ready.Keys) < 9 {
		t.Errorf("%d from %+v", response.StatusCode, ready)
	}
	stop()
	rest, err := io.ReadAll(printed)
	if code := <-ended; err != nil || len(rest) > 0 || code != cli.Done {
		t.Errorf("behind the line stands %q, %v, and the exit code is %d", rest, err, code)
	}
	if !strings.Contains(errOut.String(), "started") {
		t.Errorf("the log is %s", &errOut)
	}
}

// TestSandboxCommandsAsk checks the request that each command sends to a sandbox.
func TestSandboxCommandsAsk(t *testing.T) {
	t.Parallel()
	var requests string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests = strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL.EscapedPath(), body))
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"items":[]}`)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	for line, want := range map[string]string{
		"world":                          "GET /sandbox/v1/world",
		"clock":                          "GET /sandbox/v1/clock",
		"clock get":                      "GET /sandbox/v1/clock",
		"clock set 2036-01-01T00:00:00Z": `PUT /sandbox/v1/clock {"now":"2036-01-01T00:00:00Z"}`,
		"clock advance P90D":             `PUT /sandbox/v1/clock {"advance":"P90D"}`,
		"clock freeze":                   `PUT /sandbox/v1/clock {"frozen":true}`,
		"clock thaw":                     `PUT /sandbox/v1/clock {"frozen":false}`,
		"reset":                          "POST /sandbox/v1/reset",
		"snapshot save a/b":              "PUT /sandbox/v1/snapshots/a%2Fb",
		"snapshot restore one":           "POST /sandbox/v1/snapshots/one/restore",
		"snapshot list":                  "GET /sandbox/v1/snapshots",
		"snapshot drop one":              "DELETE /sandbox/v1/snapshots/one",
		"fault add --code 50503":         `POST /sandbox/v1/faults {"route":"*","code":50503}`,
		"fault add --route /card/lock --key example1 --delay 2s --drop after --times 3 " +
			"--probability 0.5": `POST /sandbox/v1/faults {"route":"/card/lock",` +
			`"key":"example1","delay":"2s","drop":"after","times":3,"probability":0.5}`,
		"fault list":    "GET /sandbox/v1/faults",
		"fault clear":   "DELETE /sandbox/v1/faults",
		"fault clear 7": "DELETE /sandbox/v1/faults/7",
	} {
		for _, output := range []string{"table", "json"} {
			requests = ""
			args := append([]string{"sandbox"}, strings.Fields(line)...)
			args = append(args, "--admin-url", server.URL, "-o", output)
			out, errOut, code := command(t, args...)
			if code != cli.Done || requests != want {
				t.Errorf("%s: code %d, asked %s, want %s: %s", line, code, requests, want, errOut)
			}
			if output == "json" && !json.Valid([]byte(out)) {
				t.Errorf("%s prints no JSON document: %s", line, out)
			}
		}
	}
}

// TestSandboxCommandsFail checks the exit codes of commands that fail.
func TestSandboxCommandsFail(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&refuser{})
	defer server.Close()
	for _, test := range answers {
		_, errOut, code := command(t, "sandbox", "reset", "--admin-url", server.URL+"/"+test.name)
		refused := test.status >= http.StatusBadRequest
		if refused && code != test.code || strings.Contains(errOut, "\x1b") {
			t.Errorf("%s: code %d, %q", test.name, code, errOut)
		}
	}
	for code, args := range map[int][]string{
		cli.Unreachable:  {"clock", "--admin-url", server.URL + "/broken"},
		cli.InvalidUsage: {"world", "--admin-url", "localhost:8081"},
	} {
		out, errOut, got := command(t, append([]string{"sandbox"}, args...)...)
		if got != code || out != "" || errOut == "" {
			t.Errorf("%v: code %d, want %d: %s%s", args, got, code, out, errOut)
		}
	}
	for _, line := range []string{
		"clock set tomorrow", "clock advance", "snapshot save", "fault add --drop never",
		"--clock yesterday",
	} {
		args := append([]string{"sandbox"}, strings.Fields(line)...)
		if _, _, code := command(t, args...); code != cli.InvalidUsage {
			t.Errorf("%s: code %d", line, code)
		}
	}
}

// TestSandboxExamples runs the examples of the commands that control a running sandbox.
func TestSandboxExamples(t *testing.T) {
	t.Parallel()
	running, err := app.Start(t.Context(), app.Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = running.Close(context.Background()) }()
	s := stage{t: t, dir: t.TempDir()}
	ran := 0
	for _, leaf := range leaves(t) {
		if !flag(leaf, "admin-url") {
			continue
		}
		for _, e := range examples(leaf) {
			ran++
			// MINTMARK_SERVER, which other commands use, is also accepted as the sandbox's address.
			s.environment = []string{"MINTMARK_SERVER=" + running.AdminURL()}
			if ran%2 == 0 {
				s.environment = []string{
					"MINTMARK_SERVER=http://127.0.0.1:1", "MINTMARK_ADMIN_URL=" + running.AdminURL(),
				}
			}
			out, errOut, code := s.sh(e.line, "MINTMARK_OUTPUT=json")
			if code != cli.Done || !json.Valid([]byte(out)) {
				t.Errorf("%s: code %d\n%s%s", e.line, code, out, errOut)
			}
		}
	}
	const fewest = 14 // one for each command that controls a sandbox
	if ran < fewest {
		t.Errorf("%d examples were run", ran)
	}
}
