package standin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"mintmark/internal/processor/simulator"
)

// settingsVariable turns the test program into a stand-in, so that it can be killed.
const settingsVariable = "MINTMARK_TEST_STANDIN"

func TestMain(m *testing.M) {
	if text := os.Getenv(settingsVariable); text != "" {
		runStandin(text)
		return
	}
	code := m.Run()
	if err := os.RemoveAll(keysMade); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// runStandin runs the process of a stand-in.
func runStandin(text string) {
	var s Settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err)
	}
	s.Log = slog.New(slog.DiscardHandler)
	s.Crash = func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	p, err := Open(s)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.URL())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := p.Run(ctx); err != nil {
		panic(err)
	}
}

// process is a stand-in in a separate process.
type process struct {
	*exec.Cmd
	url   string
	ended chan struct{}
}

// startProcess starts a stand-in. One that crashes before it listens has no address.
func startProcess(t *testing.T, s Settings) *process {
	t.Helper()
	text, err := json.Marshal(struct {
		Listen, Keys, Data, Folder string
		ReportURLs                 []string
		Mode                       simulator.Mode
		CrashAt                    int
	}{s.Listen, s.Keys, s.Data, s.Folder, s.ReportURLs, s.Mode, s.CrashAt})
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(os.Args[0]), ended: make(chan struct{})}
	p.Env = append(os.Environ(), settingsVariable+"="+string(text))
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	p.url = strings.TrimSpace(line)
	go func() {
		_ = p.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill kills the process, as a crash does.
func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.ended
}
