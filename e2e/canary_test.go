package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"mintmark/client"
	"mintmark/e2e/ledger"
)

// canary is a string that must not be found.
type canary struct{ name, text string }

// form is a string that reveals a canary.
type form struct {
	name, text string
	hex        bool // in either letter case
	alone      bool // not within letters and digits, where a short text occurs by chance
}

// forms returns the strings that reveal a canary: plain, reversed, in hex, and in base64 at any
// offset of the encoded text.
func (c canary) forms() []form {
	var forms []form
	for name, text := range map[string]string{"plain": c.text, "reversed": reversed(c.text)} {
		forms = append(forms, form{name: name, text: text, alone: len(text) < 8},
			form{name: "hex, " + name, text: hex.EncodeToString([]byte(text)), hex: true})
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			padded := append(make([]byte, shift), c.text...)
			text := encoding.EncodeToString(padded)
			// The first and the last characters also encode bits of the surrounding text.
			from, to := (shift*8+5)/6, len(padded)*8/6
			if to-from < 7 { // occurs in encrypted text by chance
				continue
			}
			forms = append(forms, form{
				name: fmt.Sprintf("base64 %d %s", shift, text[from:to]), text: text[from:to],
			})
		}
	}
	return forms
}

// beside lists the characters that must not surround a form with alone set.
const beside = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_./+=-"

// in returns the index of the form in a text, or -1. Lower is the text in lower case.
func (f form) in(text, lower []byte) int {
	if f.hex {
		return bytes.Index(lower, []byte(f.text))
	}
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(f.text))
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(f.text)
		inside := at > 0 && strings.IndexByte(beside, text[at-1]) >= 0 ||
			end < len(text) && strings.IndexByte(beside, text[end]) >= 0
		if !f.alone || !inside {
			return at
		}
		from = at + 1
	}
}

func reversed(text string) string {
	turned := []byte(text)
	slices.Reverse(turned)
	return string(turned)
}

// search returns where it finds canaries in a text.
func search(where string, text []byte, canaries []canary) []string {
	lower := bytes.Clone(text)
	for i, letter := range lower {
		if 'A' <= letter && letter <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	var leaks []string
	for _, c := range canaries {
		for _, form := range c.forms() {
			if at := form.in(text, lower); at >= 0 {
				around := text[max(0, at-20):min(len(text), at+len(form.text)+20)]
				leaks = append(leaks, fmt.Sprintf("%s holds the %s (%s): %q", where, c.name,
					form.name, around))
			}
		}
	}
	return leaks
}

// TestCanarySearch is the control: each form of a canary is found in any surroundings.
func TestCanarySearch(t *testing.T) {
	t.Parallel()
	for _, c := range []canary{{"number", "4005519876543210"}, {"PIN", "8462"}} {
		for _, around := range []string{"", "a", "ab", "abc"} {
			for name, text := range map[string]string{
				"plain": c.text, "reversed": reversed(c.text),
				"hex":        hex.EncodeToString([]byte(around + c.text + around)),
				"upper hex":  strings.ToUpper(hex.EncodeToString([]byte(c.text))),
				"base64":     base64.StdEncoding.EncodeToString([]byte(around + c.text + around)),
				"base64 url": base64.RawURLEncoding.EncodeToString([]byte(around + c.text)),
			} {
				short := len(c.text) < 8 && strings.HasPrefix(name, "base64")
				text = `{"x":"` + text + `"}`
				if len(search("", []byte(text), []canary{c})) == 0 && !short {
					t.Errorf("the %s is not found as %s behind %q in %s", c.name, name, around,
						text)
				}
			}
		}
		if leaks := search("", []byte("nothing 40055198 846 2"), []canary{c}); len(leaks) > 0 {
			t.Errorf("found is %q", leaks)
		}
	}
}

// wire is a proxy between a server and its card processor that stores every body.
type wire struct {
	mu     sync.Mutex
	bodies [][]byte
}

// listen starts the proxy, which forwards requests to the processor.
func (w *wire) listen(t *testing.T, address, to string) {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: to})
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(
		answer http.ResponseWriter, request *http.Request,
	) {
		body, _ := io.ReadAll(request.Body) // a truncated body is forwarded truncated
		w.mu.Lock()
		w.bodies = append(w.bodies, body)
		w.mu.Unlock()
		request.Body = io.NopCloser(strings.NewReader(string(body)))
		proxy.ServeHTTP(answer, request)
	})}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
}

// numbers decrypts the sealed parts of the orders with the key of the processor, and returns the
// card numbers in them.
func (w *wire) numbers(t *testing.T, keys string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(keys, "private.jwks"))
	if err != nil {
		t.Fatal(err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var numbers []string
	for _, body := range w.bodies {
		var order struct{ Sealed string }
		if err := json.Unmarshal(body, &order); err != nil || order.Sealed == "" {
			continue
		}
		sealed, err := jose.ParseEncryptedCompact(order.Sealed,
			[]jose.KeyAlgorithm{jose.RSA_OAEP_256}, []jose.ContentEncryption{jose.A256GCM})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := sealed.Decrypt(set.Keys[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		var secret struct{ Number string }
		if err := json.Unmarshal(plain, &secret); err != nil {
			t.Fatal(err)
		}
		if secret.Number != "" && !slices.Contains(numbers, secret.Number) {
			numbers = append(numbers, secret.Number)
		}
	}
	return numbers
}

// TestCanary performs every act with known PINs, secrets and birth dates, learns the card numbers
// from what the processor can decrypt, and then searches everything that was written or sent:
// database and its log, log lines, bodies of orders and events, files, arguments and environment of
// the processes, answers of the operators' interface, pages of the console, traces. It must find
// nothing. Keys and settings are not searched, because they hold the secrets; the birth date of a
// customer is a number in its row, which is the record itself (decision 11).
func TestCanary(t *testing.T) {
	t.Parallel()
	for _, carrier := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			c, between, heard := newCircle(t, carrier), &wire{}, newSubscriber(t)
			traced := newCollector(t)
			const secret = "canary-secret-Wq8ZtR4nVx2LmB6yKd9HsJ3f"
			c.observe(between, heard, traced, secret)
			c.instant()
			pins := []string{"8462", "7193", "6058"}
			last := c.doEverything(pins)
			c.settles()
			heard.await("the event of the last act", func(got []told) bool {
				return slices.ContainsFunc(got, func(e told) bool { return e.CardID == last })
			})

			var canaries []canary
			for _, number := range between.numbers(t, filepath.Join(c.dir, "keys")) {
				canaries = append(canaries, canary{"number of a card", number})
			}
			if len(canaries) < 3 && carrier == "http" {
				t.Errorf("%d card numbers are known", len(canaries))
			}
			canaries = append(canaries, canary{"secret of a key", secret},
				canary{"secret of a webhook", strings.TrimPrefix(hookSecret, "whsec_")},
				canary{"birth date", birthDate.Format("2006-01-02")})
			number := ""
			if carrier == "http" {
				number = canaries[0].text
			}
			secrets, answers := c.operate(last, number)
			canaries = append(canaries, secrets...)
			secrets, pages := c.browse(last, number)
			canaries = append(canaries, secrets...)
			everything := c.everything(between, heard)
			maps.Copy(everything, answers)
			maps.Copy(everything, pages)
			c.endsWell()
			everything["the traces"] = traced.text(t, "/card/initiate", "/admin/v1", "/console/")
			shown := c.column(`SELECT last_four FROM card_numbers`)
			for _, digits := range pins {
				// Four digits match by chance.
				if !slices.Contains(shown, digits) && !slices.Contains(shown, reversed(digits)) {
					canaries = append(canaries, canary{"PIN", digits})
				}
			}
			for where, text := range everything {
				for _, leak := range search(where, text, canaries) {
					t.Error(leak)
				}
			}
		})
	}
}

// observe puts the wire between the server and the processor, subscribes to events, makes the
// server send traces, and gives the calling program its own key.
func (c *circle) observe(
	between *wire, heard *subscriber, traced *collector, secret string,
) {
	c.Helper()
	c.node.end(9)
	address := freeAddress(c.T)
	between.listen(c.T, address, c.simulatorAt)
	text, err := os.ReadFile(c.config)
	if err != nil {
		c.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "url: http://"+c.simulatorAt,
		"url: http://"+address, 1) + "tracesEndpoint: " + traced.url + "\n")
	if err := os.WriteFile(c.config, text, 0o600); err != nil {
		c.Fatal(err)
	}
	file := filepath.Join(c.T.TempDir(), "key.yaml")
	err = os.WriteFile(file, []byte("keys: [{name: canary, programId: 1, version: 1, secrets: "+
		"[{secret: "+secret+"}], allow: [127.0.0.0/8], perSecond: 0}]\n"), 0o600)
	if err != nil {
		c.Fatal(err)
	}
	c.done("load", "--config", c.config, file)
	heard.subscribe(c.production)
	c.startNode()
	c.api = client.New(c.node.url, "canary", secret)
}

// doEverything performs every act of a caller, some with invalid input, and returns the id of the
// last card.
func (c *circle) doEverything(pins []string) (last int) {
	c.Helper()
	ctx := c.Context()
	encrypted := c.pin(pins[0])
	order := func(name, pin string) client.Card {
		wanted := newCard(name)
		wanted.NewPin = pin
		card, err := c.api.CardInitiate(ctx, wanted)
		if err != nil {
			c.Fatal(err)
		}
		return card
	}
	card := order("Canary", encrypted)
	c.gets(card.CardID, "card.make")
	c.becomes(card.CardID, "shipped", hasStatus("PendingVerification"))
	wrong := client.CardVerifyRequest{
		CustomerID: customer, CardID: card.CardID, BirthDate: birthDate.AddDate(1, 0, 0),
		CardNumberMasked: c.lastFour(card.CardID),
	}
	if _, err := c.api.CardVerify(ctx, wrong); err == nil {
		c.Error("a wrong birth date verifies a card")
	}
	c.verifies(card.CardID)
	c.actOn(ctx, card.CardID, pins[1])
	for reason, name := range map[string]string{"DMG": "Damaged", "STL": "Taken away"} {
		before := order(name, "")
		c.gets(before.CardID, "card.make")
		c.becomes(before.CardID, "shipped", hasStatus("PendingVerification"))
		_, err := c.api.CardReissue(ctx, client.CardReissueRequest{
			CustomerID: customer, CardID: before.CardID, ReissueReasonTypeCode: reason,
			NewPin: c.pin(pins[2]),
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	digital, err := c.api.CardCreateDigital(ctx, newCard("Digital"))
	if err != nil {
		c.Fatal(err)
	}
	return digital.CardID
}

// actOn performs the acts on a card that leave its plastic alone.
func (c *circle) actOn(ctx context.Context, cardID int, pin string) {
	c.Helper()
	cardRequest := client.CardRequest{CustomerID: customer, CardID: cardID}
	account := client.CardAccountRequest{
		CustomerID: customer, CardID: cardID, AccountID: 2002, CardPriority: 2,
	}
	lock := client.CardLockRequest{
		CustomerID: customer, CardID: cardID, LockReasonTypeCode: "TMP",
	}
	for _, act := range []func() error{
		func() error { _, err := c.api.CardAddAccount(ctx, account); return err },
		func() error {
			account.CardPriority = 1
			_, err := c.api.CardReprioritizeAccount(ctx, account)
			return err
		},
		func() error {
			account.AccountID = 2001
			_, err := c.api.CardRemoveAccount(ctx, account)
			return err
		},
		func() error {
			_, err := c.api.CardResetPin(ctx, client.CardResetPinRequest{
				CustomerID: customer, CardID: cardID, NewPin: c.pin(pin),
			})
			return err
		},
		func() error { _, err := c.api.CardLock(ctx, lock); return err },
		func() error { _, err := c.api.CardUnlock(ctx, cardRequest); return err },
		func() error {
			lock.LockReasonTypeCode = "FRD"
			_, err := c.api.CardHotlist(ctx, lock)
			return err
		},
		func() error { return c.api.CardArchive(ctx, cardRequest) },
	} {
		if err := act(); err != nil {
			c.Error(err)
		}
	}
}

// measured matches the numbers in logs and metrics that may equal a PIN by chance.
var measured = regexp.MustCompile(`"micros":\d+|"time":"[^"]+"|(?m: \d+$)`)

func unmeasured(text string) []byte { return measured.ReplaceAll([]byte(text), nil) }

// everything returns everything that was written or sent, by location.
func (c *circle) everything(between *wire, heard *subscriber) map[string][]byte {
	c.Helper()
	texts := map[string][]byte{
		"the log of the server":    unmeasured(c.node.log.String()),
		"the log of the simulator": unmeasured(c.simulator.log.String()),
		"the metrics":              unmeasured(c.node.probe("/metrics").body),
	}
	for name, program := range map[string]*process{
		"the server": c.node, "the simulator": c.simulator,
	} {
		for _, what := range []string{"cmdline", "environ"} {
			path := fmt.Sprintf("/proc/%d/%s", program.command.Process.Pid, what)
			text, err := os.ReadFile(path)
			if err != nil {
				c.Fatal(err)
			}
			texts[what+" of "+name] = text
		}
	}
	between.mu.Lock()
	for i, body := range between.bodies {
		texts[fmt.Sprintf("body %d", i)] = body
	}
	between.mu.Unlock()
	heard.mu.Lock()
	for i, body := range heard.bodies {
		texts[fmt.Sprintf("event %d", i)] = body
	}
	heard.mu.Unlock()
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		inside, _ := filepath.Rel(c.dir, path)
		if err != nil || entry.IsDir() || strings.HasPrefix(inside, "keys") ||
			path == c.config || filepath.Ext(path) == ".pem" || filepath.Ext(path) == ".key" {
			return err
		}
		text, err := os.ReadFile(path)
		texts[inside] = text
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	if ledger.On() == ledger.Postgres {
		for table, text := range c.tables() {
			texts["the table "+table] = text
		}
	}
	return texts
}

// tables returns the rows of all tables on a database server as text.
func (c *circle) tables() map[string][]byte {
	c.Helper()
	texts := make(map[string][]byte)
	for _, table := range c.column(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`) {
		rows := c.column(`SELECT t::text FROM "` + table + `" t`)
		texts[table] = []byte(strings.Join(rows, "\n"))
	}
	return texts
}

// column returns the result of a query with a single column.
func (c *circle) column(query string) []string {
	c.Helper()
	rows, err := c.database().QueryContext(c.Context(), query)
	if err != nil {
		c.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			c.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}
