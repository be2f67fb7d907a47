package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"

	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/pgtest"
)

// movedCardsVariable sets the number of cards of the moving program, in addition to the demo data.
const movedCardsVariable = "MINTMARK_MOVED_CARDS"

// moving is a move between two production installations on different databases.
type moving struct {
	*testing.T
	directory, path string
	old, new        *process
	cards           [][2]int // customer id and card id
	imported        int
	last            map[int]string // last answer about each card from the old installation
}

// TestProgramMoves follows the steps of docs/moving.md while callers lock, unlock and read cards:
// each request succeeds or gets the response to retry; the new installation shows every card as the
// old one did last; a killed import leaves nothing, a second export is the same, the audit log of
// the old installation verifies, and no card number is in a log or an audit log.
func TestProgramMoves(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	m := &moving{
		T: t, directory: t.TempDir(), path: path, imported: setting(t, movedCardsVariable, 40),
	}
	url := ""
	if ledger.On() == ledger.SQLite {
		url = pgtest.URL(t)
	}
	giveKeys(t, m.at("old"), "*.json", "*.pem")
	m.configure("old", ledger.Database(t, m.at("old")).URL)
	m.configure("new", url)
	m.done("load", "--config", "old.yaml", productionDemo(t, m.directory))
	m.fill()
	m.old = serve(t, m.command("serve", "--config", "old.yaml"), "serves on")
	m.read()
	stop := m.callers()
	recipient := m.follow()
	m.new = serve(t, m.command("serve", "--config", "new.yaml"), "serves on")
	changed, fenced := stop()
	secret := m.rotate()
	for _, of := range m.cards {
		if status, body := m.get(m.new, secret, of); status != 200 || body != m.last[of[1]] {
			t.Fatalf("card %d is answered %d %s, before %s", of[1], status, body, m.last[of[1]])
		}
	}
	m.same()
	key := m.done("audit", "key", "--config", "old.yaml")
	m.write("key.txt", key)
	m.done("audit", "verify", "--export", "audit.jsonl", "--key", "key.txt")
	m.canary(m.old.log.String(), m.new.log.String(), m.done("audit", "export", "--config", "old.yaml"),
		m.done("audit", "export", "--config", "new.yaml"))
	m.done("program", "unfence", "--config", "old.yaml", "--program", "1")
	again := time.Now()
	for status := 503; status != 200; {
		if status, _ = m.get(m.old, "example1", m.cards[0]); time.Since(again) > 10*time.Second {
			t.Fatalf("without the fence the old installation answers %d", status)
		}
	}
	t.Logf("%d cards moved to %s; %d changes before the fence, %d answers behind it", len(m.cards),
		recipient, changed, fenced)
}

func (m *moving) at(name string) string { return filepath.Join(m.directory, name) }

func (m *moving) write(name, text string) {
	m.Helper()
	if err := os.WriteFile(m.at(name), []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
}

// configure initializes an installation; init creates keys that are missing.
func (m *moving) configure(name, url string) {
	m.Helper()
	m.write(name+".yaml", "listen: 127.0.0.1:0\nadminListen: 127.0.0.1:0\ninsecure: true\ndata: "+
		name+"\npublicUrl: https://cards.example.com\ndatabase: {url: '"+url+"'}\n")
	m.done("init", "--config", name+".yaml")
}

func (m *moving) command(args ...string) *exec.Cmd {
	c := command(m.T, args...)
	c.Dir = m.directory
	return c
}

// done runs the program, which must succeed, and returns its output.
func (m *moving) done(args ...string) string {
	m.Helper()
	c := m.command(args...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		m.Fatalf("mintmark %s: %v\n%s%s", strings.Join(args, " "), err, out, &said)
	}
	return string(out)
}

// fill imports customers with a card each.
func (m *moving) fill() {
	m.Helper()
	var rows, cards strings.Builder
	rows.WriteString(`{"source":"core","programId":1,"sequence":1}` + "\n")
	cards.WriteString(`{"source":"old platform","programId":1,"sequence":1}` + "\n")
	for i := range m.imported {
		id := 500_000 + i
		fmt.Fprintf(&rows, `{"kind":"customer","op":"put","customerId":%d,"status":"Verified",`+
			`"access":"FULL","firstName":"Ada","lastName":"Example","birthDate":"1985-03-14"}`+"\n"+
			`{"kind":"account","op":"put","accountId":%[1]d,"customerId":%[1]d,"type":"Checking",`+
			`"status":"Open","name":"Main","accountNumber":"%08[2]d","accountBalance":%[2]d.25}`+"\n"+
			`{"kind":"access","op":"put","customerId":%[1]d,"accountId":%[1]d,"access":"FULL"}`+"\n",
			id, i)
		row := oldCard(i, id, id)
		cards.WriteString(strings.Replace(row, `{`, fmt.Sprintf(`{"cardId":%d,`, id), 1))
		m.cards = append(m.cards, [2]int{id, id})
	}
	for card := 5001; card <= 5008; card++ {
		m.cards = append(m.cards, [2]int{1001, card})
	}
	m.write("rows.ndjson", rows.String())
	m.write("cards.ndjson", cards.String())
	m.done("feed", "--config", "old.yaml", "rows.ndjson")
	m.done("card", "import", "--plain", "--config", "old.yaml", "cards.ndjson")
}

var requestID = regexp.MustCompile(`"requestId":"[^"]*"`)

// get reads a card.
func (m *moving) get(from *process, secret string, of [2]int) (status int, body string) {
	m.Helper()
	return m.send(from, secret, http.MethodGet, fmt.Sprintf("/card/get/%d/%d", of[0], of[1]), "")
}

// send sends a request. It removes the requestId from the answer.
func (m *moving) send(to *process, secret, method, route, body string) (int, string) {
	m.Helper()
	request, err := http.NewRequestWithContext(m.Context(), method, to.url+route,
		strings.NewReader(body))
	if err != nil {
		m.Fatal(err)
	}
	request.SetBasicAuth("example1", secret)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode == 503 && answer.Header.Get("Retry-After") != "60" {
		err = errors.Join(err, fmt.Errorf("Retry-After is %q", answer.Header.Get("Retry-After")))
	}
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, requestID.ReplaceAllString(string(text), "")
}

// read reads all cards in the old installation.
func (m *moving) read() {
	m.Helper()
	m.last = make(map[int]string)
	for _, of := range m.cards {
		status, body := m.get(m.old, "example1", of)
		if status != 200 {
			m.Fatalf("card %d is answered %d %s", of[1], status, body)
		}
		m.last[of[1]] = body
	}
}

// callers starts callers that have cards of their own in the old installation. They lock, unlock
// and read them until they are stopped, and count the answers of the fence. After its first one,
// all answers must be from the fence.
func (m *moving) callers() (stop func() (changed, fenced int)) {
	end := make(chan struct{})
	var running sync.WaitGroup
	callers := make([]movingCaller, 4)
	for i := range callers {
		c := &callers[i]
		c.moving, c.last = m, make(map[int]string)
		for at := i; at < len(m.cards); at += len(callers) {
			c.cards = append(c.cards, m.cards[at])
			c.last[m.cards[at][1]] = m.last[m.cards[at][1]]
		}
		running.Go(func() { c.run(end) })
	}
	return func() (changed, fenced int) {
		close(end)
		running.Wait()
		for _, c := range callers {
			if c.changed == 0 || c.fenced == 0 {
				m.Errorf("a caller changed %d cards, and met the fence %d times", c.changed, c.fenced)
			}
			changed, fenced = changed+c.changed, fenced+c.fenced
			maps.Copy(m.last, c.last)
		}
		return changed, fenced
	}
}

// movingCaller locks, unlocks and reads its share of the cards, and records the last answer for
// each.
type movingCaller struct {
	*moving
	cards           [][2]int
	last            map[int]string
	changed, fenced int
}

func (c *movingCaller) run(end <-chan struct{}) {
	for turn := 0; ; turn++ {
		for _, of := range c.cards {
			select {
			case <-end:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if of[0] >= 500_000 && !c.change(of, turn%2 == 0) {
				return
			}
			status, body := c.get(c.old, "example1", of)
			if !c.behind(status, body) && (status != 200 || body != c.last[of[1]] || c.fenced > 0) {
				c.Errorf("a caller is answered %d %s, %d times behind the fence", status, body, c.fenced)
				return
			}
		}
	}
}

// change locks or unlocks a card. An acknowledged change moves with the card.
func (c *movingCaller) change(of [2]int, lock bool) bool {
	route, body := "/card/unlock", fmt.Sprintf(`{"customerId":%d,"cardId":%d}`, of[0], of[1])
	if lock {
		route = "/card/lock"
		body = strings.Replace(body, "}", `,"lockReasonTypeCode":"TMP"}`, 1)
	}
	status, answer := c.send(c.old, "example1", http.MethodPost, route, body)
	switch {
	case c.behind(status, answer):
	case status == 200 && c.fenced == 0:
		c.changed++
		c.last[of[1]] = answer
	default:
		c.Errorf("%s is answered %d %s, %d times behind the fence", route, status, answer, c.fenced)
		return false
	}
	return true
}

// behind reports whether an answer is from the fence, and counts it.
func (c *movingCaller) behind(status int, body string) bool {
	if status != 503 || !strings.Contains(body, "50503") {
		return false
	}
	c.fenced++
	return true
}

// follow runs the commands of the page. It kills imports before the one that completes.
func (m *moving) follow() (recipient string) {
	m.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "moving.md"))
	if err != nil {
		m.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## A program moves\n")
	_, block, _ := strings.Cut(section, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		args := strings.Fields(strings.TrimPrefix(strings.Replace(line, "age1...", recipient, 1),
			"mintmark "))
		if strings.Contains(line, "program import") && !strings.Contains(line, "--dry-run") {
			if m.killed(args) {
				continue
			}
		}
		began := time.Now()
		out := m.done(args...)
		m.Logf("%s: %v", line, time.Since(began))
		if strings.Contains(line, "recipient --config") {
			recipient = strings.TrimSpace(out)
		}
	}
	return recipient
}

// killed starts the command several times and kills it, and reports whether it completed before a
// kill.
func (m *moving) killed(args []string) (done bool) {
	m.Helper()
	for _, after := range []time.Duration{100, 250, 400} {
		c := m.command(args...)
		if err := c.Start(); err != nil {
			m.Fatal(err)
		}
		time.AfterFunc(after*time.Millisecond*time.Duration(1+m.imported/2000), func() {
			_ = c.Process.Signal(syscall.SIGKILL)
		})
		if err := c.Wait(); err == nil {
			return true
		}
		again := m.command("program", "import", "--config", "new.yaml", "--in", "program.age", "--dry-run")
		out, err := again.CombinedOutput()
		if strings.Contains(string(out), "there is program 1 already") {
			m.Log("killed behind the commit")
			return true
		}
		if err != nil {
			m.Fatalf("after a kill the import does not begin: %v: %s", err, out)
		}
		if err := os.Remove(m.at("audit.jsonl")); err == nil {
			m.Log("killed behind the audit")
		}
	}
	return false
}

// rotate gives the callers' key a secret in the new installation.
func (m *moving) rotate() (secret string) {
	m.Helper()
	token := strings.TrimSpace(m.done("token", "create", "setup", "--role", "security", "--config",
		"new.yaml"))
	c := m.command("key", "rotate", "example1", "--program", "1", "--overlap", "0s", "--reason", "moved")
	c.Env = append(os.Environ(), "MINTMARK_SERVER="+m.new.adminURL(), "MINTMARK_TOKEN="+token)
	out, err := c.CombinedOutput()
	if err != nil {
		m.Fatalf("key rotate: %v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "secret" {
			return words[1]
		}
	}
	m.Fatalf("key rotate prints no secret: %s", out)
	return ""
}

// same exports the program from both installations, and compares all lines except the head and the
// audit.
func (m *moving) same() {
	m.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		m.Fatal(err)
	}
	lines := func(from string) (kept []string) {
		m.done("program", "export", "--config", from+".yaml", "--program", "1", "--out",
			from+".age", "--recipient", identity.Recipient().String())
		file, err := os.Open(m.at(from + ".age"))
		if err != nil {
			m.Fatal(err)
		}
		defer file.Close()
		in, err := age.Decrypt(file, identity)
		if err != nil {
			m.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			m.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, `{"kind":"head"`) && !strings.HasPrefix(line, `{"kind":"audit"`) &&
				!strings.HasPrefix(line, `{"kind":"end"`) {
				kept = append(kept, line)
			}
		}
		return kept
	}
	before, after := lines("old"), lines("new")
	if len(before) != len(after) {
		m.Fatalf("%d lines are exported again, before %d", len(after), len(before))
	}
	for i := range before {
		if before[i] != after[i] {
			m.Errorf("exported again a line is %s, before %s", after[i], before[i])
		}
	}
}

// canary checks that texts contain no card number.
func (m *moving) canary(texts ...string) {
	m.Helper()
	for i := range m.imported {
		for _, text := range texts {
			if strings.Contains(text, oldNumber(i)) {
				m.Errorf("the number of card %d is in a text", i)
			}
		}
	}
}
