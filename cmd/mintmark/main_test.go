package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mintmark/internal/load"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mintmark": main})
}

// TestCommands runs the scripts in testdata: command lines and their output. e2e tests the
// commands that serve.
func TestCommands(t *testing.T) {
	t.Parallel()
	demo, err := filepath.Abs("../../internal/demo")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		// A command that is accepted by mistake would serve for ever: the test's own time ends it.
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DEMO", demo)
			work := env.Getenv("WORK")
			const settings = "data: data\npublicUrl: https://cards.example.com\n"
			return errors.Join(
				os.WriteFile(work+"/settings.yaml", []byte(settings), 0o600),
				os.WriteFile(work+"/example.yaml", []byte(load.Example), 0o600),
			)
		},
	})
}
