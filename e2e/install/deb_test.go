//go:build long

package install

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inPackage lists the files that must be in the package, with their modes. Documents are there,
// too.
var inPackage = map[string]int64{
	"./usr/bin/mintmark":                                0o755,
	"./usr/lib/systemd/system/mintmark.service":         0o644,
	"./usr/lib/systemd/system/mintmark-backup.service":  0o644,
	"./usr/lib/systemd/system/mintmark-backup.timer":    0o644,
	"./usr/lib/sysusers.d/mintmark.conf":                0o644,
	"./usr/lib/tmpfiles.d/mintmark.conf":                0o644,
	"./etc/mintmark/mintmark.yaml":                      0o640,
	"./usr/share/bash-completion/completions/mintmark":  0o644,
	"./usr/share/zsh/vendor-completions/_mintmark":      0o644,
	"./usr/share/mintmark/bank.yaml":                    0o644,
	"./usr/share/mintmark/certificates":                 0o755,
	"./usr/share/doc/mintmark/copyright":                0o644,
	"./usr/share/doc/mintmark/docs/operating.md":        0o644,
	"./usr/share/doc/mintmark/docs/install.md":          0o644,
	"./usr/share/doc/mintmark/deploy/patroni.yml":       0o644,
	"./usr/share/doc/mintmark/CHANGELOG.md":             0o644,
	"./usr/share/doc/mintmark/deploy/deb/mintmark.yaml": 0o644,
}

// TestPackage checks the files in the Debian package, their owners and their modes.
func TestPackage(t *testing.T) {
	path, ok := artefact(t, "mintmark_*.deb")
	if !ok {
		return
	}
	missing := make(map[string]bool)
	for name := range inPackage {
		missing[name] = true
	}
	files := tar.NewReader(strings.NewReader(output(t, "dpkg-deb", "--fsys-tarfile", path)))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		delete(missing, header.Name)
		if err := judge(header); err != nil {
			t.Errorf("%s: %v", header.Name, err)
		}
	}
	for name := range missing {
		t.Errorf("%s is not in the package", name)
	}
	if name := output(t, "dpkg-deb", "--field", path, "Package"); name != "mintmark\n" {
		t.Errorf("the package is called %q", name)
	}
}

// judge checks one file of the package.
func judge(header *tar.Header) error {
	mode := header.FileInfo().Mode().Perm()
	want, named := inPackage[header.Name]
	switch {
	case header.Uid != 0 || header.Gid != 0:
		return fmt.Errorf("it belongs to %d:%d", header.Uid, header.Gid)
	case named && int64(mode) != want:
		return fmt.Errorf("it has mode %04o, want %04o", mode, want)
	case header.Typeflag == tar.TypeDir && mode != 0o755,
		!named && header.Typeflag != tar.TypeDir && header.Mode != 0o644:
		return fmt.Errorf("it has mode %04o", header.Mode)
	case strings.HasPrefix(header.Name, "./var"):
		return errors.New("dpkg would delete it with the package")
	}
	return nil
}

// TestPackageScripts checks the scripts that dpkg runs, and the list of configuration files.
func TestPackageScripts(t *testing.T) {
	path, ok := artefact(t, "mintmark_*.deb")
	if !ok {
		return
	}
	directory := t.TempDir()
	output(t, "dpkg-deb", "--control", path, directory)
	text, err := os.ReadFile(filepath.Join(directory, "conffiles"))
	if err != nil || strings.TrimSpace(string(text)) != "/etc/mintmark/mintmark.yaml" {
		t.Errorf("the files of the operator are %q, %v", text, err)
	}
	for _, name := range []string{"postinst", "prerm", "postrm"} {
		script := filepath.Join(directory, name)
		output(t, "sh", "-n", script)
		said := output(t, "sh", script, "abort-upgrade", "1.0") // there is nothing to do then
		if said != "" {
			t.Errorf("%s says %q", name, said)
		}
	}
	said, err := exec.Command("sh", filepath.Join(directory, "postrm"), "purge").CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("/var/lib/mintmark")) {
		t.Errorf("a purge says %q, %v", said, err)
	}
}

// TestProgram checks that the program is statically linked and reports the commit it was built
// from.
func TestProgram(t *testing.T) {
	path, ok := artefact(t, "mintmark-linux-*[46]")
	if !ok {
		return
	}
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			t.Error("the program is not static")
		}
	}
	commit := strings.TrimSpace(output(t, "git", "-C", root, "rev-parse", "HEAD"))
	if said := output(t, path, "version"); !strings.Contains(said, "commit "+commit) {
		t.Errorf("it says %q, and was built from %s", said, commit)
	}
}
