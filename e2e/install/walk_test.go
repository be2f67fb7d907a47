//go:build long && linux

package install

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintmark/internal/testkit/golden"
)

// TestWalk runs the commands in docs/install.md from the package to a verified card, in the
// directory of the package, and compares the output with the page. Files go into a directory
// instead of the machine's own; dpkg, runuser and systemctl are scripts that do the same there.
func TestWalk(t *testing.T) {
	pack, ok := artefact(t, "mintmark_*.deb")
	if !ok {
		return
	}
	w := newWalk(t)
	section := sectionOf(t, read(t, "docs/install.md"), "From the package to a verified card")
	said := w.typeIn(filepath.Dir(pack), w.own(shellOf(section)))
	golden.CheckOutput(t, section, strings.ReplaceAll(said, w.root, ""))
	if t.Failed() {
		log, _ := os.ReadFile(filepath.Join(w.root, "log"))
		t.Logf("the walk shows\n%s\nthe service says\n%s", said, log)
	}
}

// sectionOf returns a section of a document.
func sectionOf(t *testing.T, document, heading string) string {
	t.Helper()
	_, section, ok := strings.Cut(document, "\n## "+heading+"\n")
	section, _, ends := strings.Cut(section, "\n## ")
	if !ok || !ends {
		t.Fatalf("there is no section %q", heading)
	}
	return section
}

// shellOf returns the shell commands of a section.
func shellOf(section string) string {
	var typed strings.Builder
	for i, block := range strings.Split(section, "```") {
		if shell, ok := strings.CutPrefix(block, "sh\n"); ok && i%2 == 1 {
			typed.WriteString(shell)
		}
	}
	return typed.String()
}

// walk is a directory that stands for a machine.
type walk struct {
	*testing.T
	root  string
	ports map[string]string // replacement of each port
}

func newWalk(t *testing.T) walk {
	t.Helper()
	w := walk{T: t, root: t.TempDir(), ports: make(map[string]string)}
	for _, port := range []string{"8443", "8081", "8090"} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close() // all are open at the same time, so they differ
		w.ports[port] = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	}
	bin := filepath.Join(w.root, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"dpkg": `case $1 in
--print-architecture) exec /usr/bin/dpkg --print-architecture ;;
--install) dpkg-deb --extract "$2" ROOT && mkdir -p -m 700 ROOT/var/lib/mintmark ;;
*) exit 2 ;;
esac
sed -i 's|/etc/mintmark|ROOT&|; s|/var/lib/mintmark|ROOT&|; PORTS' ROOT/etc/mintmark/mintmark.yaml
sed -i 's|/etc/mintmark|ROOT&|; s|/usr/bin|ROOT&|' ROOT/usr/lib/systemd/system/mintmark.service`,
		"runuser": `[ "$1 $2 $3" = '-u mintmark --' ] || exit 2
shift 3
exec "$@"`,
		"systemctl": `[ "$*" = 'enable --now mintmark' ] || exit 2
$(sed -n 's/^ExecStart=//p' ROOT/usr/lib/systemd/system/mintmark.service) >ROOT/started 2>ROOT/log &
for _ in $(seq 300); do
	if grep -q 'serves on' ROOT/started; then exit 0; fi
	sleep 0.1
done
exit 1`,
	} {
		text = strings.NewReplacer("ROOT", w.root, "PORTS", w.portEdits()).Replace(text)
		script := []byte("#!/bin/sh\n" + text + "\n")
		if err := os.WriteFile(filepath.Join(bin, name), script, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// portEdits returns sed commands that replace the ports in the settings.
func (w walk) portEdits() string {
	var edits []string
	for port, other := range w.ports {
		edits = append(edits, fmt.Sprintf("s/:%s/:%s/", port, other))
	}
	return strings.Join(edits, "; ")
}

// own replaces paths and ports in shell commands by those of the walk. The user mintmark does not exist there.
func (w walk) own(typed string) string {
	replacements := []string{
		"/etc/mintmark", w.root + "/etc/mintmark",
		"/var/lib/mintmark", w.root + "/var/lib/mintmark",
		"/usr/share/mintmark", w.root + "/usr/share/mintmark",
		" -o mintmark -g mintmark", "", " -g mintmark", "",
		"processor-simulator ", "processor-simulator --listen 127.0.0.1:" + w.ports["8090"] + " ",
	}
	for port, other := range w.ports {
		replacements = append(replacements, ":"+port, ":"+other)
	}
	return strings.NewReplacer(replacements...).Replace(typed)
}

// typeIn runs a text in a shell and returns the output. Background processes end with the test.
func (w walk) typeIn(directory, text string) string {
	w.Helper()
	shell := exec.Command("bash", "-euo", "pipefail", "-c", text)
	shell.Dir = directory
	shell.Env = append(os.Environ(), "PATH="+w.root+"/bin:"+w.root+"/usr/bin:"+os.Getenv("PATH"))
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A file, because background processes would hold a pipe open.
	shown, err := os.Create(filepath.Join(w.root, "shown"))
	if err != nil {
		w.Fatal(err)
	}
	defer shown.Close()
	shell.Stdout, shell.Stderr = shown, shown
	if err := shell.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) })
	watchdog := time.AfterFunc(2*time.Minute, func() {
		_ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
	})
	defer watchdog.Stop()
	if err := shell.Wait(); err != nil {
		w.Errorf("the shell ends with %v", err)
	}
	said, err := os.ReadFile(shown.Name())
	if err != nil {
		w.Fatal(err)
	}
	return string(said)
}
