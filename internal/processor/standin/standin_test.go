package standin

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/simulator"
)

// TestOverHTTP takes a card through its life over HTTP.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	m := newMintmark(t)
	p := open(t, Settings{Mode: simulator.Manual, ReportURLs: []string{m.server.URL}})
	for _, path := range []string{"", "/orders", "/reports"} {
		if _, text := ask(t, "GET", p.URL()+"/simulator"+path, ""); strings.Contains(text, "null") {
			t.Errorf("%s is answered %s", path, text)
		}
	}
	port := portTo(t, p.URL())
	submit := func(o processor.Message, want processor.Outcome) {
		t.Helper()
		answer, err := port.Submit(t.Context(), o)
		if err != nil || answer.Outcome != want {
			t.Errorf("%s: %+v, %v", o.OrderID, answer, err)
		}
	}
	message := testOrder(t, "1-a", 1, order.Make)
	submit(message, processor.Accepted)
	submit(message, processor.Accepted)
	submit(testOrder(t, "2-b", 2, order.Lock), processor.Done)
	for _, kind := range []string{"taken", "shipped", "compromised"} {
		status, text := ask(t, "POST", p.URL()+"/simulator/cards/5001/report",
			`{"kind":"`+kind+`","reason":"said"}`)
		if status != http.StatusOK || !strings.Contains(text, `"reason":"said"`) {
			t.Errorf("%d %s", status, text)
		}
	}
	m.await("three reports", func() bool { return m.kinds() == "taken shipped compromised" })
	if first := m.reports[0]; first.OrderID != "1-a" || first.CardID != 5001 || first.At.IsZero() {
		t.Errorf("%+v", first)
	}
	_, text := ask(t, "GET", p.URL()+"/simulator/cards/5001", "")
	const card = `{"cardId":5001,"programId":1,"making":"shipped","lock":"locked","closed":false,` +
		`"hasNumber":true,"hasPin":true,"lastFour":"7899"`
	if !strings.HasPrefix(text, card) {
		t.Error(text)
	}
	_, text = ask(t, "GET", p.URL()+"/simulator/orders?cardId=5001", "")
	if strings.Count(text, "orderId") != 2 || !strings.Contains(text, `"times":2`) {
		t.Error(text)
	}
	for pin, want := range map[string]string{pinned: `{"matches":true}`, "1": `{"matches":false}`} {
		_, text = ask(t, "POST", p.URL()+"/simulator/cards/5001/pin", `{"pin":"`+pin+`"}`)
		if strings.TrimSpace(text) != want {
			t.Errorf("%s: %s", pin, text)
		}
	}
	for _, path := range []string{"", "/orders", "/reports", "/cards/5001"} {
		if _, text = ask(t, "GET", p.URL()+"/simulator"+path, ""); strings.Contains(text, number) ||
			strings.Contains(text, `"`+pinned) {
			t.Errorf("%s shows what is secret: %s", path, text)
		}
	}
}

// TestModes checks the answers of each mode.
func TestModes(t *testing.T) {
	t.Parallel()
	m := newMintmark(t)
	p := open(t, Settings{ReportURLs: []string{m.server.URL}})
	port := portTo(t, p.URL())
	mode := func(mode string) {
		t.Helper()
		status, text := ask(t, "POST", p.URL()+"/simulator/mode", `{"mode":"`+mode+`"}`)
		if status != http.StatusOK || !strings.Contains(text, `"mode":"`+mode+`"`) {
			t.Errorf("%d %s", status, text)
		}
	}
	answer, err := port.Submit(t.Context(), testOrder(t, "1-a", 1, order.Make))
	if err != nil || answer.Outcome != processor.Done {
		t.Errorf("instant: %+v, %v", answer, err)
	}
	m.await("two reports", func() bool { return m.kinds() == "taken shipped" })
	mode("refusing")
	answer, err = port.Submit(t.Context(), testOrder(t, "2-b", 2, order.Remake))
	if err != nil || answer.Outcome != processor.Refused || answer.Reason == "" {
		t.Errorf("refusing: %+v, %v", answer, err)
	}
	mode("down")
	_, err = port.Submit(t.Context(), testOrder(t, "3-c", 3, order.Lock))
	if !errors.Is(err, processor.ErrUnreachable) {
		t.Errorf("down: %v", err)
	}
	mode("instant")
	if _, err = port.Submit(t.Context(), testOrder(t, "3-c", 3, order.Lock)); err != nil {
		t.Error(err)
	}
	if status, _ := ask(t, "POST", p.URL()+"/simulator/mode", `{"mode":"odd"}`); status != 422 {
		t.Errorf("an odd mode is answered %d", status)
	}
}

// TestRefusesStrangers checks that an order is accepted only when it is signed, and encrypted for
// this processor and this order.
func TestRefusesStrangers(t *testing.T) {
	t.Parallel()
	p := open(t, Settings{})
	if status, _ := ask(t, "POST", p.URL()+"/orders", `{"orderId":"1-a"}`); status != 401 {
		t.Errorf("an order without a signature is answered %d", status)
	}
	other := t.TempDir()
	if _, err := openKeys(other); err != nil {
		t.Fatal(err)
	}
	strangers := open(t, Settings{Keys: other})
	_, err := portTo(t, strangers.URL()).Submit(t.Context(), testOrder(t, "1-a", 1, order.Make))
	if err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("the secret of another is answered %v", err)
	}
	if status, _ := ask(t, "GET", p.URL()+"/simulator/cards/5001", ""); status != 404 {
		t.Errorf("a card nobody has named is answered %d", status)
	}
}

// TestAuthorize checks the authorization requested for a card, by its identifier and by its number,
// and that none is requested for a card locked here.
func TestAuthorize(t *testing.T) {
	t.Parallel()
	m := newMintmark(t)
	p := open(t, Settings{ReportURLs: []string{"http://127.0.0.1:1", m.server.URL}})
	port := portTo(t, p.URL())
	if _, err := port.Submit(t.Context(), testOrder(t, "1-a", 1, order.Make)); err != nil {
		t.Fatal(err)
	}
	authorize := func(body string) string {
		t.Helper()
		_, text := ask(t, "POST", p.URL()+"/simulator/cards/5001/authorize", body)
		return text
	}
	text := authorize(`{"authorizationId":"x1","amount":12.30,"kind":"purchase","by":"cardId"}`)
	if !strings.Contains(text, `{"status":200,"answer":{"approved":true}}`) ||
		!strings.Contains(m.bodies["authorizations"], `"authorizationId":"x1","cardId":5001`) ||
		!strings.Contains(m.bodies["authorizations"], `"amount":12.30`) {
		t.Errorf("%s, asked %s", text, m.bodies["authorizations"])
	}
	_, text = ask(t, "POST", p.URL()+"/simulator/send/releases", `{"holdId":"h1"}`)
	if !strings.Contains(text, `"status":200`) || m.bodies["releases"] != `{"holdId":"h1"}` {
		t.Errorf("%s, sent %s", text, m.bodies["releases"])
	}
	if _, err := port.Submit(t.Context(), testOrder(t, "2-b", 2, order.Hotlist)); err != nil {
		t.Fatal(err)
	}
	if text = authorize(`{"amount":1,"kind":"purchase"}`); !strings.Contains(text, "refused") {
		t.Error(text)
	}
	text = authorize(`{"amount":1,"kind":"purchase","always":true}`)
	if !strings.Contains(text, `"status":200`) {
		t.Error(text)
	}
}

func TestAuthorizeByNumber(t *testing.T) {
	t.Parallel()
	m := newMintmark(t)
	p := open(t, Settings{ReportURLs: []string{m.server.URL}})
	message := testOrder(t, "1-a", 1, order.Make)
	if _, err := portTo(t, p.URL()).Submit(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	_, text := ask(t, "POST", p.URL()+"/simulator/cards/5001/authorize",
		`{"amount":1,"kind":"purchase","by":"number"}`)
	body := m.bodies["authorizations"]
	if !strings.Contains(text, `"status":200`) || strings.Contains(body, "cardId") ||
		strings.Contains(body, number) || !strings.Contains(body, `"sealed":"`) {
		t.Errorf("%s, asked %s", text, body)
	}
}

// TestRemembers checks that cards, PINs, orders and reports survive a restart, and that the journal
// contains no secret.
func TestRemembers(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	settings := Settings{Data: data, Mode: simulator.Manual}
	t.Run("before", func(t *testing.T) {
		p := open(t, settings)
		port := portTo(t, p.URL())
		if _, err := port.Submit(t.Context(), testOrder(t, "1-a", 1, order.Make)); err != nil {
			t.Fatal(err)
		}
		ask(t, "POST", p.URL()+"/simulator/cards/5001/report", `{"kind":"shipped"}`)
	})
	journal := filepath.Join(data, journalFile)
	text, err := os.ReadFile(journal)
	if err != nil || strings.Contains(string(text), number) {
		t.Errorf("%v, the journal is %s", err, text)
	}
	torn := append(text, `{"at":"2026-`+strings.Repeat("x", 9999)...)
	if err := os.WriteFile(journal, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("after", func(t *testing.T) { checkRemembered(t, open(t, settings), 2) })
	t.Run("once more", func(t *testing.T) { checkRemembered(t, open(t, settings), 3) })
}

// checkRemembered checks that a stand-in remembers its previous run, and sends it a known order.
func checkRemembered(t *testing.T, p *Standin, times int) {
	t.Helper()
	_, pin := ask(t, "POST", p.URL()+"/simulator/cards/5001/pin", `{"pin":"`+pinned+`"}`)
	_, state := ask(t, "GET", p.URL()+"/simulator", "")
	if !strings.Contains(pin, "true") ||
		!strings.HasPrefix(state, `{"mode":"manual","orders":1,"reportsWaiting":1,`) {
		t.Errorf("%s %s", pin, state)
	}
	answer, err := portTo(t, p.URL()).Submit(t.Context(), testOrder(t, "1-a", 1, order.Make))
	if err != nil || answer.Outcome != processor.Accepted {
		t.Errorf("the same order again: %+v, %v", answer, err)
	}
	if got := p.machine.Orders(0)[0].Times; got != times {
		t.Errorf("the order came %d times, want %d", got, times)
	}
}
