package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"mintmark/client/admin"
	"mintmark/internal/cli"
)

// answers lists problems of the interface, with the exit code of a command that receives them.
var answers = []struct {
	name   string
	status int
	code   int
}{
	{admin.NotAllowed, 403, cli.NotAllowed},
	{admin.NotFound, 404, cli.Refused},
	{admin.Invalid, 422, cli.InvalidUsage},
	{admin.Stale, 412, cli.Stale},

	{admin.NotSignedIn, 401, cli.NotAllowed},
	{admin.Conflict, 409, cli.Refused},
	{admin.IfMatchRequired, 428, cli.InvalidUsage},
	{admin.TooLarge, 413, cli.InvalidUsage},
	{admin.MethodNotAllowed, 405, cli.InvalidUsage},
	{admin.TooMany, 429, cli.Refused},
	{admin.Unavailable, 503, cli.Unreachable},
	{admin.Internal, 500, cli.Refused},
	{"of-a-later-version", 409, cli.Refused},
	{admin.NeedsApproval, 202, cli.Done},
}

// refuser answers every request with a problem and records the request. The problem's name is the
// first segment of the path.
type refuser struct{ asked sync.Map }

// ServeHTTP answers one request.
func (f *refuser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	f.asked.Store(strings.ToLower(r.Method)+" /"+path, true)
	if name == "broken" {
		fmt.Fprintln(w, "<html>")
		return
	}
	if name == admin.NeedsApproval && r.Method == http.MethodGet {
		fmt.Fprintln(w, `{"revision":1,"items":[]}`)
		return
	}
	for _, test := range answers {
		if test.name != name {
			continue
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(test.status)
		_ = json.NewEncoder(w).Encode(admin.Problem{
			Type: "/problems/" + name, Title: name, Status: test.status, ApprovalID: 17,
			Detail: "because \x1b[31m", Errors: []admin.MemberError{
				{Pointer: "/name", Detail: "is missing"},
			},
		})
	}
}

// arguments returns the minimum of arguments with which a command can be parsed.
func arguments(leaf *kong.Node) []string {
	args := strings.Fields(name(leaf))
	for _, flag := range leaf.Flags {
		if flag.Required && !flag.Hidden {
			args = append(args, "--"+flag.Name+"="+filler(flag.Value))
		}
	}
	for _, positional := range leaf.Positional {
		args = append(args, filler(positional))
	}
	if flag(leaf, "set") {
		args = append(args, "--set=a=1")
	}
	return args
}

// filler returns a text that a flag or an argument accepts.
func filler(of *kong.Value) string {
	switch {
	case of.Enum != "":
		first, _, _ := strings.Cut(of.Enum, ",")
		return first
	case of.Name == "from":
		return "24h"
	case of.Name == "file":
		return "/dev/null"
	}
	return "7"
}

// TestExitCodes runs every command that calls a server against every problem: the exit code is that
// of the table, standard output stays empty, and no escape sequence from the server is printed.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	var service refuser
	server := httptest.NewServer(&service)
	defer server.Close()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	exited := -1
	parser, err := newParser(t.Context(), nil, console{&out, &errOut}, func(code int) { exited = code })
	if err != nil {
		t.Fatal(err)
	}
	// Building a parser takes longer than running a command.
	run := func(args []string, server string) int {
		out.Reset()
		errOut.Reset()
		return runParsed(t.Context(), parser, append(args, "--server="+server), &exited)
	}
	for number, leaf := range leaves(t) {
		if !asks(leaf) || endless[name(leaf)] || name(leaf) == "card search" {
			continue // card search reads standard input first
		}
		args := append(arguments(leaf), "--token-file="+token)
		for i, test := range answers {
			// Each command meets every exit code. The remaining problems are spread over the
			// commands.
			if i > 3 && test.code != cli.Done && i != 4+number%(len(answers)-4) {
				continue
			}
			code := run(args, server.URL+"/"+test.name)
			if code != test.code || strings.Contains(errOut.String(), "\x1b") {
				t.Errorf("%v: %s gives the code %d, want %d: %q", args, test.name, code, test.code,
					errOut.String())
			}
		}
		code := run(args, "http://127.0.0.1:1")
		if code != cli.Unreachable || out.Len() > 0 ||
			!strings.Contains(errOut.String(), "does not answer") {
			t.Errorf("%v: nobody answers gives the code %d: %s", args, code, errOut.String())
		}
	}
	service.wantAll(t)
}

// wantAll checks that every operation of the interface was called by a command.
func (f *refuser) wantAll(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../../admin.openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Paths map[string]map[string]yaml.Node `yaml:"paths"`
	}
	if err := yaml.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	elsewhere := map[string]bool{
		"post /admin/v1/cards/search": true, // called in testdata/remote.txt
	}
	parameter := regexp.MustCompile(`\{[^}]*\}`)
	for path, operations := range described.Paths {
		for method := range operations {
			call := method + " " + parameter.ReplaceAllString(path, "7")
			_, known := f.asked.Load(call)
			if !known && !elsewhere[call] {
				t.Errorf("no command asks for %s %s", method, path)
			}
		}
	}
}

// TestExitCodesOfMisuse checks the exit codes of mistakes on the command line, and of acts that
// need approval.
func TestExitCodesOfMisuse(t *testing.T) {
	server := httptest.NewServer(&refuser{})
	defer server.Close()
	for _, row := range []struct {
		token, args string
		code        int
		say         string
	}{
		{"", "me", cli.NotAllowed, "set MINTMARK_TOKEN"},
		{"two words", "me", cli.InvalidUsage, "more than one word"},
		{"a", "me --token-file=/nowhere", cli.InvalidUsage, "--token-file"},
		{"a", "me --server=cards.example.com", cli.InvalidUsage, "an http or https address"},
		{"a", "me --server=http://cards.example.com", cli.InvalidUsage, "in plain HTTP"},
		{"a", "me --server=http://u:p@127.0.0.1", cli.InvalidUsage, "without a password"},
		{"a", "me --output=xml", cli.InvalidUsage, "must be one of"},
		{"a", "card lock 1", cli.InvalidUsage, "--reason-code"},
		{"a", "card lock x --reason-code=ADM", cli.InvalidUsage, "int"},
		{"a", "card unknown 1", cli.InvalidUsage, "unexpected argument"},
		{"a", "program update 1", cli.InvalidUsage, "nothing to change"},
		{"a", "program update 1 --set=a", cli.InvalidUsage, "is not NAME=VALUE"},
		{"a", "program update 1 --set=a=1 --set=a.b=1", cli.InvalidUsage, "is set already"},
		{"a", "program update 1 --file=/dev/null", cli.InvalidUsage, "not a JSON object"},
		{"a", "audit list --from=soon", cli.InvalidUsage, "a duration like 24h"},
		{"a", "me --server=" + server.URL + "/broken", cli.Unreachable, "does not follow"},
		{"a", "approval list --server=" + server.URL + "/" + admin.NeedsApproval, cli.Done, ""},
		{"a", "key rotate a --program=1 --server=" + server.URL + "/" + admin.NeedsApproval,
			cli.Done, "waits for another operator, as approval 17"},
	} {
		t.Setenv("MINTMARK_TOKEN", row.token)
		_, errOut, code := command(t, strings.Fields(row.args)...)
		if code != row.code || !strings.Contains(errOut, row.say) {
			t.Errorf("%s: code %d, want %d; %q, want %q", row.args, code, row.code, errOut, row.say)
		}
	}
	t.Setenv("MINTMARK_TOKEN", "a")
	out, _, _ := command(t, "key", "rotate", "a", "--program=1", "--output=json",
		"--server="+server.URL+"/"+admin.NeedsApproval)
	var waits admin.Problem
	if err := json.Unmarshal([]byte(out), &waits); err != nil || waits.ApprovalID != 17 {
		t.Errorf("an act that waits prints %s: %v", strconv.Quote(out), err)
	}
}
