package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/vault"
)

// read decodes a response as an envelope.
func read(t *testing.T, response *http.Response) ledger.Reply {
	t.Helper()
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	recording.Raw(t, "", response, raw)
	return ledger.ReadReply(t, response.StatusCode, response.Header, raw)
}

// TestStopWithRequestsInFlight sends the stop signal while the bodies of some requests are still on
// their way. The program must accept no new callers, answer these, and exit with 0.
func TestStopWithRequestsInFlight(t *testing.T) {
	t.Parallel()
	program := sandbox(t, "--data", filepath.Join(t.TempDir(), "data"))
	address := strings.TrimPrefix(program.url, "http://")
	bodies := make([]string, 4)
	connections := make([]net.Conn, len(bodies))
	answers := make([]*bufio.Reader, len(bodies))
	for i := range bodies {
		bodies[i] = ledger.NewCard(fmt.Sprintf(`"nickName":"In flight %d"`, i))
		var err error
		connections[i], err = net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer connections[i].Close()
		// The server requests the body, which shows that it processes the request.
		fmt.Fprintf(connections[i], "POST /card/initiate HTTP/1.1\r\n%sContent-Length: %d\r\n"+
			"Expect: 100-continue\r\n\r\n", authorized, len(bodies[i]))
		answers[i] = bufio.NewReader(connections[i])
		line, err := answers[i].ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
			t.Fatalf("the server says %q, %v, and should ask for the body", line, err)
		}
		if _, err := answers[i].Discard(len("\r\n")); err != nil {
			t.Fatal(err)
		}
	}

	if err := program.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitUntilClosed(t, address)
	for i := range bodies {
		if _, err := io.WriteString(connections[i], bodies[i]); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(answers[i], nil)
		if err != nil {
			t.Fatalf("a request in flight is not answered: %v", err)
		}
		if answer := read(t, response); answer.HTTP != http.StatusOK {
			t.Errorf("a request in flight is answered %s", answer.Raw)
		}
	}
	same(t, "exit code", program.wait(), 0)
}

// waitUntilClosed waits until connections are refused.
func waitUntilClosed(t *testing.T, address string) {
	t.Helper()
	testrun.Within(t, "the program takes no new callers", func() bool {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
		}
		return err != nil
	})
}

// TestSeed starts two sandboxes with the same seed, which must be identical down to the card
// numbers, and one with another seed.
func TestSeed(t *testing.T) {
	t.Parallel()
	// The numbers are not visible, but a common vault shows whether two are equal.
	judge, err := vault.Open(vault.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	seven, again, eight := seeded(t, "7", judge), seeded(t, "7", judge), seeded(t, "8", judge)
	if diff := cmp.Diff(seven, again); diff != "" {
		t.Errorf("two sandboxes of one seed differ:\n%s", diff)
	}
	for what := range seven {
		if what != "the cards" && seven[what] == eight[what] {
			t.Errorf("%s do not depend on the seed: %v", what, seven[what])
		}
	}
}

// seeded creates a card in a sandbox and returns everything that the seed determines, as text.
func seeded(t *testing.T, seed string, judge *vault.Vault) map[string]string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data, "--seed", seed)
	api := connect(t, program.url, "example1")
	ordered, err := api.CardInitiate(t.Context(), newCard("Seeded"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "exit code", program.end(syscall.SIGTERM), 0)

	key, code := run(t, "pin-key", "--data", data)
	same(t, "exit code of pin-key", code, 0)
	file, err := os.ReadFile(filepath.Join(data, "pin-public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the key that pin-key prints", key, string(file))
	return map[string]string{
		"the cards":   query(t, data, `SELECT string_agg(CAST(card_id AS TEXT), ',') FROM cards`),
		"the numbers": numbers(t, data, judge, 5001, 5006, ordered.CardID),
		"the PIN key": key,
		// The request id of the order.
		"identifiers": query(t, data, `SELECT string_agg(request_id, ',') FROM audit`),
	}
}

// numbers returns the digests of card numbers.
func numbers(t *testing.T, data string, judge *vault.Vault, cards ...int) string {
	t.Helper()
	keys, err := installation.OpenVault(data, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := installation.OpenStore(t.Context(), data, ledger.Database(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	var digests []string
	err = kept.View(t.Context(), func(r store.Tx) error {
		digests = nil
		for _, id := range cards {
			sealed, err := r.CardNumbers().Find(1, id)
			if err != nil {
				return err
			}
			number, err := keys.OpenNumber(sealed.Sealed, id)
			if err != nil {
				return err
			}
			digests = append(digests, fmt.Sprintf("%x", judge.DigestNumber(number)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(digests, " ")
}

// query returns the single value of a query on the database of a data directory.
func query(t *testing.T, data, statement string) string {
	t.Helper()
	db := ledger.Open(t, data)
	var value string
	if err := db.QueryRowContext(t.Context(), statement).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

// productionDemo writes the demo data to a directory in the form that production accepts: without
// plain PINs.
func productionDemo(t *testing.T, directory string) string {
	t.Helper()
	text, err := os.ReadFile("../internal/app/demo/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(directory, "demo.yaml")
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte(",NONE"), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	documents := filepath.Join(directory, "documents")
	if err := os.CopyFS(documents, os.DirFS("../internal/app/demo/documents")); err != nil {
		t.Fatal(err)
	}
	return file
}

// loadDemo loads the demo data into production, with settings that accept weak secrets.
func loadDemo(t *testing.T, data string) {
	t.Helper()
	directory := t.TempDir()
	config := filepath.Join(directory, "load.yaml")
	configure(t, config, data, "insecure: true\n")
	out, code := run(t, "load", "--config", config, productionDemo(t, directory))
	if code != 0 {
		t.Fatalf("load: exit code %d: %s", code, out)
	}
}

// configure writes the settings of a production server.
func configure(t *testing.T, config, data, more string) {
	t.Helper()
	text := "listen: 127.0.0.1:0\ndata: " + data + "\ndatabase: {url: '" +
		ledger.Database(t, data).URL + "'}\n"
	for name, value := range map[string]string{
		"publicUrl: ": "https://cards.example.com", "adminListen: ": "127.0.0.1:0",
		"webhooks: ": "{allow: [127.0.0.1]}", // address of the tests' subscribers
	} {
		if !strings.Contains(more, name) {
			text += name + value + "\n"
		}
	}
	if err := os.WriteFile(config, []byte(text+more), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestProduction loads the demo file as an operator would load their own, and serves it in
// production.
func TestProduction(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	config := filepath.Join(directory, "mintmark.yaml")
	configure(t, config, filepath.Join(directory, "data"), "insecure: true\n")
	initialize(t, "--config", config)
	out, code := run(t, "load", "--config", config, productionDemo(t, directory))
	if code != 0 || !strings.Contains(out, "is loaded") {
		t.Fatalf("load: exit code %d: %s", code, out)
	}
	program := serve(t, command(t, "serve", "--config", config), "serves on")
	api := connect(t, program.url, "example1")
	settled, err := api.ProgramGet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "program", settled.Name, "Example1")

	ordered, err := api.CardInitiate(t.Context(), newCard("Production"))
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := api.CardGet(t.Context(), customer, ordered.CardID)
	if err != nil {
		t.Fatal(err)
	}
	for name, card := range map[string]client.Card{"ordered": ordered, "read": waiting} {
		same(t, name+": status", card.Status, "Initiated")
		same(t, name+": masked number", card.CardNumberMasked, unverified)
	}
	plain := newCard("Plain PIN")
	plain.NewPin = "MTIzNA==" // 1234, as NONE allows it in the sandbox
	_, err = api.CardInitiate(t.Context(), plain)
	refused(t, err, 59956)
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
}
