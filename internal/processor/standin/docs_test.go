package standin

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/fileport"
	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// page returns the examples of docs/processor.md with a label.
func page(t *testing.T, label string) []string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/processor.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	fence := regexp.MustCompile("(?s)```" + label + "\n(.*?)```")
	for _, match := range fence.FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, match[1])
	}
	if len(lines) == 0 {
		t.Fatalf("the page has no example %q", label)
	}
	return lines
}

// generic returns a JSON text decoded for comparison.
func generic(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// examples returns the orders of the page, as Mintmark sends them.
func examples(t *testing.T) []processor.Message {
	t.Helper()
	var content struct {
		Number, Pin             string
		ExpireMonth, ExpireYear int
	}
	if err := json.Unmarshal([]byte(page(t, "json sealed")[0]), &content); err != nil {
		t.Fatal(err)
	}
	parsed, err := pan.Parse(content.Number)
	if err != nil {
		t.Fatal(err)
	}
	var all []processor.Message
	for _, text := range page(t, "json order") {
		body, err := message.DecodeOrder([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m := processor.Message{
			OrderID: body.OrderID, Sequence: body.Sequence, Kind: body.Kind, CardID: body.CardID,
			ProgramID: body.ProgramID, Created: body.CreatedAt, Card: body.Card,
			Secret: &processor.Secret{
				Number: parsed, ExpireMonth: content.ExpireMonth, ExpireYear: content.ExpireYear,
			},
		}
		if body.Kind == order.Make || body.Kind == order.SetPin {
			m.Secret.Pin = &vault.Pin{Text: secret.New(content.Pin)}
		}
		all = append(all, m)
	}
	return all
}

// TestPageOrders sends each order of the page to a stand-in, and compares the request, and the
// decrypted part, with the page.
func TestPageOrders(t *testing.T) {
	t.Parallel()
	p := open(t, Settings{})
	var body []byte
	recorder := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		onward := r.Clone(r.Context())
		onward.RequestURI, onward.Body = "", io.NopCloser(bytes.NewReader(body))
		onward.URL.Scheme, onward.URL.Host = "http", strings.TrimPrefix(p.URL(), "http://")
		response, err := http.DefaultClient.Do(onward)
		if err != nil {
			t.Error(err)
			return
		}
		defer response.Body.Close()
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	}))
	defer recorder.Close()
	port, texts := portTo(t, recorder.URL), page(t, "json order")
	kinds := map[order.Kind]bool{}
	for i, m := range examples(t) {
		kinds[m.Kind] = true
		answer, err := port.Submit(t.Context(), m)
		if err != nil || answer.Outcome != processor.Done {
			t.Errorf("%s: %+v, %v", m.Kind, answer, err)
		}
		sealedPart := regexp.MustCompile(`"sealed":"[^"]*"`)
		sent := sealedPart.ReplaceAllString(string(body), `"sealed":"eyJhbGciOi..."`)
		if diff := cmp.Diff(generic(t, texts[i]), generic(t, sent)); diff != "" {
			t.Errorf("%s (-page +sent):\n%s", m.Kind, diff)
		}
		read, err := message.DecodeOrder(body)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := message.Open(p.keys.private, m.OrderID, read.Sealed)
		if err != nil || !reflect.DeepEqual(opened, *m.Secret) {
			t.Errorf("%s: the sealed part holds %v, %v", m.Kind, opened, err)
		}
	}
	for _, kind := range order.Kinds {
		if !kinds[kind] {
			t.Errorf("the page has no example of %s", kind)
		}
	}
	checkHeader(t, body)
}

// checkHeader compares the header of an encrypted part with the page.
func checkHeader(t *testing.T, body []byte) {
	t.Helper()
	read, err := message.DecodeOrder(body)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(read.Sealed, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]string
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(page(t, "json header")[0]), &want); err != nil {
		t.Fatal(err)
	}
	want["kid"], want["orderId"] = got["kid"], read.OrderID
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("header (-page +sent):\n%s", diff)
	}
}

// TestPageReports has a stand-in send the reports of the page, and compares what Mintmark receives.
func TestPageReports(t *testing.T) {
	t.Parallel()
	m := newMintmark(t)
	p := open(t, Settings{Mode: simulator.Manual, ReportURLs: []string{m.server.URL}})
	port := portTo(t, p.URL())
	for _, row := range examples(t) {
		if _, err := port.Submit(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	other := testOrder(t, "70-kkllmmnnooppaabb", 1, order.Make)
	other.CardID = 10002
	if _, err := port.Submit(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	var want []order.Report
	if err := json.Unmarshal([]byte(page(t, "json reports")[0]), &want); err != nil {
		t.Fatal(err)
	}
	for _, kind := range order.ReportKinds {
		if !slices.ContainsFunc(want, func(r order.Report) bool { return r.Kind == kind }) {
			t.Errorf("the page has no example of %s", kind)
		}
	}
	for _, report := range want {
		status, text := ask(t, "POST", fmt.Sprintf("%s/simulator/cards/%d/report", p.URL(),
			report.CardID), fmt.Sprintf(`{"kind":%q,"reason":%q}`, report.Kind, report.Reason))
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", report.Kind, status, text)
		}
	}
	m.await("all reports", func() bool { return len(strings.Fields(m.kinds())) == len(want) })
	for i, got := range m.reports {
		if got.Kind != want[i].Kind || got.CardID != want[i].CardID ||
			got.Reason != want[i].Reason || got.At.IsZero() || got.ID == "" {
			t.Errorf("%+v, and the page says %+v", got, want[i])
		}
	}
	var answered struct{ Results []delivered }
	if err := json.Unmarshal([]byte(page(t, "json results")[0]), &answered); err != nil {
		t.Fatal(err)
	}
	if len(answered.Results) != 3 || answered.Results[2].Result != order.Ignored {
		t.Errorf("the results of the page read as %+v", answered)
	}
}

// TestPageFiles has the files of the page read by their recipients.
func TestPageFiles(t *testing.T) {
	t.Parallel()
	file, err := message.DecodeFile([]byte(page(t, "jsonl orders")[0]))
	if err != nil || file.Sequence != 7 {
		t.Errorf("the file of orders: %+v, %v", file, err)
	}
	for _, line := range file.Lines {
		if _, err := message.DecodeOrder(line); err != nil {
			t.Error(err)
		}
	}
	kept, _, err := cached.OpenMemory(t.Context(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	dir := t.TempDir()
	port, err := fileport.Open(t.Context(), fileport.Settings{
		Folder: dir, JWKS: filepath.Join(sharedKeys(), PublicKeys),
	}, kept, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	text := page(t, "jsonl reports")[0]
	err = os.WriteFile(filepath.Join(dir, folder.In, "reports-1.jsonl"), []byte(text), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	applied := &applier{}
	if err := port.Collect(context.Background(), applied); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(applied.kinds, " "); got != "taken shipped" {
		t.Errorf("applied %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, folder.Done, "reports-1.jsonl")); err != nil {
		t.Error(err)
	}
}

// TestPageCommands checks that the page lists every command, and no other.
func TestPageCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/processor.md")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, Settings{Mode: simulator.Manual})
	if _, err := portTo(t, p.URL()).Submit(t.Context(), examples(t)[0]); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(GET|POST) (/simulator[^`]*)`(?: `([^`]*)`)? \\|").
		FindAllStringSubmatch(string(text), -1)
	if len(rows) != 12 {
		t.Errorf("the page has %d commands", len(rows))
	}
	for _, row := range rows {
		body := strings.ReplaceAll(row[3], "...", "")
		status, answered := ask(t, row[1], p.URL()+row[2], body)
		// This simulator has no --report-url and no --files, so it rejects commands that need them.
		refused := strings.Contains(answered, "--report-url") ||
			strings.Contains(answered, "--files")
		if status != http.StatusOK && !refused {
			t.Errorf("%s %s: %d %s", row[1], row[2], status, answered)
		}
	}
}
