package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mintmark/internal/load"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mintmark": main})
}

// TestCommands plays the stories in testdata: what somebody types, and what the program answers.
// The commands that serve are played in e2e.
func TestCommands(t *testing.T) {
	t.Parallel()
	demo, err := filepath.Abs("../../internal/demo")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		// A command that should be refused, and is not, serves for ever.
		Deadline: time.Now().Add(5 * time.Minute),
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
