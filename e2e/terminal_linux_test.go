package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mintmark/internal/testkit/testrun"
)

// terminal is a pseudo-terminal on which the program runs, like that of a person.
type terminal struct {
	*testing.T
	testrun.Events          // of the screen
	keyboard       *os.File // writes are key strokes; reads return the screen
	command        *exec.Cmd
	ended          chan error
	modes          unix.Termios  // before the program ran
	shown          chan struct{} // closed when all output is on the screen

	mu     sync.Mutex
	screen bytes.Buffer
	seen   int // how much of the screen was waited for
}

// onTerminal starts the program on a new terminal.
func onTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	number := 0
	within := func(fd int) (err error) {
		if number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN); err != nil {
			return err
		}
		if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
			return err
		}
		return unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err := descriptor(keyboard, within); err != nil {
		t.Fatal(err)
	}
	line, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	w := &terminal{T: t, keyboard: keyboard, command: command(t, args...),
		ended: make(chan error, 1), shown: make(chan struct{})}
	w.command.Stdin, w.command.Stdout, w.command.Stderr = line, line, line
	w.modes = w.terminalModes()
	w.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.command.Process.Kill() })
	go w.show()
	go func() { w.ended <- w.command.Wait() }()
	return w
}

// show collects the screen until the program has closed the terminal.
func (w *terminal) show() {
	defer close(w.shown)
	text := make([]byte, 1<<10)
	for {
		read, err := w.keyboard.Read(text)
		w.mu.Lock()
		w.screen.Write(text[:read])
		w.mu.Unlock()
		w.Happened()
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

// until waits for a condition on the screen.
func (w *terminal) until(what string, fulfilled func() bool) {
	w.T.Helper()
	w.Until(w.T, what, fulfilled)
}

// untilSilent waits until the terminal does not echo.
func (w *terminal) untilSilent() {
	w.T.Helper()
	testrun.Within(w.T, "the terminal does not show what is typed",
		func() bool { return !w.echoes() }, func() any { return w.text() })
}

// appears waits for a text after the one that was waited for before.
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

// descriptor calls a function with the descriptor of a file. After File.Fd, nothing could end a
// read of the file.
func descriptor(file *os.File, fn func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) { err = fn(int(fd)) })
	return errors.Join(failed, err)
}

// terminalModes returns the modes of the terminal.
func (w *terminal) terminalModes() (modes unix.Termios) {
	w.T.Helper()
	err := descriptor(w.keyboard, func(fd int) error {
		termios, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err == nil {
			modes = *termios
		}
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return modes
}

// echoes reports whether the terminal echoes.
func (w *terminal) echoes() bool { return w.terminalModes().Lflag&unix.ECHO != 0 }

// types types on the keyboard.
func (w *terminal) types(keys string) {
	w.T.Helper()
	if _, err := w.keyboard.WriteString(keys); err != nil {
		w.T.Fatal(err)
	}
}

// answers waits for a question without an echo, and types the answer.
func (w *terminal) answers(question, answer string) {
	w.T.Helper()
	w.appears(question)
	w.untilSilent()
	w.types(answer)
	w.until("the end of the question", func() bool {
		return strings.Contains(w.text()[w.seen:], "\n")
	})
}

// ends waits for the end of the program, and checks that the screen contains no secret.
func (w *terminal) ends(code int, secrets ...string) string {
	w.T.Helper()
	select {
	case <-w.ended:
	case <-time.After(time.Minute):
		w.T.Fatalf("the program goes on: %q", w.text())
	}
	<-w.shown
	if got := w.command.ProcessState.ExitCode(); got != code {
		w.T.Errorf("the program ends with %d, want %d: %q", got, code, w.text())
	}
	if after := w.terminalModes(); after != w.modes {
		w.T.Errorf("the terminal is left with the modes %+v, which were %+v", after, w.modes)
	}
	for _, secret := range secrets {
		if strings.Contains(w.text(), secret) {
			w.T.Errorf("a passphrase is on the screen: %q", w.text())
		}
	}
	return strings.ReplaceAll(w.text(), "\r\n", "\n")
}

// asked checks how often a screen contains a question.
func asked(t *testing.T, screen, question string, want int) {
	t.Helper()
	if got := strings.Count(screen, question); got != want {
		t.Errorf("%q is asked %d times, want %d: %q", question, got, want, screen)
	}
}

// TestCustodiansAtATerminal makes two custodians type their passphrases: new ones twice, and those
// of a starting server once each. Each is asked by name, nothing they type is shown, and a
// rejection does not reveal which of the two was wrong.
func TestCustodiansAtATerminal(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	p := production{t, filepath.Join(directory, "data"), filepath.Join(directory, "mintmark.yaml")}
	configure(t, p.config, p.data, "insecure: true\n")
	ceremony := []string{"init", "--config", p.config, "--custodians", "ada,grace"}

	w := onTerminal(t, ceremony...)
	w.answers("New passphrase of ada: ", adasPassphrase+"\n")
	w.answers("Repeat the passphrase: ", "correct horse batteries\n")
	w.answers("New passphrase of grace: ", gracesPassphrase+"\n")
	w.answers("Repeat the passphrase: ", gracesPassphrase+"\n")
	said := w.ends(1, adasPassphrase, "batteries", gracesPassphrase)
	if !strings.Contains(said, "the passphrase of ada: the two passphrases differ") {
		t.Errorf("init says %q", said)
	}
	w = onTerminal(t, ceremony...)
	for _, name := range []string{"ada", "grace"} {
		w.answers("New passphrase of "+name+": ", "too short\n")
		w.answers("Repeat the passphrase: ", "too short\n")
	}
	said = w.ends(1, "too short")
	for _, why := range []string{
		"the passphrase of ada is shorter than 16 characters",
		"the passphrase of grace is shorter than 16 characters", "have the same passphrase",
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
	w.answers("Repeat the passphrase: ", adasPassphrase+"\n")
	w.answers("New passphrase of grace: ", gracesPassphrase+"\n")
	w.answers("Repeat the passphrase: ", gracesPassphrase+"\n")
	said = w.ends(0, adasPassphrase, gracesPassphrase)
	asked(t, said, "assphrase of ", 2)
	if !strings.Contains(said, "The key files are wrapped: passphrases ada and grace.") {
		t.Errorf("init says %q", said)
	}
	wantWrapped(t, p.data)
	p.serveAtTerminal()
	p.refusedAtTerminal()
	p.unansweredAtTerminal()
	p.hangsUp()
	wantWrapped(t, p.data)
}

// serveAtTerminal starts a server with both passphrases.
func (p production) serveAtTerminal() {
	p.Helper()
	w := onTerminal(p.T, "serve", "--config", p.config)
	w.answers("Passphrase of ada: ", adasPassphrase+"t\x7f\r")        // one key too many
	w.answers("Passphrase of grace: ", "x\x15"+gracesPassphrase+"\n") // starts over
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

// unansweredAtTerminal leaves questions unanswered. The command ends immediately, does nothing, and
// asks no other custodian.
func (p production) unansweredAtTerminal() {
	p.Helper()
	const ctrlC, ctrlD = "\x03", "\x04"
	for _, row := range []struct {
		command, ada, grace string
		says                string
	}{
		{"serve", ctrlD, "", "the passphrase of ada: it was not entered: end of input"},
		{"serve", adasPassphrase + "\r", ctrlD, "the passphrase of grace: it was not entered: " +
			"end of input"},
		{"serve", "correct" + ctrlD + " ho" + ctrlC, "", "the passphrase of ada: it was not " +
			"entered: interrupted"},
		{"custody unwrap", adasPassphrase + "\r", "staple" + ctrlC, "it was not entered: " +
			"interrupted"},
		{"pin-key print", ctrlD, "", "end of input"},
	} {
		w := onTerminal(p.T, append(strings.Fields(row.command), "--config", p.config)...)
		w.answers("Passphrase of ada: ", row.ada)
		if row.grace != "" {
			w.answers("Passphrase of grace: ", row.grace)
		}
		said := w.ends(2, adasPassphrase, "correct", "staple")
		if !strings.Contains(said, row.says) {
			p.Errorf("%s says %q, want %q", row.command, said, row.says)
		}
		if row.grace == "" {
			asked(p.T, said, "Passphrase of", 1)
		}
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		w := onTerminal(p.T, "serve", "--config", p.config)
		w.appears("Passphrase of ada: ")
		w.untilSilent()
		if err := w.command.Process.Signal(signal); err != nil {
			p.Fatal(err)
		}
		if said := w.ends(2); !strings.Contains(said, "it was not entered: interrupted") {
			p.Errorf("at %v serve says %q", signal, said)
		}
	}
}

// hangsUp closes the terminal on which a server asks, like the end of a connection. The resulting
// signal makes a serving server reload its settings; it must not keep this one asking.
func (p production) hangsUp() {
	p.Helper()
	w := onTerminal(p.T, "serve", "--config", p.config)
	w.appears("Passphrase of ada: ")
	if err := w.keyboard.Close(); err != nil {
		p.Fatal(err)
	}
	select {
	case <-w.ended:
		same(p.T, "exit code without a terminal", w.command.ProcessState.ExitCode(), 2)
	case <-time.After(time.Minute):
		p.Error("the server goes on asking")
	}
}

// TestCardNumberAtATerminal leaves the question for a card number unanswered.
func TestCardNumberAtATerminal(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"\x04", "4111\x03"} {
		w := onTerminal(t, "card", "search", "--server", "http://127.0.0.1:1")
		w.answers("Card number: ", keys)
		if said := w.ends(2, "4111"); !strings.Contains(said, "it was not entered") {
			t.Errorf("card search says %q", said)
		}
	}
}

// TestProgressAtATerminal loads a file at a terminal while another program writes. A line shows the
// progress of the load, and is gone at its end.
func TestProgressAtATerminal(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	initialize(t, on(t, data)...)
	load(t, data, "Early")
	release := holdBanks(t, data)
	w := onTerminal(t, slices.Concat([]string{"load"}, on(t, data), []string{bankFile(t, "Late")})...)
	w.appears("entries [")
	release()
	shown := w.ends(0)
	if last := shown[strings.LastIndex(shown, "\r")+1:]; !strings.HasPrefix(last, "banks") {
		t.Errorf("the line of progress is followed by %q", last)
	}
}
