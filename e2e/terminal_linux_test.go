package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal on which the program runs, as people sit at.
type terminal struct {
	*testing.T
	keyboard *os.File // what is written here was typed; what is read here is on the screen
	command  *exec.Cmd
	ended    chan error

	mu     sync.Mutex
	screen bytes.Buffer
	seen   int // how much of the screen was waited for
}

// onTerminal starts the program on a terminal of its own.
func onTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	line, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	w := &terminal{T: t, keyboard: keyboard, command: command(t, args...),
		ended: make(chan error, 1)}
	w.command.Stdin, w.command.Stdout, w.command.Stderr = line, line, line
	w.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.command.Process.Kill() })
	go w.show()
	go func() { w.ended <- w.command.Wait() }()
	return w
}

// show keeps what is on the screen until the program has closed the terminal.
func (w *terminal) show() {
	text := make([]byte, 1<<10)
	for {
		read, err := w.keyboard.Read(text)
		w.mu.Lock()
		w.screen.Write(text[:read])
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *terminal) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.screen.String()
}

// until waits for something.
func (w *terminal) until(what string, fulfilled func() bool) {
	w.T.Helper()
	for late := time.Now().Add(time.Minute); !fulfilled(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(late) {
			w.T.Fatalf("%s is waited for in vain; the screen shows %q", what, w.text())
		}
	}
}

// appears waits until a text stands behind what was waited for before.
func (w *terminal) appears(text string) {
	w.T.Helper()
	w.until(text, func() bool {
		shown := w.text()
		at := strings.Index(shown[w.seen:], text)
		if at < 0 {
			return false
		}
		w.seen += at + len(text)
		return true
	})
}

// echoes reports whether the terminal shows what is typed.
func (w *terminal) echoes() bool {
	w.T.Helper()
	modes, err := unix.IoctlGetTermios(int(w.keyboard.Fd()), unix.TCGETS)
	if err != nil {
		w.T.Fatal(err)
	}
	return modes.Lflag&unix.ECHO != 0
}

// answers waits for a question that is asked without an echo, and types the answer.
func (w *terminal) answers(question, answer string) {
	w.T.Helper()
	w.appears(question)
	w.until("a terminal that shows nothing", func() bool { return !w.echoes() })
	if _, err := w.keyboard.WriteString(answer); err != nil {
		w.T.Fatal(err)
	}
	w.until("the end of the question", func() bool {
		return strings.Contains(w.text()[w.seen:], "\n")
	})
}

// ends waits for the end of the program, and wants nothing of some texts on the screen.
func (w *terminal) ends(code int, secrets ...string) string {
	w.T.Helper()
	select {
	case <-w.ended:
	case <-time.After(time.Minute):
		w.T.Fatalf("the program goes on: %q", w.text())
	}
	w.until("the last line", func() bool { return strings.HasSuffix(w.text(), "\n") })
	if got := w.command.ProcessState.ExitCode(); got != code {
		w.T.Errorf("the program ends with %d, want %d: %q", got, code, w.text())
	}
	if !w.echoes() {
		w.T.Error("the terminal is left without an echo")
	}
	for _, secret := range secrets {
		if strings.Contains(w.text(), secret) {
			w.T.Errorf("a passphrase is on the screen: %q", w.text())
		}
	}
	return strings.ReplaceAll(w.text(), "\r\n", "\n")
}

// asked is how often a text is on a screen.
func asked(t *testing.T, screen, question string, want int) {
	t.Helper()
	if got := strings.Count(screen, question); got != want {
		t.Errorf("%q is asked %d times, want %d: %q", question, got, want, screen)
	}
}

// TestCustodiansAtATerminal has two custodians type their passphrases: new ones twice, those of a
// server that starts once each. Each is asked by name, nothing they type is shown, and a refusal
// does not tell which of the two was wrong.
func TestCustodiansAtATerminal(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	p := production{t, filepath.Join(directory, "data"), filepath.Join(directory, "mintmark.yaml")}
	configure(t, p.config, p.data, "insecure: true\n")
	ceremony := []string{"init", "--config", p.config, "--custodians", "ada,grace"}

	w := onTerminal(t, ceremony...)
	w.answers("New passphrase of ada: ", adasPassphrase+"\n")
	w.answers("The same again: ", "correct horse batteries\n")
	w.answers("New passphrase of grace: ", gracesPassphrase+"\n")
	w.answers("The same again: ", gracesPassphrase+"\n")
	said := w.ends(1, adasPassphrase, "batteries", gracesPassphrase)
	if !strings.Contains(said, "the passphrase of ada: the two are not the same") {
		t.Errorf("init says %q", said)
	}
	w = onTerminal(t, ceremony...)
	for _, name := range []string{"ada", "grace"} {
		w.answers("New passphrase of "+name+": ", "too short\n")
		w.answers("The same again: ", "too short\n")
	}
	said = w.ends(1, "too short")
	for _, why := range []string{
		"the passphrase of ada is shorter than 16 characters",
		"the passphrase of grace is shorter than 16 characters", "have one passphrase",
	} {
		if !strings.Contains(said, why) {
			t.Errorf("init does not say %q: %q", why, said)
		}
	}
	if _, err := os.Stat(filepath.Join(p.data, "keyset.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused passphrase leaves keys (%v)", err)
	}

	w = onTerminal(t, ceremony...)
	w.answers("New passphrase of ada: ", adasPassphrase+"\n")
	w.answers("The same again: ", adasPassphrase+"\n")
	w.answers("New passphrase of grace: ", gracesPassphrase+"\n")
	w.answers("The same again: ", gracesPassphrase+"\n")
	said = w.ends(0, adasPassphrase, gracesPassphrase)
	asked(t, said, "assphrase of ", 2)
	if !strings.Contains(said, "The key files are wrapped: passphrases ada and grace.") {
		t.Errorf("init says %q", said)
	}
	wantWrapped(t, p.data)
	p.serveAtTerminal()
	p.refusedAtTerminal()
}

// serveAtTerminal starts a server with both passphrases.
func (p production) serveAtTerminal() {
	p.Helper()
	w := onTerminal(p.T, "serve", "--config", p.config)
	w.answers("Passphrase of ada: ", adasPassphrase+"\n")
	w.answers("Passphrase of grace: ", gracesPassphrase+"\n")
	w.appears("serves on")
	if err := w.command.Process.Signal(syscall.SIGTERM); err != nil {
		p.Fatal(err)
	}
	said := w.ends(0, adasPassphrase, gracesPassphrase)
	asked(p.T, said, "assphrase of ", 2)
}

// refusedAtTerminal starts a server with one wrong passphrase, and with two.
func (p production) refusedAtTerminal() {
	p.Helper()
	var refusals []string
	for _, typed := range [][2]string{
		{adasPassphrase, "staple of the millisecond"}, {"correct horse pottery", gracesPassphrase},
		{"correct horse pottery", "staple of the millisecond"}, {gracesPassphrase, adasPassphrase},
	} {
		w := onTerminal(p.T, "serve", "--config", p.config)
		w.answers("Passphrase of ada: ", typed[0]+"\n")
		w.answers("Passphrase of grace: ", typed[1]+"\n")
		said := w.ends(1, typed[0], typed[1])
		refusals = append(refusals, said)
		const both = "the passphrases of ada and grace do not open the keys together"
		if !strings.Contains(said, both) {
			p.Errorf("serve says %q", said)
		}
	}
	for _, said := range refusals[1:] {
		same(p.T, "what is said of another wrong passphrase", said, refusals[0])
	}
}
