package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// TestPointInTime drops a table of a server under load and restores the time before, with the
// scripts and the settings in deploy/postgresql. It logs what was lost, and how long the restore
// took.
func TestPointInTime(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.Postgres {
		return // the embedded database has only backups
	}
	home := ownedDirectory(t)
	wal := filepath.Join(home, "wal")
	asOwner(t, home, "mkdir", wal)
	url, err := pgtest.Start(archiveSettings(t, wal)...)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	listen := []string{"sandbox", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}
	node := serve(t, command(t, append(listen, "--data", data, "--database", url)...),
		"/card/getbytag/")
	r := recordOrders(t, node.url, 4)
	r.awaitMore(t, setting(t, drillVariable, 100))
	base := strings.TrimSpace(asOwner(t, home, script(t, "base-backup"), url, home))
	r.awaitMore(t, setting(t, drillVariable, 100))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var target string
	var moment time.Time
	err = conn.QueryRow(t.Context(), `SELECT CAST(t AS TEXT), t FROM
		(SELECT clock_timestamp() AS t) AS one`).Scan(&target, &moment)
	if err != nil {
		t.Fatal(err)
	}
	r.awaitMore(t, 20)
	destroy(t, conn)
	r.end()
	all, _ := r.look()
	began := time.Now() // an operator has noticed
	archive(t, conn, wal)
	_ = node.end(syscall.SIGKILL)

	again := filepath.Join(home, "again")
	asOwner(t, home, script(t, "restore-to"), base, wal, again, target)
	restoredURL := startAgain(t, home, again)
	returned := serve(t, command(t, append(listen, "--data", data, "--database", restoredURL)...),
		"/card/getbytag/")
	took := time.Since(began)
	var before []ordered
	for _, o := range all {
		if o.at.Before(moment) {
			before = append(before, o)
		}
	}
	if count, first := lost(t, returned.url, before); count > 0 {
		t.Errorf("%d of %d orders are missing, such as %+v", count, len(before), first)
	}
	gone, _ := lost(t, returned.url, all)
	t.Logf("%d orders were answered until a moment before the table was dropped, and are there; "+
		"of %d answered in all, %d are lost; the service was back %v after the loss was noticed",
		len(before), len(all), gone, took.Round(time.Millisecond))
	if gone > len(all)-len(before) || len(before) == 0 {
		t.Error("more is lost than what came behind the moment")
	}
}

// destroy drops a table, with retries, because the load may prevent it.
func destroy(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	var err error
	testrun.Within(t, "the table is dropped", func() bool {
		_, err = conn.Exec(t.Context(), `DROP TABLE card_slots CASCADE`)
		return err == nil
	}, func() any { return err })
}

// ownedDirectory creates a directory that belongs to the user of the servers.
func ownedDirectory(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "mintmark-point")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := pgtest.AsOwner(exec.Command("true"), home); err != nil {
		t.Fatal(err)
	}
	return home
}

// asOwner runs a program as the server's user and returns its output.
func asOwner(t *testing.T, home, name string, args ...string) string {
	t.Helper()
	programs, err := pgtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	running := exec.Command(name, args...)
	running.Dir = home
	running.Env = os.Environ()
	if !strings.HasPrefix(programs, "/usr/lib/postgresql/") { // scripts find these
		running.Env = append(running.Env, "PATH="+programs+":"+os.Getenv("PATH"))
	}
	if err := pgtest.AsOwner(running, home); err != nil {
		t.Fatal(err)
	}
	var said, wrong strings.Builder
	running.Stdout, running.Stderr = &said, &wrong
	if err := running.Run(); err != nil {
		t.Fatalf("%s: %v: %s%s", name, err, &said, &wrong)
	}
	return said.String()
}

// script copies a script of deploy to where the user of the server can read it.
func script(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "deploy", "postgresql", name))
	if err != nil {
		t.Fatal(err)
	}
	directory, err := os.MkdirTemp("", "mintmark-script")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	path := filepath.Join(directory, name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{directory, path} {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

var confLine = regexp.MustCompile(`(?m)^([a-z_]+) = '?(.*?)'?$`)

// archiveSettings returns the settings of deploy/postgresql/archive.conf, with another directory.
func archiveSettings(t *testing.T, wal string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "deploy", "postgresql", "archive.conf"))
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for _, match := range confLine.FindAllStringSubmatch(string(text), -1) {
		settings = append(settings,
			match[1]+"="+strings.ReplaceAll(match[2], "/backup/wal", wal))
	}
	same(t, "number of settings", len(settings), 4)
	return settings
}

// archive makes the server archive its whole log.
func archive(t *testing.T, conn *pgx.Conn, wal string) {
	t.Helper()
	var name string
	err := conn.QueryRow(t.Context(),
		`SELECT pg_walfile_name(pg_switch_wal())`).Scan(&name)
	if err != nil {
		t.Fatal(err)
	}
	testrun.Within(t, "the server has archived "+name, func() bool {
		_, err := os.Stat(filepath.Join(wal, name))
		return err == nil
	})
}

// startAgain starts a server on a data directory and waits until its recovery has ended.
func startAgain(t *testing.T, home, data string) (url string) {
	t.Helper()
	programs, err := pgtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-k", home,
		"-c", "listen_addresses=", "-c", "max_connections=400")
	if err := pgtest.AsOwner(server, home); err != nil {
		t.Fatal(err)
	}
	log := new(logText)
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait() // the exit code does not matter
	})
	url = "postgres://mintmark@/postgres?host=" + home
	log.awaitText(t, "database system is ready to accept connections")
	return url
}
