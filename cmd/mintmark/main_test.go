package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mintmark/internal/importer/load"
	"mintmark/internal/vault"
)

func TestMain(m *testing.M) {
	_ = os.Setenv(collecting, "off")
	testscript.Main(m, map[string]func(){"mintmark": main})
}

// collecting is the variable with which commands leave their garbage to the end: a third of what a
// short one costs is collecting it.
const collecting = "GOGC"

// TestCommands runs the scripts in testdata: command lines and their output. e2e tests the
// commands that serve. In the scripts, keys makes the keys of a directory before init does: short
// ones, which are found in a quarter of the time.
func TestCommands(t *testing.T) {
	t.Parallel()
	demo, err := filepath.Abs("../../internal/app/demo")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		// A command that is accepted by mistake would serve for ever: the test's own time ends it.
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
