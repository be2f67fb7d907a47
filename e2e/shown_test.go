package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintmark/e2e/ledger"
	loadfile "mintmark/internal/importer/load"
	"mintmark/internal/testkit/golden"
	"mintmark/internal/testkit/testrun"
)

// manual is a document whose commands are run on a machine that is a directory.
type manual struct {
	*testing.T
	text, root string
	env        []string
}

func openDocument(t *testing.T, name string) manual {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	path, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	root := t.TempDir()
	for _, dir := range []string{"etc/mintmark", "media/keys"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return manual{t, string(text), root,
		append(os.Environ(), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"))}
}

// file writes a file on the machine.
func (p manual) file(name, text string) {
	p.Helper()
	if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// block returns a block of a section in a language other than the shell's, by its index.
func (p manual) block(section, language string, place int) string {
	p.Helper()
	_, text, _ := strings.Cut(p.text, "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	blocks := strings.Split(text, "```"+language+"\n")
	if len(blocks) <= place+1 {
		p.Fatalf("%s has %d blocks of %s", section, len(blocks)-1, language)
	}
	block, _, _ := strings.Cut(blocks[place+1], "```")
	return block
}

// shows runs the commands of a section as an unprivileged user of the machine, and compares the
// output with the page.
func (p manual) shows(section string, replace ...string) {
	p.Helper()
	typed := strings.NewReplacer(append(replace, " -o mintmark -g mintmark", "",
		" /var/", " "+p.root+"/var/", " /media/", " "+p.root+"/media/",
		" /backup", " "+p.root+"/backup")...).Replace(shellOf(p.T, p.text, "\n## "+section+"\n"))
	shell := exec.CommandContext(p.Context(), "sh", "-u")
	shell.Stdin = strings.NewReader("date() { echo 2026-03-02; }\nrunuser() { :; }\n" +
		"systemctl() { :; }\n" + typed)
	shell.Dir, shell.Env = filepath.Join(p.root, "etc/mintmark"), p.env
	out, _ := shell.CombinedOutput() // some commands end with 1
	_, text, _ := strings.Cut(p.text, "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	golden.CheckOutput(p.T, text, strings.ReplaceAll(string(out), p.root, ""))
}

// TestOperatorsPageShows runs the commands of docs/operators.md against a sandbox.
func TestOperatorsPageShows(t *testing.T) {
	t.Parallel()
	p := openDocument(t, "operators.md")
	program := sandbox(t)
	p.env = append(p.env, "MINTMARK_SERVER="+program.adminURL())
	for _, section := range []string{"Commands", "The interface"} {
		p.shows(section, "mintmark listen ", ": ", "http://127.0.0.1:8081", program.adminURL())
	}
}

// TestBankFileShows loads a file as in docs/data.md.
func TestBankFileShows(t *testing.T) {
	t.Parallel()
	p := openDocument(t, "data.md")
	config := filepath.Join(p.root, "etc/mintmark/mintmark.yaml")
	configure(t, config, filepath.Join(p.root, "etc/mintmark/data"), "insecure: true\n")
	initialize(t, "--config", config)
	p.file("etc/mintmark/bank.yaml", loadfile.Example)
	p.shows("The bank's file")
}

// TestDataPageShows feeds the rows and compares the lists as in docs/data.md.
func TestDataPageShows(t *testing.T) {
	t.Parallel()
	p := openDocument(t, "data.md")
	own := newProduction(t)
	program := own.serve()
	p.env = append(p.env, "MINTMARK_SERVER="+program.adminURL(), "MINTMARK_TOKEN="+
		strings.TrimSpace(own.done("token", "create", "feeder", "--role", "administrator",
			"--config", own.config)))
	p.file("etc/mintmark/rows.ndjson", p.block("Feed", "json", 0))
	p.shows("Feed", "mintmark.yaml", own.config)
	p.file("etc/mintmark/cards.jsonl", p.block("Reconciliation", "json", 0))
	p.file("etc/mintmark/balances.jsonl", p.block("Reconciliation", "json", 1))
	p.shows("Reconciliation", "mintmark.yaml", own.config)
}

// sealed runs a node until something is sealed, and saves the checkpoint.
func (p manual) sealed(own production, checkpoint string) {
	p.Helper()
	program := own.serve()
	testrun.Within(p.T, "something is sealed", func() bool {
		out, code := run(p.T, "audit", "checkpoint", "--config", own.config)
		p.file(checkpoint, out)
		return code == 0
	})
	program.end(syscall.SIGTERM)
}

// TestAuditPageShows follows the instructions for auditors in docs/audit.md.
func TestAuditPageShows(t *testing.T) {
	t.Parallel()
	p, own := openDocument(t, "audit.md"), newProduction(t)
	p.sealed(own, "etc/mintmark/first.txt")
	p.shows("What an auditor does", "mintmark.yaml", own.config)
}

// TestBackupPageShows backs up an installation and restores it as in docs/backup.md.
func TestBackupPageShows(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // on a server the operator creates the database first
	}
	p := openDocument(t, "backup.md")
	config := filepath.Join(p.root, "etc/mintmark/mintmark.yaml")
	data := filepath.Join(p.root, "var/lib/mintmark")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	configure(t, config, data, "")
	own := production{t, data, config}
	own.done("init", "--config", config)
	p.sealed(own, "etc/mintmark/note-2026-03-01.txt")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	p.file("etc/mintmark/restored.yaml", strings.Replace(string(text), data, data+"-restored", 1))
	keys := "(umask 077; cd " + data + " && cp keyset.json pin-private.pem processor-private.pem " +
		filepath.Join(p.root, "media/keys/") + "/)"
	if !strings.Contains(p.text, strings.ReplaceAll(keys, p.root, "")) {
		t.Error("the page copies no keys")
	}
	if out, err := exec.Command("sh", "-c", keys).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.shows("Back up")
	p.shows("Restore")
	if _, err := os.Stat(filepath.Join(data, "mintmark.db")); err != nil {
		t.Errorf("the restored directory is not in its place: %v", err)
	}
}
