package main

import (
	"os"
	"strings"
	"testing"
)

// TestPackagedCompletion checks that the completion files of the package match the program.
func TestPackagedCompletion(t *testing.T) {
	t.Parallel()
	bash, err := os.ReadFile("../../deploy/deb/completion.bash")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(completions["bash"], "PROGRAM", "/usr/bin/mintmark")
	if string(bash) != want {
		t.Errorf("bash completes by %q, want %q", bash, want)
	}
	// zsh sources the file on the first completion, so the file must complete immediately.
	zsh, err := os.ReadFile("../../deploy/deb/completion.zsh")
	words := strings.TrimSuffix(strings.TrimPrefix(want, "complete "), " mintmark\n")
	command := "_bash_complete " + words
	if err != nil || !strings.HasSuffix(string(zsh), command+"\n") {
		t.Errorf("zsh completes by %q, %v, want %q", zsh, err, command)
	}
}
