package e2e

import (
	"bytes"
	"context"
	"database/sql"
	order "encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintmark/client/admin"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/pgtest"
)

// The person to erase. No other person of these tests shares a text with this one.
const (
	erasedID     = 1777
	erasedFirst  = "Wilhelmina"
	erasedLast   = "Quackenbush"
	erasedPhone  = "+1 555 017 7321"
	erasedStreet = "77 Heliotrope Row"
	erasedNick   = "Minnie travels"
	erasedBirth  = "1961-02-03"
)

// canariesOfErased returns the texts that reveal the person, in the spellings of rows, answers,
// cards and search texts. The birth date is a number in each database: see born.
func canariesOfErased() []canary {
	var all []canary
	for name, text := range map[string]string{
		"first name": erasedFirst, "last name": erasedLast, "telephone": erasedPhone,
		"street": erasedStreet, "nickname": erasedNick, "birth date": erasedBirth,
	} {
		all = append(all, canary{name, text})
		for _, cased := range []string{strings.ToUpper(text), strings.ToLower(text)} {
			if cased != text {
				all = append(all, canary{name, cased})
			}
		}
	}
	return all
}

// born reports whether the file of a database contains the birth date as a number.
func born(text []byte) bool {
	date, _ := time.Parse(time.DateOnly, erasedBirth)
	const sqliteBytes = 6 // of a number of this size, most significant first
	millis := uint64(date.UnixMilli())
	return bytes.Contains(text, order.BigEndian.AppendUint64(nil, millis)[8-sqliteBytes:]) ||
		bytes.Contains(text, order.LittleEndian.AppendUint64(nil, millis))
}

// erasing is a sandbox with a person in it.
type erasing struct {
	*testing.T
	data, url string // of the database server, empty for the embedded database
	program   *process
	cardID    int
	// echoes counts deliveries to a receiver that replies with the name of the person until forgets
	// is set: later replies of a receiver are its own responsibility.
	echoes  counter
	forgets atomic.Bool
}

// TestErasedCustomerLeavesNoTrace follows a customer with two cards through callers, operators,
// events and exports, and erases the customer. Then it searches everything that is left: the files
// of the database, the log, the exports from before and after, the archive, the answers to
// operators. The audit log, the exports and the archive must still verify. The controls: before the
// erasure, the person is found in each place; and with the row of the key restored, the audit log
// shows the name again.
func TestErasedCustomerLeavesNoTrace(t *testing.T) {
	t.Parallel()
	e := &erasing{T: t, data: filepath.Join(t.TempDir(), "data")}
	if ledger.On() == ledger.Postgres {
		e.url = pgtest.Crashing(t).URL // a separate server, whose files are searched
		e.run(`ALTER SYSTEM SET wal_recycle = off`, `SELECT pg_reload_conf()`)
	}
	e.starts()
	e.lives()
	files := map[string]string{}
	for _, name := range []string{"export", "key"} {
		files[name] = e.file("audit", name)
	}
	e.wantNone("the export from before", files["export"])
	history := e.history()
	if !strings.Contains(history, strings.ToUpper(erasedLast)) ||
		!strings.Contains(history, erasedNick) {
		t.Errorf("operators read %s", history)
	}
	stored := e.stored()
	leaks := search("the database", stored, canariesOfErased())
	if len(leaks) < 8 || !born(stored) {
		t.Errorf("before, the search of the database finds only %q, birth date: %t", leaks,
			born(stored))
	}
	if e.count(`SELECT count(*) FROM delivery_attempts WHERE answer <> ''`) == 0 {
		t.Error("no answer of a receiver is kept")
	}
	key := e.key()
	e.erases()
	e.hides(key)
	for name, path := range map[string]string{
		"customer": "customers/1777", "cards": "cards?customerId=1777",
		"history": fmt.Sprintf("cards/%d/history", e.cardID), "audit": "audit",
		"accounts": "accounts?customerId=1777", "approvals": "approvals", "search": "customers",
	} {
		for _, leak := range search(name, e.answer(path), canariesOfErased()) {
			t.Error(leak)
		}
	}
	files["export afterwards"] = e.file("audit", "export")
	for _, name := range []string{"export", "export afterwards"} {
		out, code := run(t, "audit", "verify", "--export", files[name], "--key", files["key"])
		if code != 0 {
			t.Errorf("the %s: %d, %s", name, code, out)
		}
		e.wantNone("the "+name, files[name])
	}
	archive := filepath.Join(t.TempDir(), "archive.jsonl")
	e.commands("audit", "archive", "--before", "2099-01-01", "--out", archive)
	e.wantNone("the archive", archive)
	e.commands("audit", "verify", "--archive", archive)
	same(t, "exit code", e.program.end(syscall.SIGTERM), 0)
	e.settle()
	for where, text := range e.files() {
		for _, leak := range search(where, text, canariesOfErased()) {
			t.Error(leak)
		}
		if born(text) {
			t.Errorf("%s holds the birth date", where)
		}
	}
	e.commands("audit", "verify", "--archive", archive)
}

func (e *erasing) starts() {
	e.Helper()
	args := []string{"sandbox", "--seed", "1", "--listen", "127.0.0.1:0", "--admin-listen",
		"127.0.0.1:0"}
	e.program = serve(e.T, command(e.T, append(args, e.place()...)...), "/card/getbytag/")
}

// place returns the flags that locate the data.
func (e *erasing) place() []string {
	if e.url == "" {
		return []string{"--data", e.data}
	}
	return []string{"--data", e.data, "--database", e.url}
}

func (e *erasing) as(token string) *admin.Client {
	return admin.New(e.program.adminURL(), token)
}

// sends sends a request of an operator, which must succeed.
func (e *erasing) sends(token string, request admin.Request) admin.Answer {
	e.Helper()
	answer, err := e.as(token).Send(e.Context(), request)
	if err != nil {
		e.Fatalf("%s %s: %v", request.Method, request.Path, err)
	}
	return answer
}

// lives creates the customer and all data about the customer.
func (e *erasing) lives() {
	e.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(
		out http.ResponseWriter, _ *http.Request,
	) {
		e.echoes.add()
		if !e.forgets.Load() {
			_, _ = io.WriteString(out, "thanks, "+erasedFirst+" "+erasedLast)
		}
	}))
	e.Cleanup(receiver.Close)
	e.sends("sandbox-administrator", admin.Request{
		Method: "POST", Path: "programs/1/webhooks", Reason: "to listen",
		Body: admin.NewWebhook{URL: receiver.URL},
	})
	address := &admin.Address{Line1: erasedStreet, City: "Springfield", PostalCode: "12345",
		Country: "US"}
	for _, request := range []admin.Request{
		{Path: "customers", Body: admin.NewCustomer{
			ID: erasedID, ProgramID: 1, Status: "Verified", Access: "FULL",
			FirstName: erasedFirst, LastName: erasedLast, BirthDate: erasedBirth,
			MobilePhone: erasedPhone, Mailing: address,
		}, IdempotencyKey: "made"},
		{Path: "accounts", Body: admin.NewAccount{
			ID: 2777, ProgramID: 1, CustomerID: erasedID, Type: "Checking", Status: "Open",
			Name: erasedFirst + "'s account", Tag: erasedLast, AccountNumber: "123456789",
		}},
		{Method: "PUT", Path: "accounts/2777/access/1777", Body: admin.PutAccess{Access: "FULL"}},
	} {
		if request.Method == "" {
			request.Method = "POST"
		}
		e.sends("sandbox-support", request)
	}
	for _, path := range []string{"/card/initiate", "/card/createdigital"} {
		e.calls(path, fmt.Sprintf(`{"customerId":1777,"cardHolderCustomerId":1777,
			"primaryAccountId":2777,"vendorTypeCode":"VS","firstName":%q,"lastName":%q,
			"nickName":%q}`, erasedFirst, erasedLast, erasedNick+path))
	}
	e.cardID = e.count(`SELECT min(card_id) FROM cards WHERE customer_id = 1777`)
	for _, path := range []string{"customers/1777", fmt.Sprintf("cards/%d", e.cardID)} {
		e.answer(path)
	}
	e.echoes.Until(e.T, "an event of each card arrives",
		func() bool { return e.echoes.count.Load() >= 2 })
	e.program.seal()
}

// calls performs an act as a caller with an idempotency key, so that the answer is stored.
func (e *erasing) calls(path, body string) {
	e.Helper()
	request, err := http.NewRequestWithContext(e.Context(), http.MethodPost, e.program.url+path,
		strings.NewReader(body))
	if err != nil {
		e.Fatal(err)
	}
	request.SetBasicAuth("example1", "example1")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", "once-"+filepath.Base(path))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		e.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK ||
		!strings.Contains(string(text), strings.ToUpper(erasedLast)) {
		e.Fatalf("%s: %s, %s, %v", path, answer.Status, text, err)
	}
}

// erases archives the cards and erases the customer, as an operator does at the command line.
func (e *erasing) erases() {
	e.Helper()
	e.forgets.Store(true)
	erase := func() (string, int) {
		program := command(e.T, "customer", "erase", "1777", "--reason", "request 17",
			"--server", e.program.adminURL())
		program.Env = append(os.Environ(), "MINTMARK_TOKEN=sandbox-support")
		out, _ := program.CombinedOutput() // the exit code is checked
		return string(out), program.ProcessState.ExitCode()
	}
	if out, code := erase(); code != 1 || !strings.Contains(out, "Archive it first") {
		e.Errorf("with a card that is used, it ends with %d: %s", code, out)
	}
	cards, err := admin.Page[admin.Card](e.Context(), e.as("sandbox-support"), "cards",
		map[string][]string{"customerId": {"1777"}})
	if err != nil || len(cards.Items) != 2 {
		e.Fatalf("%d cards, %v", len(cards.Items), err)
	}
	for _, c := range cards.Items {
		card := fmt.Sprintf("cards/%d", c.ID)
		// A card that the processor has not shipped cannot be archived, so it becomes Denied.
		_, err := e.as("sandbox-support").Send(e.Context(), admin.Request{
			Method: "POST", Path: card + "/archive", Reason: "over", Body: admin.PlainAct{},
		})
		if err != nil {
			e.Logf("%s cannot be archived: %v", card, err)
			e.run(fmt.Sprintf("UPDATE cards SET status = 'Denied', denied_at = %d "+
				"WHERE card_id = %d", time.Now().UnixMilli(), c.ID))
		}
	}
	if out, code := erase(); code != 0 || !strings.Contains(out, "Erased") {
		e.Fatalf("it ends with %d: %s", code, out)
	}
}

// history returns the history of the card as operators read it.
func (e *erasing) history() string {
	e.Helper()
	return string(e.answer(fmt.Sprintf("cards/%d/history", e.cardID)))
}

func (e *erasing) answer(path string) []byte {
	e.Helper()
	path, query, _ := strings.Cut(path, "?")
	request := admin.Request{Method: "GET", Path: path}
	if name, value, has := strings.Cut(query, "="); has {
		request.Query = map[string][]string{name: {value}}
	}
	return e.sends("sandbox-administrator", request).Body
}

// commands runs a command on the data, which must succeed.
func (e *erasing) commands(args ...string) string {
	e.Helper()
	out, code := run(e.T, append(args, e.place()...)...)
	if code != 0 {
		e.Fatalf("%s ends with %d: %s", strings.Join(args, " "), code, out)
	}
	return out
}

// file saves the output of a command.
func (e *erasing) file(args ...string) string {
	e.Helper()
	name := filepath.Join(e.TempDir(), "printed")
	if err := os.WriteFile(name, []byte(e.commands(args...)), 0o600); err != nil {
		e.Fatal(err)
	}
	return name
}

func (e *erasing) wantNone(where, file string) {
	e.Helper()
	text, err := os.ReadFile(file)
	if err != nil || len(text) < 1000 {
		e.Errorf("%s has %d bytes, %v", where, len(text), err)
	}
	for _, leak := range search(where, text, canariesOfErased()) {
		e.Error(leak)
	}
}

// database opens the database without Mintmark.
func (e *erasing) database() *sql.DB {
	e.Helper()
	return openDatabase(e.T, e.data, e.url)
}

// openDatabase opens the database at a URL, or the embedded one if the URL is empty.
func openDatabase(t *testing.T, data, url string) *sql.DB {
	t.Helper()
	driver, name := "pgx", url
	if url == "" {
		driver = "sqlite"
		name = "file:" + filepath.Join(data, "mintmark.db") + "?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func (e *erasing) run(statements ...string) {
	e.Helper()
	db := e.database()
	defer db.Close()
	for _, text := range statements {
		if _, err := db.ExecContext(context.Background(), text); err != nil {
			e.Fatalf("%s: %v", text, err)
		}
	}
}

func (e *erasing) count(query string) int {
	e.Helper()
	db := e.database()
	defer db.Close()
	number := 0
	if err := db.QueryRowContext(e.Context(), query).Scan(&number); err != nil {
		e.Fatalf("%s: %v", query, err)
	}
	return number
}

// key returns the row of the card's person key.
func (e *erasing) key() (sealed []byte) {
	e.Helper()
	db := e.database()
	defer db.Close()
	err := db.QueryRowContext(e.Context(), fmt.Sprintf(
		"SELECT sealed FROM person_keys WHERE card_id = %d", e.cardID)).Scan(&sealed)
	if err != nil {
		e.Fatal(err)
	}
	return sealed
}

// settle does what docs/privacy.md tells the operator of a PostgreSQL server to do. The embedded
// database has written its log back when the node ended.
func (e *erasing) settle() {
	e.Helper()
	if e.url == "" {
		return
	}
	text, err := os.ReadFile("../docs/privacy.md")
	if err != nil {
		e.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "`VACUUM (FULL) ")
	tables, _, ended := strings.Cut(rest, "`")
	if !ok || !ended {
		e.Fatal("docs/privacy.md tells of no VACUUM")
	}
	e.run("VACUUM (FULL) "+strings.Join(strings.Fields(tables), " "), "SELECT pg_switch_wal()",
		"CHECKPOINT", "SELECT pg_switch_wal()", "CHECKPOINT")
}

// stored returns the content of all files of the database.
func (e *erasing) stored() []byte {
	e.Helper()
	if e.url != "" {
		e.run("CHECKPOINT")
	}
	var all [][]byte
	for _, text := range e.files() {
		all = append(all, text)
	}
	return bytes.Join(all, []byte("\n"))
}

// files returns the files of the data directory except the keys, those of the database server, and
// the log of the program.
func (e *erasing) files() map[string][]byte {
	e.Helper()
	texts := map[string][]byte{"the log": []byte(e.program.log.String())}
	roots := []string{e.data}
	if e.url != "" {
		db := e.database()
		defer db.Close()
		directory := ""
		err := db.QueryRowContext(context.Background(), "SHOW data_directory").Scan(&directory)
		if err != nil {
			e.Fatal(err)
		}
		roots = append(roots, directory)
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || slices.Contains(
				[]string{".pem", ".key", ".json"}, filepath.Ext(path)) {
				if os.IsNotExist(err) {
					return nil // the server removes files while it runs
				}
				return err
			}
			text, err := os.ReadFile(path)
			if os.IsNotExist(err) {
				return nil
			}
			texts[path] = text
			return err
		})
		if err != nil {
			e.Fatal(err)
		}
	}
	return texts
}

// hides checks that the audit log does not show the name of the person any more, and that only the
// missing row of the key prevents it: with the row restored, the name is back.
func (e *erasing) hides(key []byte) {
	e.Helper()
	names := func() bool { return strings.Contains(e.history(), strings.ToUpper(erasedLast)) }
	if said := e.history(); names() || !strings.Contains(said, `"nameOnCard":"erased"`) {
		e.Errorf("erased, operators read %s", said)
	}
	e.run(fmt.Sprintf("INSERT INTO person_keys (card_id, sealed) VALUES (%d, %s)", e.cardID,
		e.literal(key)))
	if !names() {
		e.Errorf("with the key, operators read %s", e.history())
	}
	e.run(fmt.Sprintf("DELETE FROM person_keys WHERE card_id = %d", e.cardID))
	if names() {
		e.Error("without the key, operators read the name")
	}
}

// literal returns bytes as an SQL literal of the database.
func (e *erasing) literal(value []byte) string {
	if e.url == "" {
		return fmt.Sprintf("x'%x'", value)
	}
	return fmt.Sprintf(`'\x%x'`, value)
}
