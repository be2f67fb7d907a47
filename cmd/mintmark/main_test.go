package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	"mintmark/internal/cli"
	"mintmark/internal/importer/load"
	"mintmark/internal/vault"
)

func TestMain(m *testing.M) {
	_ = os.Setenv(collecting, "off")
	testscript.Main(m, map[string]func(){"mintmark": main})
}

// collecting is the environment variable that turns garbage collection off: it is a third of the
// cost of a short command.
const collecting = "GOGC"

// TestTyped checks that a parser with only the verbs of the typed noun prints the same as a parser
// with all verbs.
func TestTyped(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	exited := -1
	parserOf := func(typed cli.Typed) *kong.Kong {
		parser, err := newParser(t.Context(), typed, console{&out, &out}, func(code int) {
			exited = code
		})
		if err != nil {
			t.Fatal(err)
		}
		return parser
	}
	says := func(parser *kong.Kong, line []string) string {
		out.Reset()
		exited = -1
		code := runParsed(t.Context(), parser, line, &exited)
		return fmt.Sprintln(code, out.String())
	}
	all := parserOf(nil)
	lines := [][]string{{"--help"}, {}, {"crd"}, {"card", "lok"}, {"program", "program-account"}}
	for _, noun := range all.Model.Children {
		lines = append(lines, []string{noun.Name, "--help"})
	}
	for _, line := range lines {
		typed := parserOf(append(cli.Typed{"mintmark"}, line...))
		if got, want := says(typed, line), says(all, line); got != want {
			t.Errorf("mintmark %s prints\n%s\nand with all nouns\n%s", line, got, want)
		}
	}
	few := len(parserOf(cli.Typed{"mintmark"}).Model.Leaves(false))
	if commands := len(all.Model.Leaves(false)); few > commands/2 {
		t.Errorf("without a noun %d of %d commands are made", few, commands)
	}
}

// TestCommands runs the scripts in testdata: command lines and their output. Package e2e tests the
// commands that serve. In the scripts, the command keys creates the keys of a directory before init
// does: short ones, which are generated in a quarter of the time.
func TestCommands(t *testing.T) {
	t.Parallel()
	demo, err := filepath.Abs("../../internal/app/demo")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		// A command accepted by mistake would serve forever, until the timeout of the test.
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"keys": func(s *testscript.TestScript, _ bool, directories []string) {
				for _, name := range directories {
					_, err := vault.Open(vault.Settings{Dir: s.MkAbs(name), PinKeyBits: 2048})
					s.Check(err)
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("DEMO", demo)
			env.Setenv(collecting, "off")
			work := env.Getenv("WORK")
			const settings = "data: data\npublicUrl: https://cards.example.com\n"
			return errors.Join(
				os.WriteFile(work+"/settings.yaml", []byte(settings), 0o600),
				os.WriteFile(work+"/example.yaml", []byte(load.Example), 0o600),
			)
		},
	})
}
