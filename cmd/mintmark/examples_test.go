package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"mintmark/internal/app"
	"mintmark/internal/cli"
	"mintmark/internal/face/admin"
	"mintmark/internal/operate/rows"
	"mintmark/internal/testkit/testrun"
)

// example is an example in the help of a command.
type example struct {
	command string // for example "card lock"
	line    string
}

// leaves returns all commands.
func leaves(t *testing.T) []*kong.Node {
	t.Helper()
	parser, err := newParser(t.Context(), nil, console{io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(false)
}

// name returns a command as it is typed, without the program.
func name(leaf *kong.Node) string {
	return strings.TrimPrefix(leaf.Path(), "mintmark ")
}

// asks reports whether a command can call a server.
func asks(leaf *kong.Node) bool { return flag(leaf, "server") }

// flag reports whether a command has a flag.
func flag(leaf *kong.Node, name string) bool {
	return slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == name })
}

// exampleLine matches a line of a help text that can be run.
var exampleLine = regexp.MustCompile(`(?m)^ *((?:echo .* \| |source <\()?mintmark .*)$`)

// examples returns the examples of a command.
func examples(leaf *kong.Node) []example {
	var list []example
	for _, match := range exampleLine.FindAllStringSubmatch(leaf.Detail, -1) {
		list = append(list, example{name(leaf), match[1]})
	}
	return list
}

// ofMachine reports whether an example runs on the machine itself, without a server.
func (e example) ofMachine(asks bool) bool {
	return !asks || strings.Contains(e.line, " --data ") ||
		strings.Contains(e.line, " --config ") || strings.Contains(e.line, " --export ")
}

// TestHelp checks that every help text is a sentence and has an example of its command.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, leaf := range leaves(t) {
		all := examples(leaf)
		if len(all) == 0 || !strings.Contains(all[0].line, "mintmark "+name(leaf)) &&
			!strings.Contains(all[len(all)-1].line, "mintmark "+name(leaf)) {
			t.Errorf("the help of %s has no example", name(leaf))
		}
		if leaf.Help == "" || !strings.HasSuffix(leaf.Help, ".") {
			t.Errorf("the help of %s is no sentence: %q", name(leaf), leaf.Help)
		}
	}
}

// TestExamplesOfResources checks that every operation with an example has a command, whose help
// shows the example.
func TestExamplesOfResources(t *testing.T) {
	t.Parallel()
	shown := map[string][]string{}
	for _, leaf := range leaves(t) {
		for _, e := range examples(leaf) {
			shown[e.command] = append(shown[e.command], e.line)
		}
	}
	for _, r := range admin.Resources() {
		for _, o := range r.Ops() {
			command := r.Noun + " " + o.Name
			if o.Example != "" && !slices.Contains(shown[command], o.Example) {
				t.Errorf("%s: its help has not the example %s", command, o.Example)
			}
		}
	}
}

// stage is the environment in which examples run.
type stage struct {
	t           *testing.T
	dir         string
	environment []string
	person      string // token created by a person of the sandbox
	event       string // a fixed sequence: the newest changes when more events are sealed
}

var tokenShown = regexp.MustCompile(`mmo_[^<\s]+`)

// tokenOfPerson signs in to the console and creates a token there.
func (s stage) tokenOfPerson(server string) string {
	s.t.Helper()
	var session *http.Cookie
	send := func(path string, form url.Values) string {
		s.t.Helper()
		request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, server+path,
			strings.NewReader(form.Encode()))
		if err != nil {
			s.t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", server)
		if session != nil {
			request.AddCookie(session)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			s.t.Fatal(err)
		}
		defer response.Body.Close()
		for _, cookie := range response.Cookies() {
			session = cookie
		}
		page, err := io.ReadAll(response.Body)
		if err != nil {
			s.t.Fatal(err)
		}
		return string(page)
	}
	send("/console/sign-in", url.Values{"name": {"operator"}, "password": {"operator"}})
	token := tokenShown.FindString(send("/console/tokens/new", url.Values{
		"name": {"approver"}, "roles": {"administrator"}, "allBanks": {"true"}, "reason": {"approvals"},
	}))
	if token == "" {
		s.t.Fatal("the console makes no token")
	}
	return token
}

// sh runs a line in a shell, and returns its output and exit code.
func (s stage) sh(line string, environment ...string) (out, errOut string, code int) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), "bash", "-c", line)
	command.Dir = s.dir
	command.Env = slices.Concat(os.Environ(), s.environment, environment)
	var printed, failed strings.Builder
	command.Stdout, command.Stderr = &printed, &failed
	err := command.Run()
	if err != nil && command.ProcessState == nil {
		s.t.Fatal(err)
	}
	return printed.String(), failed.String(), command.ProcessState.ExitCode()
}

// first runs a command that lists, and returns a member of the first item.
func (s stage) first(line, member string) string {
	s.t.Helper()
	out, errOut, _ := s.sh(line + " --output json")
	var list struct{ Items []map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Items) == 0 {
		s.t.Fatalf("%s: %s%s", line, out, errOut)
	}
	return strings.Trim(string(list.Items[0][member]), `"`)
}

// anAuthorization has the simulated processor approve on its own, which leaves a hold on any card.
const anAuthorization = `curl -fsS -d '{"amount":1}' $MINTMARK_SERVER/sandbox/v1/cards/5001/advices`

// before has, by command, the lines to run before its examples.
var before = map[string][]string{
	"account access get": {
		"mintmark account access set 2001 1002 --access FULL --reason first",
	},
	"authorization get": {anAuthorization},
	"customer erase": {
		"mintmark customer create --set id=1901 --set programId=1 --set status=Verified " +
			"--set access=FULL --set firstName=Grace --set lastName=Example " +
			"--set birthDate=1990-07-01 --reason first || true",
	},
	"restore":          {"mkdir -m 700 RESTORED", "cp DIR/*.json DIR/*.pem RESTORED"},
	"webhook delivery": {"mintmark webhook resend 1 EVENT"},
	"webhook get":      {"mintmark webhook create first --program 1 --url https://a.example.com"},
	"keys rotate": { // an earlier example made the key decrypt-only
		"mintmark encryption-key update 1 --bank 1 --set status=1 --reason first",
	},
	"keys retire": { // a key of a bank without cards
		"mintmark keys rotate 4 --bank 3 --reason first",
		"mintmark keys rotate 4 --bank 3 --reason second",
	},
	"approval approve": {
		"mintmark program update 1 --set fourEyes=true",
		"MINTMARK_TOKEN=sandbox-security mintmark key rotate example2 --program 1",
		"MINTMARK_TOKEN=sandbox-security mintmark key rotate legacy --program 1",
		"MINTMARK_TOKEN=sandbox-security mintmark key rotate elsewhere --program 1",
	},
}

// exampleTokens has the tokens of commands whose examples another operator must run; ofPerson
// stands for a token created by a person of the sandbox.
var exampleTokens = map[string]string{
	"approval approve": ofPerson, "approval reject": ofPerson,
	"approval withdraw": "sandbox-security", "approval result": "sandbox-security",
}

const ofPerson = "of a person"

// refusedExamples has the commands whose examples a sandbox refuses, with the message: its orders
// are done immediately, and so is a list without a card.
var refusedExamples = map[string]string{
	"order retry": orderDone, "order hold": orderDone, "order release": orderDone,
	"order drop": orderDone,

	"compromise pause": "not running", "compromise resume": "not paused",
}

// endless has the commands that run until they are stopped. The end-to-end tests run them.
var endless = map[string]bool{"listen": true}

const orderDone = "The state of the order does not allow this"

// later lists the commands whose examples run after all others, in this order.
var later = []string{
	"webhook remove", "approval approve", "approval reject", "approval withdraw", "approval list",
	"approval get", "approval result",
}

// TestExamples runs the examples of every command that calls a server, as a person would type them
// in a sandbox: with JSON output, which must be one document, and in a full run also with tables.
func TestExamples(t *testing.T) {
	t.Parallel()
	outputs := []string{"json"}
	if testrun.Full() {
		outputs = append(outputs, "table")
	}
	for _, output := range outputs {
		t.Run(output, func(t *testing.T) {
			t.Parallel()
			running, err := app.Start(t.Context(), app.Settings{
				Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
				TokensApprove: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = running.Close(context.Background()) }()
			s := stage{t: t, dir: t.TempDir(), environment: []string{
				"MINTMARK_SERVER=" + running.AdminURL(), "MINTMARK_TOKEN=sandbox-administrator",
			}}
			s.files()
			s.person = s.tokenOfPerson(running.AdminURL())
			all := leaves(t)
			slices.SortStableFunc(all, func(a, b *kong.Node) int {
				return slices.Index(later, name(a)) - slices.Index(later, name(b))
			})
			for _, leaf := range all {
				s.run(leaf, output)
			}
		})
	}
}

// files writes the files that the examples read.
func (s stage) files() {
	s.t.Helper()
	pdf, err := os.ReadFile("../../internal/app/demo/documents/en-US/fee-schedule.pdf")
	if err != nil {
		s.t.Fatal(err)
	}
	const program = `{"bankId": 1, "timeZone": "America/New_York",
		"bank": {"name": "First Example Bank", "timeZone": "America/New_York"},
		"publicKeyAlgorithms": "RSA-OAEP-SHA256-MGF1", "decimalCount": 2,
		"validAccountTypes": ["Checking"], "validProductTypes": ["Checking"]}`
	const cards = `{"kind": "cards", "programId": 3, "at": "2026-03-14T03:00:00Z"}
		{"totals": {"cards": 0}}`
	err = errors.Join(
		os.WriteFile(filepath.Join(s.dir, "cards.jsonl"), []byte(cards), 0o600),
		os.WriteFile(filepath.Join(s.dir, "terms.pdf"), pdf, 0o600),
		os.WriteFile(filepath.Join(s.dir, "rows.ndjson"), []byte(rows.FeedExample), 0o600),
		os.WriteFile(filepath.Join(s.dir, "program.json"), []byte(program), 0o600))
	if err != nil {
		s.t.Fatal(err)
	}
}

// run runs the examples of a command.
func (s *stage) run(leaf *kong.Node, output string) {
	s.t.Helper()
	if !asks(leaf) || endless[name(leaf)] {
		return
	}
	for _, line := range before[name(leaf)] {
		if _, errOut, code := s.sh(s.filled(line)); code != 0 {
			s.t.Fatalf("%s: code %d: %s", line, code, errOut)
		}
	}
	for _, e := range examples(leaf) {
		if e.ofMachine(true) {
			continue
		}
		line := s.filled(e.line)
		environment := []string{"MINTMARK_OUTPUT=" + output}
		if token := exampleTokens[e.command]; token == ofPerson {
			environment = append(environment, "MINTMARK_TOKEN="+s.person)
		} else if token != "" {
			environment = append(environment, "MINTMARK_TOKEN="+token)
		}
		out, errOut, code := s.sh(line, environment...)
		if say, refused := refusedExamples[e.command]; refused {
			if code != cli.Refused || !strings.Contains(errOut, say) || out != "" {
				s.t.Errorf("%s: code %d\n%s%s; want %q", line, code, out, errOut, say)
			}
			continue
		}
		if code != 0 {
			s.t.Errorf("%s: code %d\n%s%s", line, code, out, errOut)
			continue
		}
		lines := e.command == "audit export" || strings.Contains(line, " > ")
		if output == "json" && !lines && !json.Valid([]byte(out)) {
			s.t.Errorf("%s prints no JSON document: %s", line, out)
		}
	}
}

// filled returns an example with the identifiers of this sandbox.
func (s *stage) filled(line string) string {
	if strings.Contains(line, " ORDER") {
		line = strings.ReplaceAll(line, " ORDER", " "+s.first("mintmark order list", "id"))
	}
	if strings.Contains(line, " 1480216243 ") {
		line = strings.ReplaceAll(line, "1480216243",
			s.first("mintmark keys status --bank 3", "id"))
	}
	for noun, list := range map[string]string{
		"AUTHORIZATION": "mintmark authorization list", "HOLD": "mintmark hold list",
	} {
		if strings.Contains(line, " "+noun) {
			line = strings.ReplaceAll(line, " "+noun, " "+s.first(list, "id"))
		}
	}
	if strings.Contains(line, " EVENT") {
		if s.event == "" {
			s.event = s.first("mintmark event list --program 1", "sequence")
		}
		line = strings.ReplaceAll(line, " EVENT", " "+s.event)
	}
	return line
}

// onMachine lists the commands whose examples TestExamplesOnTheMachine runs, in this order. The
// end-to-end tests run the commands that serve, TestAudit those on a sealed log, and custody.txt
// those that need passphrases.
var onMachine = []string{
	"version", "init", "migrate", "pin-key print", "pin-key status", "pin-key rotate",
	"digest-key status", "digest-key rotate",
	"custody status", "audit key", "operator create", "operator invite",
	"token create", "backup", "restore", "completion",
}

// TestExamplesOnTheMachine runs the examples that need no server, in a new installation.
func TestExamplesOnTheMachine(t *testing.T) {
	t.Parallel()
	s := stage{t: t, dir: t.TempDir()}
	const settings = "data: DIR\npublicUrl: https://cards.example.com\n"
	err := os.WriteFile(filepath.Join(s.dir, "mintmark.yaml"), []byte(settings), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	all := leaves(t)
	for _, command := range onMachine {
		at := slices.IndexFunc(all, func(leaf *kong.Node) bool { return name(leaf) == command })
		for _, line := range before[command] {
			if _, errOut, code := s.sh(line); code != 0 {
				t.Fatalf("%s: code %d: %s", line, code, errOut)
			}
		}
		ran := 0
		for _, e := range examples(all[at]) {
			if !e.ofMachine(asks(all[at])) {
				continue
			}
			ran++
			if out, errOut, code := s.sh(e.line); code != 0 {
				t.Errorf("%s: code %d\n%s%s", e.line, code, out, errOut)
			}
		}
		if ran == 0 {
			t.Errorf("%s has no example on the machine", command)
		}
	}
}
