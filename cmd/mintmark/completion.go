package main

import (
	"fmt"
	"os"
	"strings"
)

// completionCommand prints the script with which a shell completes command lines: the shell then
// asks this program for the possible words.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: ${enum}."`
}

func (completionCommand) Help() string {
	return "In the file that the shell reads when it starts:\n\n" +
		"source <(mintmark completion bash)\n\n" +
		"For fish: mintmark completion fish | source\n\n" +
		"mintmark completion bash"
}

// completions are the scripts by shell.
var completions = map[string]string{
	"bash": "complete -o default -o bashdefault -C 'PROGRAM' mintmark\n",
	"zsh": "autoload -U +X bashcompinit && bashcompinit\n" +
		"complete -o default -o bashdefault -C 'PROGRAM' mintmark\n",
	"fish": `function __complete_mintmark
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    'PROGRAM'
end
complete -f -c mintmark -a "(__complete_mintmark)"
`,
}

func (s completionCommand) Run(c console) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	quoted := strings.ReplaceAll(program, "'", `'\''`)
	fmt.Fprint(c.out, strings.ReplaceAll(completions[s.Shell], "PROGRAM", quoted))
	return nil
}
