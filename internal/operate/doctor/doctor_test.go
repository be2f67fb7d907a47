package doctor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/inspect"
	"mintmark/internal/store/sqlstore/postgres"
)

var now = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// results returns the results of a report by the name of the check.
func results(r *Report) map[string]Result {
	result := make(map[string]Result)
	for _, f := range r.Checks {
		result[f.Name] = f.Result
	}
	return result
}

// want compares the result of one check.
func want(t *testing.T, r *Report, name string, result Result) {
	t.Helper()
	if got := results(r)[name]; got != result {
		t.Errorf("%s is %q, want %q: %+v", name, got, result, r.Checks)
	}
	for _, f := range r.Checks {
		if told := f.Why != "" && f.Cure != ""; told != (f.Result != OK) {
			t.Errorf("why and cure of a result %q are %q and %q", f.Result, f.Why, f.Cure)
		}
	}
}

// TestCertificate checks certificates that are valid, about to expire, expired, and not yet valid.
func TestCertificate(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, c := range []struct {
		from, to time.Duration
		want     Result
	}{
		{-day, 15 * day, OK}, {-day, 13 * day, Warning}, {-day, -time.Second, Failed},
		{time.Hour, 90 * day, Failed},
	} {
		p := Installation{Now: now}
		p.TLSCert, p.TLSKey = certificate(t, now.Add(c.from), now.Add(c.to))
		r := &Report{}
		r.certificate(p)
		want(t, r, "certificate", c.want)
	}
	r := &Report{}
	r.certificate(Installation{})
	if len(r.Checks) != 0 {
		t.Errorf("without a certificate there is %+v", r.Checks)
	}
}

// certificate writes a certificate and its key.
func certificate(t *testing.T, from, to time.Time) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	plan := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to}
	cert, err := x509.CreateCertificate(rand.Reader, plan, plan, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(directory, name)
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", private)
}

// TestJudgement checks the results for possible findings in a database.
func TestJudgement(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, c := range []struct {
		check string
		found inspect.Condition
		want  Result
	}{
		{"schema", inspect.Condition{Schema: 7, Known: 7}, OK},
		{"schema", inspect.Condition{Schema: 6, Known: 7}, Failed},
		{"schema", inspect.Condition{Schema: 8, Known: 7}, Warning},
		{"log", inspect.Condition{LogBytes: longLog}, OK},
		{"log", inspect.Condition{LogBytes: longLog + 1}, Warning},
		{"clock", inspect.Condition{}, OK},
		{"clock", inspect.Condition{NewestAct: ago(time.Hour)}, OK},
		{"clock", inspect.Condition{NewestAct: ago(-2 * time.Second)}, Warning},
		{"clock", inspect.Condition{NewestAct: ago(-time.Hour)}, Failed},
		{"clock", jumped(ago(6 * 24 * time.Hour)), Warning},
		{"clock", jumped(ago(8 * 24 * time.Hour)), OK},
		{"clock", onServer(postgres.Condition{Now: ago(time.Millisecond)}), OK},
		{"clock", onServer(postgres.Condition{Now: ago(-2 * time.Second)}), Warning},
		{"clock", onServer(postgres.Condition{Now: ago(time.Hour)}), Failed},
		{"orders", inspect.Condition{OldestOrder: ago(23 * time.Hour)}, OK},
		{"orders", inspect.Condition{OldestOrder: ago(25 * time.Hour)}, Warning},
		{"old PINs", inspect.Condition{OldestPin: ago(24 * time.Hour)}, OK},
		{"old PINs", inspect.Condition{OldestPin: ago(26 * time.Hour)}, Warning},
		{"old answers", inspect.Condition{OldestReply: ago(26 * time.Hour)}, Warning},
		{"jobs", inspect.Condition{}, OK},
		{"jobs", withJob(store.JobState{Began: now, Next: now}), OK},
		{"jobs", withJob(store.JobState{Began: now, Ended: now, Done: true, Next: now}), OK},
		{"jobs", withJob(store.JobState{Began: now, Ended: now, Next: now}), Warning},
		{"jobs", withJob(store.JobState{Done: true, Next: ago(2 * time.Hour)}), Warning},
	} {
		r, p := &Report{}, Installation{Now: now}
		r.schema(c.found)
		r.log(p, c.found)
		r.clock(p, c.found)
		r.waiting(p, c.found)
		r.jobs(p, c.found)
		want(t, r, c.check, c.want)
	}
}

func withJob(s store.JobState) inspect.Condition {
	return inspect.Condition{Jobs: []store.JobState{s}}
}

func onServer(s postgres.Condition) inspect.Condition {
	return inspect.Condition{Server: &s}
}

// TestServer checks servers with good and bad settings.
func TestServer(t *testing.T) {
	t.Parallel()
	good := func() postgres.Condition {
		return postgres.Condition{
			Version: 170002, Encrypted: true, Settings: map[string]string{
				"fsync": "on", "full_page_writes": "on", "synchronous_commit": "remote_apply",
				"data_checksums": "on",
			},
		}
	}
	for name, c := range map[string]struct {
		change func(*postgres.Condition)
		want   Result
	}{
		"server version":     {func(s *postgres.Condition) { s.Version = 140011 }, Failed},
		"fsync":              {off("fsync"), Failed},
		"full_page_writes":   {off("full_page_writes"), Failed},
		"synchronous_commit": {off("synchronous_commit"), Failed},
		"data_checksums":     {off("data_checksums"), Warning},
		"connection":         {func(s *postgres.Condition) { s.Encrypted = false }, Failed},
		"constraints": {
			func(s *postgres.Condition) { s.Invalid = []string{"a"} }, Failed,
		},
		"checksums": {func(s *postgres.Condition) { s.BadPages = 1 }, Failed},
	} {
		r, s := &Report{}, good()
		r.server(s)
		want(t, r, name, OK)
		r = &Report{}
		c.change(&s)
		r.server(s)
		want(t, r, name, c.want)
		if r.Failed+r.Warnings != 1 {
			t.Errorf("%s: other checks have not gone well, too: %+v", name, r.Checks)
		}
	}
	r, s := &Report{}, good()
	off("data_checksums")(&s)
	r.server(s)
	for _, check := range r.Checks {
		if check.Name == "data_checksums" && !strings.Contains(check.Cure, "pg_checksums") {
			t.Errorf("checksums that are off cannot be set to on: %s", check.Cure)
		}
		if check.Name == "checksums" && strings.Contains(check.Found, "no page was found") {
			t.Error("pages without checksums are called undamaged")
		}
	}
	r, s = &Report{}, good()
	s.Encrypted, s.Local = false, true
	r.connection(s)
	want(t, r, "connection", OK)
}

func off(setting string) func(*postgres.Condition) {
	return func(s *postgres.Condition) { s.Settings[setting] = "off" }
}

func jumped(at time.Time) inspect.Condition {
	return inspect.Condition{
		Sealing: inspect.Sealing{ClockJump: inspect.NamedTime{Name: "jumped by 1h0m0s", At: at}},
	}
}
