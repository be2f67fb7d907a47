package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/internal/app"
	"mintmark/internal/face/api"
)

// TestParsePrefix checks the notations of a trusted proxy, including an IPv4-mapped IPv6 address.
func TestParsePrefix(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32",
		"192.0.2.77/24": "192.0.2.0/24", "2001:db8::1": "2001:db8::1/128",
	} {
		if got, err := parsePrefix(text); err != nil || got.String() != want {
			t.Errorf("%q gives %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "proxy", "192.0.2.1/33"} {
		if got, err := parsePrefix(text); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

// TestReadCache checks that a read cache is refused if it is too small for a few cards, or larger
// than the memory of any machine.
func TestReadCache(t *testing.T) {
	t.Parallel()
	for size, fine := range map[int64]bool{
		-1: false, 1<<20 - 1: false, 1 << 20: true, 1 << 40: true, 1<<40 + 1: false,
	} {
		settings, err := good(config{Database: database{ReadCache: size}}).settings()
		if fine != (err == nil) || settings.Database.ReadCache != size {
			t.Errorf("%d bytes: %d, %v", size, settings.Database.ReadCache, err)
		}
	}
}

// TestLimitsAreLimits checks that a limit that has no effect, or would refuse every caller, is
// refused by name.
func TestLimitsAreLimits(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string][]limits{
		"limits.headerTimeout: ":    {{HeaderTimeout: -1}, {HeaderTimeout: 99 * time.Millisecond}},
		"limits.bodyTimeout: ":      {{BodyTimeout: -time.Second}, {BodyTimeout: time.Hour + 1}},
		"limits.answerTimeout: ":    {{AnswerTimeout: -1}, {AnswerTimeout: 24 * time.Hour}},
		"limits.idleTimeout: ":      {{IdleTimeout: -1}, {IdleTimeout: time.Nanosecond}},
		"limits.headerBytes: ":      {{HeaderBytes: -1}, {HeaderBytes: 1023}, {HeaderBytes: 1 << 21}},
		"limits.bodyBytes: ":        {{BodyBytes: -1}, {BodyBytes: 1023}, {BodyBytes: maxBody + 1}},
		"limits.connections: ":      {{Connections: -1}, {Connections: 9}, {Connections: 1_000_001}},
		"limits.adminConnections: ": {{AdminConnections: 9}, {AdminConnections: 10_001}},
	} {
		for _, limits := range bad {
			_, err := good(config{Limits: limits}).settings()
			if err == nil || !strings.HasPrefix(err.Error(), name) {
				t.Errorf("%+v gives %v, want %q", limits, err, name)
			}
		}
	}
	for _, fine := range []limits{
		{}, {BodyBytes: maxBody}, {IdleTimeout: time.Hour}, {HeaderTimeout: minTimeout},
		{HeaderBytes: 1024}, {HeaderBytes: 1 << 20}, {BodyBytes: 1024},
		{Connections: 10}, {Connections: 1_000_000},
	} {
		if _, err := good(config{Limits: fine}).settings(); err != nil {
			t.Errorf("%+v: %v", fine, err)
		}
	}
}

// good returns c with the required settings.
func good(c config) config {
	c.Data = "data"
	if c.PublicURL == "" {
		c.PublicURL = "https://cards.example.com"
	}
	return c
}

// TestPublicURL checks which base addresses of links are accepted.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, fine := range []string{
		"https://cards.example.com", "http://127.0.0.1:8080", "https://example.com:8443/cards/",
		"https://[2001:db8::1]/", "https://a.example/" + strings.Repeat("p", api.MaxBaseURL-18),
	} {
		if _, err := good(config{PublicURL: fine}).settings(); err != nil {
			t.Errorf("%s: %v", fine, err)
		}
	}
	for _, bad := range []string{
		"cards.example.com", "ftp://example.com", "https://", "https:example.com", "//example.com",
		"https://user:secret@example.com", "https://user@example.com", "https://example.com?a=b",
		"https://example.com/?", "https://example.com#part", "https://example.com/#", "https://:443",
		"javascript:alert(1)", "https://exa mple.com", "https://example.com/\n",
		"https://a.example/" + strings.Repeat("p", api.MaxBaseURL-17),
	} {
		_, err := good(config{PublicURL: bad}).settings()
		if err == nil || !strings.HasPrefix(err.Error(), "publicUrl: ") {
			t.Errorf("%s gives %v", bad, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the message shows a password: %v", err)
		}
	}
}

// TestInsecure checks the settings that are refused without `insecure: true` and cause a warning
// with it.
func TestInsecure(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tls := func(c config) config { c.TLSCert, c.TLSKey = "cert.pem", key; return c }
	for _, fine := range []config{
		{Listen: "127.0.0.1:80", AdminListen: "[::1]:81"}, {Listen: "localhost:0"},
		tls(config{Listen: ":443", AdminListen: "10.0.0.1:8081"}),
		{Database: database{URL: "postgres://10.0.0.1/m?sslmode=verify-full"}},
		{Database: database{URL: "postgres://127.0.0.1/m"}},
	} {
		for _, insecure := range []bool{false, true} {
			fine.Insecure = insecure
			settings, err := good(fine).settings()
			if err != nil || len(settings.Warnings) > 0 {
				t.Errorf("%+v gives %v and %q", fine, err, settings.Warnings)
			}
		}
	}
	for _, row := range []struct {
		config
		name string
	}{
		{config{Listen: ":80"}, "listen: "}, {config{Listen: "0.0.0.0:80"}, "listen: "},
		{config{Listen: "[::]:80"}, "listen: "}, {config{Listen: "example.com:80"}, "listen: "},
		{config{AdminListen: "10.0.0.1:8081"}, "adminListen: "},
		{config{Database: database{URL: "postgres://10.0.0.1/m"}}, "database.url: "},
		{config{Database: database{URL: "postgres://db/m?sslmode=require"}}, "database.url: "},
	} {
		_, err := good(row.config).settings()
		if err == nil || !strings.HasPrefix(err.Error(), row.name) ||
			!strings.HasSuffix(err.Error(), "set insecure: true") {
			t.Errorf("%+v gives %v", row.config, err)
		}
		row.Insecure = true
		settings, err := good(row.config).settings()
		if err != nil || len(settings.Warnings) != 1 ||
			!strings.HasPrefix(settings.Warnings[0], row.name) {
			t.Errorf("insecure %+v gives %v and %q", row.config, err, settings.Warnings)
		}
	}
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := good(tls(config{})).settings()
	if err == nil || !strings.HasPrefix(err.Error(), "tlsKey: "+key+" has mode 0644") {
		t.Errorf("a key that everybody may read gives %v", err)
	}
}

// TestDeployedSettings checks that the example configuration is accepted without `insecure: true`.
func TestDeployedSettings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/mintmark.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mintmark.yaml")
	// The driver would read the certificate, which does not exist here.
	own := strings.Replace(string(text), "&sslrootcert=/etc/mintmark/db-ca.crt", "", 1)
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := readConfig(file)
	if err != nil || settings.Insecure {
		t.Errorf("insecure is %v, and %v", settings.Insecure, err)
	}
}

// TestRetention parses retention periods, and refuses invalid ones with their line number.
func TestRetention(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mintmark.yaml")
	read := func(retention string) (time.Duration, error) {
		t.Helper()
		text := "data: d\npublicUrl: https://cards.example.com\nretention:\n  " + retention + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		settings, err := readConfig(file)
		return settings.Retention.Filled().Orders, err
	}
	for text, want := range map[string]time.Duration{
		"answers: 2d": 90 * 24 * time.Hour, "orders: 1d": 24 * time.Hour,
		"orders: 3660d": 3660 * 24 * time.Hour,
	} {
		if got, err := read(text); err != nil || got != want {
			t.Errorf("%s: orders are kept for %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"orders: 0d":     `line 4: "0d" is not from 1d to 3660d`,
		"orders: 3661d":  `line 4: "3661d" is not from`,
		"orders: 24h":    `line 4: "24h" is not a period like 90d`,
		"answers: 9":     `line 4: "9" is not a period`,
		"customers: 90d": "line 4: field customers not found",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestArchivesNeedADirectory checks that archiving the audit needs both a period and a directory,
// and that the period has a minimum.
func TestArchivesNeedADirectory(t *testing.T) {
	t.Parallel()
	for wrong, bad := range map[string]retention{
		"retention.audit, retention.archives: set both or neither": {Audit: 400},
		"retention.audit: 89d is not from 90d to 3660d":            {Audit: 89, Archives: "a"},
	} {
		_, err := good(config{Retention: bad}).settings()
		if err == nil || err.Error() != wrong {
			t.Errorf("%+v gives %v, want %q", bad, err, wrong)
		}
	}
	settings, err := good(config{Retention: retention{Audit: 90, Archives: "a"}}).settings()
	want := app.Archives{Keep: 90 * 24 * time.Hour, Directory: "a"}
	if err != nil || settings.Archives != want {
		t.Errorf("got %+v, error %v", settings.Archives, err)
	}
}
