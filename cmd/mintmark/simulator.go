package main

import (
	"context"
	"fmt"
	"os"

	"mintmark/internal/processor/simulator"
	"mintmark/internal/processor/standin"
)

type simulatorCommand struct {
	Listen    string         `default:"127.0.0.1:8090" help:"Address for orders and for commands."`
	Keys      string         `required:"" type:"path" placeholder:"DIR" help:"Directory of its keys and secrets, which are made when missing."`
	Data      string         `type:"path" placeholder:"DIR" help:"Directory of its journal. Without it a restart forgets everything."`
	Files     string         `type:"path" placeholder:"DIR" help:"Folder in which files are exchanged (processor.folder)."`
	ReportURL []string       `name:"report-url" sep:"none" placeholder:"URL" help:"Operators' address of Mintmark, for reports over HTTP. May be repeated."`
	Mode      simulator.Mode `default:"instant" enum:"instant,manual,refusing,down" help:"Mode at the start: ${enum}."`
	LogFormat string         `default:"text" enum:"text,json" help:"Format of the log: ${enum}."`
	CrashAt   int            `hidden:"" help:"Kill itself at this step, counted from 1."`
}

func (simulatorCommand) Help() string {
	return "It takes orders over HTTP, and from files with --files; it reports over HTTP with " +
		"--report-url, and in files without. DIR of --keys gets processor.jwks for " +
		"processor.jwks of Mintmark's settings, secrets for processor.secrets, reportSecrets for " +
		"processor.reportSecrets. docs/processor.md describes the messages and the commands.\n\n" +
		"  mintmark processor-simulator --keys DIR --report-url http://127.0.0.1:8081\n\n" +
		"It is for tests: its commands need no credentials."
}

// Run runs until the context ends.
func (s simulatorCommand) Run(ctx context.Context, c console) error {
	p, err := standin.Open(standin.Settings{
		Listen: s.Listen, Keys: s.Keys, Data: s.Data, Folder: s.Files, ReportURLs: s.ReportURL,
		Mode: s.Mode, Log: newLog(c, s.LogFormat), CrashAt: s.CrashAt, Crash: killSelf,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "The processor simulator serves on %s\n", p.URL())
	return p.Run(ctx)
}

// killSelf ends the process like a kill from outside: it flushes nothing and answers nothing.
func killSelf() {
	process, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = process.Kill() // cannot fail for this process
	}
	select {}
}
