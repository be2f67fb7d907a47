package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// sendSigned sends a message of the card processor and returns the status and the body of the
// response.
func sendSigned(t *testing.T, adminURL, path, body string) (status int, text string) {
	t.Helper()
	request := ledger.SignedReports(t, adminURL, body, ledger.SandboxReportSecret, time.Now())
	request.URL.Path = path
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(answer))
}

// messages matches the examples of a document: the path, the body, and the status and text of the
// response.
var messages = regexp.MustCompile("(?s)```http\nPOST (\\S+)\n(.*?)\n\n(\\d+)\n(.*?)\n```")

// holdNames matches the document's placeholders for the ids of holds.
var holdNames = regexp.MustCompile(`HOLD-\d`)

// TestAuthorizationExamples sends every example of docs/authorizations.md to a new sandbox, in
// order and twice each: a repeated message gets the same response.
func TestAuthorizationExamples(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	text, err := os.ReadFile("../docs/authorizations.md")
	if err != nil {
		t.Fatal(err)
	}
	holds := map[string]string{} // ids of holds by their placeholder
	list := messages.FindAllStringSubmatch(string(text), -1)
	if len(list) < 8 {
		t.Fatalf("%d examples were found", len(list))
	}
	for _, m := range list {
		path, body, status, answer := m[1], m[2], m[3], m[4]
		for name, id := range holds {
			body, answer = strings.ReplaceAll(body, name, id), strings.ReplaceAll(answer, name, id)
		}
		for range 2 {
			code, got := sendSigned(t, world.App.AdminURL(), path, body)
			if name := holdNames.FindString(answer); name != "" {
				var created struct{ HoldID string }
				if err := json.Unmarshal([]byte(got), &created); err != nil || created.HoldID == "" {
					t.Fatalf("%s is answered %s (%v)", body, got, err)
				}
				holds[name] = created.HoldID
				answer = strings.ReplaceAll(answer, name, created.HoldID)
			}
			got = regexp.MustCompile(`,"requestId":"[^"]*"`).ReplaceAllString(got, "")
			if diff := cmp.Diff(status+" "+answer, strconv.Itoa(code)+" "+got); diff != "" {
				t.Errorf("%s (-document +answer):\n%s", body, diff)
			}
		}
	}
	followDesk(t, world, string(text))
	account := accountOn(t, world, 2001)
	if account.AccountBalance != account.AvailableBalance || account.AccountBalance != "1000.50" {
		t.Errorf("the account is %+v", account)
	}
}

// followDesk runs the commands on the page, which show why a transfer was declined.
func followDesk(t *testing.T, world *ledger.World, page string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	commands := typedIn(page)
	if len(commands) < 3 {
		t.Errorf("%d commands were found", len(commands))
	}
	for _, next := range commands {
		shell := exec.CommandContext(t.Context(), "sh", "-eu", "-c", next.command)
		shell.Env = append(os.Environ(), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"),
			"MINTMARK_SERVER="+world.App.AdminURL(), "MINTMARK_TOKEN=sandbox-support")
		shown, err := shell.CombinedOutput()
		if err != nil || !next.pattern().Match(shown) {
			t.Errorf("%s: %v\n%s", next.command, err, shown)
		}
	}
}

// shownAccount is an account as a card shows it.
type shownAccount struct {
	AccountID        int
	AccountBalance   json.Number
	AvailableBalance json.Number
}

// accountOn returns an account on card 5001, as a caller sees it.
func accountOn(t *testing.T, world *ledger.World, accountID int) shownAccount {
	t.Helper()
	var card struct{ Accounts []shownAccount }
	reply := world.Send(ledger.Request{Path: "/card/get/1001/5001"})
	if err := json.Unmarshal(reply.Data, &card); err != nil {
		t.Fatalf("%s: %v", reply.Raw, err)
	}
	for _, a := range card.Accounts {
		if a.AccountID == accountID {
			return a
		}
	}
	t.Fatalf("account %d is not on the card", accountID)
	return shownAccount{}
}

// TestSealedCardNumber identifies cards by numbers that are encrypted with the key of the sandbox.
// Another test, where card numbers are known, checks that a number finds its card.
func TestSealedCardNumber(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	response, err := http.Get(world.App.AdminURL() + "/processor/v1/jwks")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var set jose.JSONWebKeySet
	if err := json.NewDecoder(response.Body).Decode(&set); err != nil || len(set.Keys) != 1 {
		t.Fatalf("the set of keys is %v, %v", set, err)
	}
	seal := func(text string) string {
		encrypter, err := jose.NewEncrypter(jose.A256GCM,
			jose.Recipient{Algorithm: jose.RSA_OAEP_256, Key: set.Keys[0]}, nil)
		if err != nil {
			t.Fatal(err)
		}
		message, err := encrypter.Encrypt([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := message.CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	for id, row := range map[string]struct{ sealed, want string }{
		"not issued": {seal(`{"number":"4000000000000002"}`), `"reason":"unknownCard"`},
		"no number":  {seal(`{"number":"4"}`), `"reason":"unknownCard"`},
		"no JWE":     {"x", `"pointer":"/sealed"`},
	} {
		_, got := sendSigned(t, world.App.AdminURL(), "/processor/v1/authorizations",
			`{"authorizationId":"`+id+`","sealed":"`+row.sealed+
				`","amount":1,"kind":"purchase","at":"2026-06-01T12:00:00Z"}`)
		if !strings.Contains(got, row.want) {
			t.Errorf("%s: answered %s, want %s", id, got, row.want)
		}
	}
}
