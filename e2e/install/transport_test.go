package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// plain matches settings that would send plain text over a network. Loopback does not count as a network.
var plain = regexp.MustCompile(`http://(?:[^1l]|1[^2]|l[^o])` +
	`|sslmode=(?:disable|allow|prefer|require)\b|sslmode: *(?:disable|allow|prefer|require)\b` +
	`|(?i)\binsecure: *(?:true|yes|on)|\bverify none|\bno-check-ssl|\bno-ssl\b`)

// readable returns the lines of a configuration that match plain, including comments: operators
// copy them.
func readable(name, text string) []string {
	var problems []string
	number := 0
	for line := range strings.Lines(text) {
		number++
		if plain.MatchString(line) {
			problems = append(problems, fmt.Sprintf("%s:%d: %s", name, number, strings.TrimSpace(line)))
		}
	}
	return problems
}

// TestEncrypted checks that no file in deploy/ sends plain text between machines.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"etcd.conf", "haproxy.cfg", "patroni.yml", "mintmark.yaml", "deb/mintmark.yaml",
	} {
		for _, problem := range readable(name, read(t, "deploy/"+name)) {
			t.Error(problem)
		}
	}
	for _, bad := range []string{
		"ETCD_LISTEN_PEER_URLS=http://10.0.0.21:2380", "url: http://db1/x", "sslmode=require&x",
		"      sslmode: prefer", "insecure: true", "server a 1.2.3.4 ssl verify none",
	} {
		if len(readable("", bad)) != 1 {
			t.Errorf("%q passes", bad)
		}
	}
	const fine = "url: http://127.0.0.1:8090\nurl: http://localhost\nsslmode=verify-full"
	if len(readable("", fine)) > 0 {
		t.Error("loopback and verify-full are refused")
	}
}

// TestEtcd checks the settings of etcd: each address is https, and both sides have certificates.
func TestEtcd(t *testing.T) {
	t.Parallel()
	values := make(map[string]string)
	for line := range strings.Lines(read(t, "deploy/etcd.conf")) {
		line = strings.TrimSpace(line)
		if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			values[name] = value
		}
	}
	for name, value := range values {
		for _, address := range strings.Split(value, ",") {
			if _, after, named := strings.Cut(address, "="); named {
				address = after
			}
			isURL := strings.HasSuffix(name, "_URLS") || name == "ETCD_INITIAL_CLUSTER"
			if isURL && !strings.HasPrefix(address, "https://") {
				t.Errorf("%s names %s", name, address)
			}
		}
	}
	for _, kind := range []string{"ETCD_", "ETCD_PEER_"} {
		if values[kind+"CLIENT_CERT_AUTH"] != "true" {
			t.Errorf("%sCLIENT_CERT_AUTH is %q", kind, values[kind+"CLIENT_CERT_AUTH"])
		}
		for _, file := range []string{"CERT_FILE", "KEY_FILE", "TRUSTED_CA_FILE"} {
			if !strings.HasPrefix(values[kind+file], "/etc/etcd/") {
				t.Errorf("%s%s is %q", kind, file, values[kind+file])
			}
		}
	}
}

// TestPatroni checks the settings of Patroni: its interface, etcd, and every connection to
// PostgreSQL.
func TestPatroni(t *testing.T) {
	t.Parallel()
	var file struct {
		REST struct {
			CA     string `yaml:"cafile"`
			Cert   string `yaml:"certfile"`
			Key    string `yaml:"keyfile"`
			Verify string `yaml:"verify_client"`
		} `yaml:"restapi"`
		Ctl  struct{ CACert, CertFile, KeyFile string }
		Etcd struct{ Protocol, CACert, Cert, Key string } `yaml:"etcd3"`
		SQL  struct {
			Authentication map[string]struct{ SSLMode, SSLRootCert string }
			HBA            []string `yaml:"pg_hba"`
			Parameters     map[string]any
		} `yaml:"postgresql"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "deploy/patroni.yml")), &file); err != nil {
		t.Fatal(err)
	}
	const authority = "/etc/postgresql/ca.crt"
	if file.REST.Verify != "required" || file.REST.CA != authority || file.REST.Cert == "" ||
		file.REST.Key == "" {
		t.Errorf("the interface of Patroni: %+v", file.REST)
	}
	if file.Ctl.CACert != authority || file.Ctl.CertFile == "" || file.Ctl.KeyFile == "" {
		t.Errorf("patronictl: %+v", file.Ctl)
	}
	if file.Etcd.Protocol != "https" || file.Etcd.CACert != authority || file.Etcd.Cert == "" {
		t.Errorf("etcd: %+v", file.Etcd)
	}
	for _, who := range []string{"superuser", "replication", "rewind"} {
		how := file.SQL.Authentication[who]
		if how.SSLMode != "verify-full" || how.SSLRootCert != authority {
			t.Errorf("%s: %+v", who, how)
		}
	}
	for _, rule := range file.SQL.HBA {
		if kind := strings.Fields(rule)[0]; kind != "local" && kind != "hostssl" {
			t.Errorf("pg_hba lets in %q", rule)
		}
	}
	if len(file.SQL.HBA) < 3 || file.SQL.Parameters["ssl"] != "on" {
		t.Errorf("pg_hba %q, ssl %v", file.SQL.HBA, file.SQL.Parameters["ssl"])
	}
}

// TestBalancer checks the configuration of HAProxy, also with HAProxy itself if it is installed.
func TestBalancer(t *testing.T) {
	t.Parallel()
	text := read(t, "deploy/haproxy.cfg")
	servers := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "bind" && !strings.Contains(line, " ssl crt "):
			t.Errorf("callers are answered without TLS: %s", line)
		case words[0] == "default-server" && !strings.Contains(line, " check-ssl "):
			t.Errorf("nodes are asked without TLS: %s", line)
		case words[0] == "server":
			servers++
			if !strings.Contains(line, " ssl verify required ca-file ") {
				t.Errorf("a node is not checked: %s", line)
			}
		}
	}
	if servers != 2 {
		t.Errorf("there are %d nodes", servers)
	}
	if _, err := exec.LookPath("haproxy"); err != nil {
		t.Logf("HAProxy itself does not read the file: %v", err)
		return
	}
	directory := t.TempDir()
	output(t, "../../deploy/certificates", directory, "cards.example.com")
	join := `cd "$1" && cat cards.example.com.crt cards.example.com.key >mintmark.pem && ` +
		`cp ca.crt nodes-ca.pem`
	output(t, "sh", "-c", join, "sh", directory)
	file := filepath.Join(directory, "haproxy.cfg")
	own := strings.ReplaceAll(text, "/etc/haproxy", directory)
	if err := os.WriteFile(file, []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("haproxy", "-c", "-f", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
