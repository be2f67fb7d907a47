package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/cli"
	data "mintmark/internal/cli/ledger"
	"mintmark/internal/domain/fault"
)

// trigger runs the command and returns its output.
func trigger(w *ledger.World, c cli.TriggerCommand) (printed string, err error) {
	w.T.Helper()
	c.AdminURL = w.App.AdminURL()
	var out, said bytes.Buffer
	err = c.Run(w.T.Context(), cli.Terminal{Out: &out, Err: &said})
	return out.String(), err
}

// TestTriggerList compares the list with the catalogue: every code that a request provokes, and the
// five of a failing service.
func TestTriggerList(t *testing.T) {
	t.Parallel()
	out, code := run(t, "sandbox", "trigger", "--list")
	if code != cli.Done {
		t.Fatalf("the list ends with %d: %s", code, out)
	}
	var listed, want []int
	for _, match := range regexp.MustCompile(`(?m)^[0-9]+`).FindAllString(out, -1) {
		number, err := strconv.Atoi(match)
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, number)
	}
	byRule := []int{50500, 50502, 50503, 50504, 52998}
	for _, entry := range fault.Entries() {
		if entry.Reserved == "" || slices.Contains(byRule, entry.Code) {
			want = append(want, entry.Code)
		}
	}
	if !slices.Equal(listed, want) {
		t.Errorf("listed are\n%d, want\n%d", listed, want)
	}
}

// TestTriggerRun provokes every code, in random order, and all of them once more in another order:
// each has its answer, and the world is unchanged.
func TestTriggerRun(t *testing.T) {
	t.Parallel()
	world := stillWorld(t)
	inUse := func() string {
		reply := world.Send(ledger.Request{Path: "/card/list/1001?status=Default"})
		return string(reply.Data)
	}
	before := inUse()
	seed := rand.Uint64()
	t.Logf("the seed of the order is %d", seed)
	order := rand.New(rand.NewPCG(seed, 0))
	for range 2 {
		cases := data.Triggers()
		order.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		for _, c := range cases {
			code := fault.Lookup(c.Kind).Code
			printed, err := trigger(world, cli.TriggerCommand{
				Code: code, Route: c.Path, Send: true,
			})
			if err != nil {
				t.Errorf("%d: %v", code, err)
			}
			var envelope struct{ Errors []ledger.Error }
			if err := json.Unmarshal([]byte(printed), &envelope); err != nil {
				t.Fatalf("%d: %v: %s", code, err, printed)
			}
			if len(envelope.Errors) != 1 || envelope.Errors[0].Code != code {
				t.Errorf("%d is answered %s", code, printed)
			}
		}
	}
	if after := inUse(); after != before {
		t.Errorf("the cards in use were\n%s\nand are\n%s", before, after)
	}
	rules, err := controls.Get[controls.List[controls.Fault]](
		t.Context(), controls.New(world.App.AdminURL()), "faults")
	if err != nil || len(rules.Items) > 0 {
		t.Errorf("fault rules are left: %v, %v", rules, err)
	}
}

// TestTriggerPrinted runs the output of the command in a shell: the last response has the code.
func TestTriggerPrinted(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "curl", "sed"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%v; scripts/need curl installs curl, and make test calls it", err)
		}
	}
	world := stillWorld(t)
	for _, c := range data.Triggers() {
		code := fault.Lookup(c.Kind).Code
		script, err := trigger(world, cli.TriggerCommand{Code: code, Route: c.Path})
		if err != nil {
			t.Fatal(err)
		}
		shell := exec.CommandContext(t.Context(), "sh", "-e")
		shell.Stdin = strings.NewReader(script)
		out, err := shell.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		want := fmt.Sprintf(`{"errors":[{"code":%d,`, code)
		if err != nil || !strings.HasPrefix(lines[len(lines)-1], want) {
			t.Errorf("%d: %v\n%.2000s\nanswers\n%s", code, err, script, out)
		}
	}
}

// TestTriggerTellsTrouble checks the messages of a command that fails.
func TestTriggerTellsTrouble(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for _, row := range []struct {
		command cli.TriggerCommand
		code    int
	}{
		{cli.TriggerCommand{}, cli.InvalidUsage},
		{cli.TriggerCommand{Code: 50401, List: true}, cli.InvalidUsage},
		{cli.TriggerCommand{Code: 4711}, cli.InvalidUsage},
		{cli.TriggerCommand{Code: 59001}, cli.InvalidUsage},
		{cli.TriggerCommand{Code: 150402, Route: "/card/unlock"}, cli.InvalidUsage},
	} {
		_, err := trigger(world, row.command)
		if got := cli.ExitCode(err); got != row.code {
			t.Errorf("%+v ends with %d, %v, want %d", row.command, got, err, row.code)
		}
	}
	// The rule of another tester answers instead of what the command expects.
	_, err := controls.Do[controls.Fault](t.Context(), controls.New(world.App.AdminURL()),
		http.MethodPost, "faults", controls.Fault{Route: "*", Code: 50504})
	if err != nil {
		t.Fatal(err)
	}
	printed, err := trigger(world, cli.TriggerCommand{Code: 150402, Send: true})
	if cli.ExitCode(err) != cli.Refused || !strings.Contains(printed, "50504") {
		t.Errorf("another answer ends with %v: %s", err, printed)
	}
	c := cli.TriggerCommand{
		Code: 150402, Send: true, SandboxFlags: cli.SandboxFlags{AdminURL: "http://127.0.0.1:1"},
	}
	if err := c.Run(t.Context(), cli.Terminal{}); cli.ExitCode(err) != cli.Unreachable {
		t.Errorf("no sandbox: %v", err)
	}
	var out bytes.Buffer
	c.Send = false
	err = c.Run(t.Context(), cli.Terminal{Out: &out})
	if err != nil || !strings.Contains(out.String(), " http://127.0.0.1:8080/card/lock ") {
		t.Errorf("without a sandbox is printed %s, %v", &out, err)
	}
}
