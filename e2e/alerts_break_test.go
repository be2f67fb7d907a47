//go:build long

package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// breakProcessor makes an order fail, stops the processor, and makes orders wait for a long time.
// It also sends messages that are not signed.
func (w *watched) breakProcessor() {
	w.Helper()
	c := w.circle
	refused := c.orders("Refused")
	c.gets(refused.CardID, "card.make")
	c.reports(refused.CardID, "refused")
	c.becomes(refused.CardID, "refused", hasStatus("Denied"))
	c.simulator.end(syscall.SIGKILL)
	c.hotlists(5001)
	c.orders("Late")
	w.rewrites(c.production.data, moved(3*time.Hour))
	w.always(200*time.Millisecond, func() {
		answer, err := http.Post("http://"+c.adminAt+"/processor/v1/reports", "application/json",
			strings.NewReader("{}"))
		if err == nil {
			answer.Body.Close()
		}
	})
}

// breakJobs makes webhook deliveries fail permanently, forges an audit entry, leaves a job that no
// node runs, makes another one fail, and stops the sealing of the audit log.
func (w *watched) breakJobs() {
	w.Helper()
	c := w.circle
	refuses := httptest.NewServer(http.HandlerFunc(
		func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(500) }))
	w.Cleanup(refuses.Close)
	c.loads(someKeys(1, 10) + fmt.Sprintf(
		"programs: [{programId: 1, webhooks: [{url: '%s', secrets: [%s]}]}]\n",
		refuses.URL, hookSecret))
	for i := range 3 {
		c.orders(fmt.Sprint("Told ", i))
	}
	const insert = `INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id,
			customer_id, card_id, outcome, card_before, card_after, actor_kind, reason,
			subject_kind, subject_id, digest)
		SELECT acted_at, key_name, address, route, request_id, program_id, customer_id, card_id,
			'insert up', card_before, card_after, actor_kind, reason, subject_kind, subject_id,
			digest
		FROM audit WHERE digest IS NOT NULL ORDER BY audit_id LIMIT 1`
	const forgotten = `INSERT INTO jobs (name, node, began_at, ended_at, done, next_at, error)
		VALUES ('of another version', 'gone', 1000, 2000, TRUE, 3000, '')`
	const noBackup = `UPDATE audit SET acted_at = acted_at - 864000000
		WHERE subject_kind = 'installation'`
	w.rewrites(c.production.data, insert, forgotten, noBackup, reconciledOnce)
	shows := func(what string) bool {
		return regexp.MustCompile(what).MatchString(c.node.probe("/metrics").body)
	}
	// Events from before the subscription that were not sealed yet wait, too.
	testrun.Within(w.T, "events of the webhook wait", func() bool {
		return shows(`mintmark_webhook_deliveries\{state="waiting",webhook="1"\} ([3-9]|\d\d)`)
	})
	time.Sleep(2500 * time.Millisecond) //nolint:forbidigo // Prometheus has to see that none was dead.
	testrun.Within(w.T, "an event is dead", func() bool {
		w.rewrites(c.production.data, `UPDATE deliveries SET state = 'dead', next_at = NULL
			WHERE event = (SELECT MAX(event) FROM deliveries)`)
		return shows(`mintmark_webhook_deliveries\{state="dead",webhook="1"\} 1`)
	})
	w.rewrites(w.sealed.data, "ALTER TABLE audit RENAME TO audit_elsewhere",
		"ALTER TABLE replays RENAME TO replays_elsewhere")
}

// breakMachines fills a disk, makes a database unreachable, and lets a certificate and the open
// files run out.
func (w *watched) breakMachines() {
	w.Helper()
	writeLasting(w.T, certificateIn(filepath.Dir(w.secure.config)), "ends", 24*time.Hour)
	pid := w.secure.process.command.Process.Pid
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		w.Fatal(err)
	}
	out, err := exec.Command("prlimit", "--pid", fmt.Sprint(pid),
		fmt.Sprintf("--nofile=%d:", len(open)+len(open)/6)).CombinedOutput()
	if err != nil {
		w.Fatalf("prlimit: %v: %s", err, out)
	}
	if ledger.On() == ledger.Postgres {
		w.shiftClock()
		w.breakServer()
		return
	}
	w.rewrites(w.gone.data, "ALTER TABLE orders RENAME TO orders_elsewhere")
	if w.unfit == "" {
		file, err := os.Create(filepath.Join(w.disk, "filler"))
		if err != nil {
			w.Fatal(err)
		}
		defer file.Close()
		for err == nil { // until the disk is full
			_, err = file.Write(make([]byte, 4096))
		}
	}
}

// breakSlowly fills a disk at a rate that fills it up within a day.
func (w *watched) breakSlowly() {
	w.Helper()
	if w.unfit != "" {
		return
	}
	file, err := os.Create(filepath.Join(w.fills, "filler"))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = file.Close() })
	w.always(500*time.Millisecond, func() { _, _ = file.Write(make([]byte, 256<<10)) })
}

// shiftClock makes the server report a time to one node that is 5 seconds ahead of this machine's,
// in every transaction and query: functions of those names precede the server's own in the search
// path of the node's database.
func (w *watched) shiftClock() {
	w.Helper()
	w.rewrites(w.behind.data, "CREATE SCHEMA ahead",
		`CREATE FUNCTION ahead.now() RETURNS timestamptz LANGUAGE sql STABLE
			AS $$ SELECT pg_catalog.now() + INTERVAL '5 seconds' $$`,
		`CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
			AS $$ SELECT pg_catalog.clock_timestamp() + INTERVAL '5 seconds' $$`)
	w.alters(w.behind.data, `SET search_path = ahead, pg_catalog, "$user", public`)
}

// alters alters the database of an installation and makes the node reconnect.
func (w *watched) alters(data, how string) {
	w.Helper()
	of := ledger.Database(w.T, data).URL
	parsed, err := url.Parse(of)
	if err != nil {
		w.Fatal(err)
	}
	name := strings.TrimPrefix(parsed.Path, "/")
	outside := pgtest.Within(of, "postgres")
	pgtest.Run(w.T, outside, fmt.Sprintf(`ALTER DATABASE "%s" %s`, name, how))
	pgtest.Run(w.T, outside, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "+
		"WHERE datname = '"+name+"'")
}

// breakServer closes one database to all connections, locks a table that another one writes to, and
// keeps the connections to a third one busy.
func (w *watched) breakServer() {
	w.Helper()
	w.alters(w.gone.data, "ALLOW_CONNECTIONS false")
	if w.unfit == "" {
		locks, err := ledger.Open(w.T, w.small.data).BeginTx(w.Context(), nil)
		if err == nil { // the end of the test's context ends it
			_, err = locks.ExecContext(w.Context(), "LOCK TABLE leases IN EXCLUSIVE MODE")
		}
		if err != nil {
			w.Fatal(err)
		}
	}
	for i := range 60 {
		w.always(time.Millisecond, func() {
			_, _ = w.circle.api.CardInitiate(w.Context(), newCard(fmt.Sprint("Busy ", i)))
		})
	}
}

// breakCallers makes requests fail and take long, and sends requests that are rejected.
func (w *watched) breakCallers() {
	w.Helper()
	w.fails(`{"route":"/card/get/{customerId}/{cardId}","code":52998}`)
	w.fails(`{"route":"/card/list/{customerId}","code":50504}`)
	w.fails(`{"route":"/card/getbytag/{customerId}/{tag}","delay":"1500ms"}`)
	to := w.sandbox.url
	for _, caller := range []caller5001{
		{url: to, key: "example1"}, {url: to, key: "example1", path: "/card/list/1001"},
		{url: to, key: "limited"}, {url: to, key: "example1", secret: "wrong"},
	} {
		w.always(20*time.Millisecond, func() { caller.asks(w.T) })
	}
	// More than one in 100, even with the fast requests of breakServer.
	for range 80 {
		slow := caller5001{url: to, key: "example1", path: "/card/getbytag/1001/demo-5001"}
		w.always(time.Millisecond, func() { slow.asks(w.T) })
	}
	another, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		w.Fatal(err)
	}
	sealed, err := client.EncryptPin(&another.PublicKey, "1234")
	if err != nil {
		w.Fatal(err)
	}
	api := client.New(to, "example1", "example1")
	w.always(300*time.Millisecond, func() {
		_, _ = api.CardResetPin(w.Context(), client.CardResetPinRequest{
			CustomerID: customer, CardID: 5001, NewPin: sealed,
		})
	})
	v := &visitor{w.T, "http://" + w.circle.adminAt, map[string]string{}}
	w.always(200*time.Millisecond, func() {
		v.send("/console/sign-in", url.Values{
			"name": {"eve"}, "password": {"wrong"}, "code": {"123456"},
		})
	})
}
