//go:build soak

package failover

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/e2e/journal"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// server is one PostgreSQL under its Patroni.
type server struct {
	name           string
	home           string
	api, port      int
	patroni        *exec.Cmd
	configuration  string
	administration string // connection string of the superuser
}

// cluster is two servers and an etcd, on loopback addresses.
type cluster struct {
	*testing.T
	etcd         int
	servers      []*server
	certificates string       // directory of the certificates of both sides
	client       *http.Client // of Patroni's interface
}

// startCluster starts everything as in deploy/patroni.yml, except for addresses and directories.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	ports := freePorts(t, 6)
	c := &cluster{T: t, etcd: ports[0]}
	c.certify()
	home := c.directory()
	c.start(home, "etcd", c.etcdFlags(home, ports[1])...)
	for i := range 2 {
		s := &server{
			name: fmt.Sprint("db", i+1), home: c.directory(),
			api: ports[2+2*i], port: ports[3+2*i],
		}
		s.administration = fmt.Sprintf(
			"postgres://postgres:change-me-1@127.0.0.1:%d/postgres?%s", s.port, c.verified())
		c.configure(s)
		c.run(s)
		c.servers = append(c.servers, s)
		if i == 0 {
			c.await("the first leader", func() bool { return c.role(s) == "master" })
		}
	}
	c.awaitStandby()
	c.make(`CREATE ROLE mintmark LOGIN PASSWORD 'change-me'`,
		`CREATE DATABASE mintmark OWNER mintmark TEMPLATE template0 ENCODING 'UTF8'`)
	return c
}

// certify creates the certificates of a machine that is server, etcd and client at the same time.
func (c *cluster) certify() {
	c.Helper()
	c.certificates = c.directory()
	const script = "../../deploy/certificates"
	// Patroni connects to a server that listens on loopback by the name localhost.
	out, err := exec.Command(script, c.certificates, "127.0.0.1,localhost").CombinedOutput()
	if err != nil {
		c.Fatalf("%v: %s", err, out)
	}
	if os.Geteuid() == 0 {
		out, err := exec.Command("chown", "-R", "postgres", c.certificates).CombinedOutput()
		if err != nil {
			c.Fatalf("%v: %s", err, out)
		}
	}
	own := c.certificate("127.0.0.1")
	shown, err := tls.LoadX509KeyPair(own+".crt", own+".key")
	if err != nil {
		c.Fatal(err)
	}
	authority, err := os.ReadFile(c.certificate("ca.crt"))
	if err != nil {
		c.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	c.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: trusted, Certificates: []tls.Certificate{shown},
	}}}
}

func (c *cluster) certificate(name string) string { return filepath.Join(c.certificates, name) }

// verified returns the TLS parameters of a connection string.
func (c *cluster) verified() string {
	return "sslmode=verify-full&sslrootcert=" + c.certificate("ca.crt")
}

// etcdFlags returns the settings of deploy/etcd.conf for a single machine.
func (c *cluster) etcdFlags(home string, peers int) []string {
	c.Helper()
	text, err := os.ReadFile("../../deploy/etcd.conf")
	if err != nil {
		c.Fatal(err)
	}
	own := strings.NewReplacer(
		"10.0.0.21:2380", "127.0.0.1:"+strconv.Itoa(peers),
		"10.0.0.21:2379", "127.0.0.1:"+strconv.Itoa(c.etcd),
		",etcd2=https://10.0.0.22:2380,etcd3=https://10.0.0.23:2380", "",
		"/var/lib/etcd/mintmark", filepath.Join(home, "etcd"),
		"/etc/etcd/etcd", c.certificate("127.0.0.1"),
		"/etc/etcd/ca.crt", c.certificate("ca.crt"),
	).Replace(string(text))
	var flags []string
	for line := range strings.Lines(own) {
		setting, ok := strings.CutPrefix(strings.TrimSpace(line), "ETCD_")
		if name, value, _ := strings.Cut(setting, "="); ok {
			name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
			flags = append(flags, "--"+name+"="+value)
		}
	}
	return flags
}

// configure writes the configuration of a server, derived from the deployed one.
func (c *cluster) configure(s *server) {
	c.Helper()
	text, err := os.ReadFile("../../deploy/patroni.yml")
	if err != nil {
		c.Fatal(err)
	}
	programs, err := pgtest.Programs()
	if err != nil {
		c.Fatal(err)
	}
	own := strings.NewReplacer(
		"name: db1", "name: "+s.name,
		"10.0.0.11:8008", "127.0.0.1:"+strconv.Itoa(s.api),
		"10.0.0.11:5432", "127.0.0.1:"+strconv.Itoa(s.port),
		"10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379", "127.0.0.1:"+strconv.Itoa(c.etcd),
		"10.0.0.0/24", "127.0.0.0/8",
		"/var/lib/postgresql/15/mintmark", filepath.Join(s.home, "data"),
		"/usr/lib/postgresql/15/bin", programs,
		"/var/run/postgresql", s.home,
		"mode: automatic", "mode: off", // there is no watchdog
		"/etc/postgresql/db", c.certificate("127.0.0.1"),
		"/etc/postgresql/ca.crt", c.certificate("ca.crt"),
	).Replace(string(text))
	s.configuration = filepath.Join(s.home, "patroni.yml")
	if err := os.WriteFile(s.configuration, []byte(own), 0o644); err != nil {
		c.Fatal(err)
	}
}

// run starts a server, for the first time or again.
func (c *cluster) run(s *server) {
	c.Helper()
	s.patroni = c.start(s.home, "patroni", s.configuration)
}

// kill ends a server and its Patroni with signal 9, like a machine that loses its power.
func (c *cluster) kill(s *server) {
	c.Helper()
	postmaster := c.postmaster(s)
	_ = s.patroni.Process.Signal(syscall.SIGKILL)
	if err := syscall.Kill(postmaster, syscall.SIGKILL); err != nil {
		c.Fatal(err)
	}
	_ = s.patroni.Wait()
}

// crash ends a server without a checkpoint, as pg_ctl stop -m immediate does. Its Patroni restarts
// it, or promotes the other one.
func (c *cluster) crash(s *server) {
	c.Helper()
	if err := syscall.Kill(c.postmaster(s), syscall.SIGQUIT); err != nil {
		c.Fatal(err)
	}
}

// killBackend kills a server process that is committing. The server recovers by itself.
func (c *cluster) killBackend(s *server) {
	c.Helper()
	if err := (&pgtest.Server{URL: s.administration}).KillBackend(); err != nil {
		c.Fatal(err)
	}
}

// postmaster returns the process id of a server's main process.
func (c *cluster) postmaster(s *server) int {
	c.Helper()
	text, err := os.ReadFile(filepath.Join(s.home, "data", "postmaster.pid"))
	if err != nil {
		c.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	id, err := strconv.Atoi(line)
	if err != nil {
		c.Fatal(err)
	}
	return id
}

// start starts a command that runs until the test ends, with its output in a file.
func (c *cluster) start(home, name string, args ...string) *exec.Cmd {
	c.Helper()
	command := exec.Command(name, args...)
	command.Dir = home
	command.Env = append(os.Environ(), "HOME="+home)
	log, err := os.OpenFile(filepath.Join(home, name+".log"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		c.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	if err := pgtest.AsOwner(command, home); err != nil {
		c.Fatal(err)
	}
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	// Child processes of the command end with it.
	command.SysProcAttr.Setpgid = true
	if err := command.Start(); err != nil {
		c.Fatalf("%s: %v; run scripts/need patroni", name, err)
	}
	c.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
		_ = command.Wait()
		if c.Failed() {
			text, _ := os.ReadFile(log.Name())
			c.Logf("%s:\n%s", log.Name(), text[max(0, len(text)-3000):])
		}
		log.Close()
	})
	return command
}

// role asks Patroni for the role of a server.
func (c *cluster) role(s *server) string {
	var status struct {
		Role string `json:"role"`
		Sync bool   `json:"sync_standby"`
	}
	response, err := c.client.Get(fmt.Sprintf("https://127.0.0.1:%d/patroni", s.api))
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil {
		return ""
	}
	if status.Sync {
		return "standby"
	}
	return status.Role
}

// leader returns the leading server, or nil if none leads.
func (c *cluster) leader() *server {
	for _, s := range c.servers {
		if role := c.role(s); role == "master" || role == "primary" {
			return s
		}
	}
	return nil
}

// awaitStandby waits until commits wait for a standby: from then on a switch loses nothing.
func (c *cluster) awaitStandby() {
	c.Helper()
	c.await("a leader and its standby", func() bool {
		standbys := 0
		for _, s := range c.servers {
			if c.role(s) == "standby" {
				standbys++
			}
		}
		return standbys == 1 && c.leader() != nil
	})
}

func (c *cluster) await(what string, done func() bool) {
	c.Helper()
	testrun.Within(c.T, what, done)
}

// awaitWrites waits until many requests have succeeded, as they do when nothing fails.
func (c *cluster) awaitWrites(answers *journal.Journal) {
	c.Helper()
	const often = 2000
	ctx, cancel := context.WithTimeout(c.Context(), 2*time.Minute)
	defer cancel()
	if err := answers.Await(ctx, answers.Done()+often); err != nil {
		c.Fatalf("hardly any writes are answered: %v", err)
	}
}

// make executes statements on the leader as the superuser.
func (c *cluster) make(statements ...string) {
	c.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.leader().administration)
	if err != nil {
		c.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			c.Fatal(err)
		}
	}
}

// url returns the connection string of the nodes: both servers, whichever leads.
func (c *cluster) url() string {
	return fmt.Sprintf("postgres://mintmark:change-me@127.0.0.1:%d,127.0.0.1:%d/mintmark"+
		"?target_session_attrs=read-write&%s", c.servers[0].port, c.servers[1].port, c.verified())
}

// directory creates a directory that the servers' user can reach and use.
func (c *cluster) directory() string {
	c.Helper()
	path, err := os.MkdirTemp("", "failover")
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = os.RemoveAll(path) })
	return path
}

// freePorts returns free ports; they differ because all are reserved at the same time.
func freePorts(t *testing.T, count int) []int {
	t.Helper()
	var ports []int
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
