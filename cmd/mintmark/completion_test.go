package main

import (
	"os"
	"strings"
	"testing"
)

// TestPackagedCompletion holds that the package completes as the program says it should.
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
	// zsh calls the file when it completes for the first time, so it has to complete at once.
	zsh, err := os.ReadFile("../../deploy/deb/completion.zsh")
	words := strings.TrimSuffix(strings.TrimPrefix(want, "complete "), " mintmark\n")
	command := "_bash_complete " + words
	if err != nil || !strings.HasSuffix(string(zsh), command+"\n") {
		t.Errorf("zsh completes by %q, %v, want %q", zsh, err, command)
	}
}
