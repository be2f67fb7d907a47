package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/internal/domain/audit"
)

// TestAuditForEverybody publishes a document as an operator and then reads the audit log: the
// entry, its proof, and exports that verify without the database, each within the scope of its
// reader. Rejected requests of callers result in one entry when the server ends.
func TestAuditForEverybody(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	program := sandbox(t, "--data", data)
	api := client.New(program.url, "example1", "example1")
	for range 5 {
		_, err := api.CardLock(t.Context(), client.CardLockRequest{
			CustomerID: customer, CardID: 404, LockReasonTypeCode: "TMP",
		})
		if err == nil {
			t.Error("a card that is not there is locked")
		}
	}
	as := func(token string) *admin.Client { return admin.New(program.adminURL(), token) }
	published := publishedBy(t, as("sandbox-configurator"))
	entry := sealedEntryOf(t, as("sandbox-auditor"), published.ID)
	if entry.Actor.Name != "sandbox-configurator" || entry.BankID != 1 ||
		entry.Reason != "new fees" {
		t.Errorf("the entry is %+v", entry)
	}
	key := fileOf(t, as("sandbox-auditor"), "audit/key", "key")
	wantProven(t, as("sandbox-auditor"), entry.Sequence, key)

	listed, err := api.BankDocumentList(t.Context(), "de-AT", "FeeSchedule")
	if err != nil || len(listed) != 1 || listed[0].DocumentID != published.ID {
		t.Errorf("callers see %+v, %v", listed, err)
	}
	for name, export := range map[string]struct {
		token, path, want string
		has               bool
	}{
		"all":  {"sandbox-auditor", "audit/export", " entries are as they were sealed.", true},
		"part": {"sandbox-auditor", "audit/export?from=2020-01-01", " of a part of the log", true},
		"bank": {"sandbox-bank2", "audit/export", " of a part of the log", false},
	} {
		file := fileOf(t, as(export.token), export.path, name)
		out, code := run(t, "audit", "verify", "--export", file, "--key", key)
		if code != 0 || !strings.Contains(out, export.want) {
			t.Errorf("%s: %d, %s", name, code, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"act":"publish document"`) != export.has {
			t.Errorf("%s: it has the act: %v", name, !export.has)
		}
	}
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	same(t, "refusals", query(t, data, `SELECT string_agg(outcome, ', ') FROM audit
		WHERE route = 'refused requests' AND key_name = 'example1'`),
		"refused: 5 with code 150403")
	verifyAudit(t, data)
}

// publishedBy drafts a document and publishes it.
func publishedBy(t *testing.T, c *admin.Client) admin.Document {
	t.Helper()
	draft, err := admin.Do[admin.Document](t.Context(), c, admin.Request{
		Method: http.MethodPost, Path: "banks/1/documents", Body: admin.NewDocument{
			Culture: "de-AT", DocumentType: "FeeSchedule", Title: "Entgelte", HTML: "<p>x</p>",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	published, err := admin.Do[admin.Document](t.Context(), c, admin.Request{
		Method: http.MethodPost, Path: fmt.Sprintf("banks/1/documents/%d/publish", draft.ID),
		Body: admin.PublishDocument{Reason: "new fees"},
	})
	if err != nil || published.State != "inForce" {
		t.Fatalf("published %+v, %v", published, err)
	}
	return published
}

// sealedEntryOf waits until the entry of a document's publication is sealed.
func sealedEntryOf(t *testing.T, c *admin.Client, documentID int) admin.Entry {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		page, err := admin.Page[admin.Entry](ctx, c, "audit", map[string][]string{
			"subject": {fmt.Sprintf("document:%d", documentID)}, "actor": {"sandbox-configurator"},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Items {
			if e.Act == "publish document" && e.Sequence != 0 {
				return e
			}
		}
	}
	t.Fatal("the entry is not sealed")
	return admin.Entry{}
}

// fileOf saves a response and returns the name of the file.
func fileOf(t *testing.T, c *admin.Client, path, name string) string {
	t.Helper()
	path, query, _ := strings.Cut(path, "?")
	request := admin.Request{Method: http.MethodGet, Path: path}
	if at, value, has := strings.Cut(query, "="); has {
		request.Query = map[string][]string{at: {value}}
	}
	answer, err := c.Send(t.Context(), request)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, answer.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// wantProven verifies the proof of an entry with nothing but the key.
func wantProven(t *testing.T, c *admin.Client, sequence int, keyFile string) {
	t.Helper()
	text, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	proof, err := admin.Get[admin.Proof](t.Context(), c, fmt.Sprintf("audit/%d/proof", sequence))
	if err != nil {
		t.Fatal(err)
	}
	checkpoint, err := audit.OpenCheckpoint(proof.Checkpoint, key)
	if err != nil {
		t.Fatal(err)
	}
	var line audit.Line
	if err := json.Unmarshal(proof.Entry, &line); err != nil {
		t.Fatal(err)
	}
	sealed, err := line.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	hashes := make([]tlog.Hash, len(proof.Hashes))
	for i, hash := range proof.Hashes {
		hashes[i], err = tlog.ParseHash(hash)
		if err != nil {
			t.Fatal(err)
		}
	}
	err = tlog.CheckRecord(hashes, checkpoint.Size, checkpoint.Root, int64(proof.Index),
		sealed.LeafHash())
	if err != nil || proof.Index != sequence-1 || int64(proof.Size) != checkpoint.Size {
		t.Errorf("the proof of %d: %+v, %v", sequence, proof, err)
	}
}
