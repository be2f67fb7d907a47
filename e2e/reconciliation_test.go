package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/client"
	"mintmark/client/admin"
)

// reconciling is an installation with a card processor, and an operator who compares their lists.
type reconciling struct {
	*circle
	token string
}

// asks runs a command of an operator and returns its standard output, its standard error and its
// exit code.
func (r reconciling) asks(token string, args ...string) (out, said string, code int) {
	r.Helper()
	program := command(r.T, args...)
	program.Env = append(os.Environ(), "MINTMARK_SERVER="+r.node.adminURL(),
		"MINTMARK_TOKEN="+token, "MINTMARK_OUTPUT=json")
	var printed, failed strings.Builder
	program.Stdout, program.Stderr = &printed, &failed
	err := program.Run()
	if program.ProcessState == nil {
		r.Fatal(err)
	}
	return printed.String(), failed.String(), program.ProcessState.ExitCode()
}

// compares compares a list, and checks that the exit code shows whether there are differences.
func (r reconciling) compares(list string) admin.Reconciliation {
	r.Helper()
	file := filepath.Join(r.dir, "list.jsonl")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		r.Fatal(err)
	}
	out, said, code := r.asks(r.token, "reconciliation", "run", file)
	var report admin.Reconciliation
	err := json.Unmarshal([]byte(out), &report)
	if err != nil || code > 1 || (code == 1) != (report.Different > 0) {
		r.Fatalf("code %d, %v: %s%s", code, err, out, said)
	}
	return report
}

// list returns the processor's list of the cards of program 1.
func (r reconciling) list() string {
	r.Helper()
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet,
		r.simulator.url+"/simulator/cards.jsonl?programId=1", nil)
	if err != nil {
		r.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		r.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		r.Fatal(answer.StatusCode, err)
	}
	return string(text)
}

// deviate changes a card only at the processor.
func (r reconciling) deviate(cardID int, state string) {
	r.Helper()
	var said any
	r.ask(http.MethodPost, fmt.Sprintf("/simulator/cards/%d/deviate", cardID),
		map[string]any{"programId": 1, "state": state}, &said)
}

func (r reconciling) mode(mode string) {
	r.Helper()
	var said any
	r.ask(http.MethodPost, "/simulator/mode", map[string]string{"mode": mode}, &said)
}

// found returns the differences of a report, as "number sort" to "here/there".
func found(report admin.Reconciliation) map[string]string {
	all := map[string]string{}
	for _, difference := range report.Differences {
		all[fmt.Sprint(difference.CardID+difference.AccountID, " ", difference.Sort)] = difference.Here + "/" + difference.There
	}
	return all
}

// wants compares a list and checks the differences.
func (r reconciling) wants(what, list string, inFlight int, want map[string]string) {
	r.Helper()
	report := r.compares(list)
	if got := found(report); !maps.Equal(got, want) || report.InFlight != inFlight ||
		report.Compared != report.Equal+report.InFlight+report.Different {
		r.Errorf("%s: %d in flight, %s\n%+v", what, report.InFlight, cmp.Diff(want, got), report)
	}
}

// TestReconciliation compares the list of a card processor, which is a separate process, with the
// cards of a node, and the balances of a core banking system with its accounts: equal, with
// deliberate differences, and with orders on their way.
func TestReconciliation(t *testing.T) {
	t.Parallel()
	r := reconciling{circle: newCircle(t, "files")}
	printed := r.done("token", "create", "nightly", "--role", "configurator", "--role", "support",
		"--config", r.config)
	r.token = tokenPrinted.FindString(printed)

	// The processor does not have the cards of the demo data, which were loaded and not ordered. It
	// adopts them, as it would before a bank moves to Mintmark.
	for id, state := range found(r.compares(r.list())) {
		number, sort, _ := strings.Cut(id, " ")
		cardID, err := strconv.Atoi(number)
		if err != nil || sort != "missingThere" {
			t.Fatalf("%s: %s", id, state)
		}
		r.deviate(cardID, strings.TrimSuffix(state, "/"))
	}
	r.wants("taken over", r.list(), 0, nil)

	before := r.list()
	card := r.orders("Reconciled")
	r.wants("ordered", before, 1, nil)
	r.gets(card.CardID, "card.make")
	r.reports(card.CardID, "taken", "shipped")
	r.becomes(card.CardID, "shipped", hasStatus("PendingVerification"))
	same(t, "verified", r.verifies(card.CardID).Status, "Verified")
	r.wants("verified", r.list(), 0, nil)
	r.breaksCards(card.CardID)
	r.locksOnTheWay(card.CardID)
	r.breaksBalances()
	r.refusesLists()
	r.countsOrders()
	r.comparesMany(setting(t, reconciledCardsVariable, 2000))
	r.endsWell()
}

// lastDigits returns the last four digits of a card, which were drawn when it was loaded.
func (r reconciling) lastDigits(cardID int) (digits string) {
	r.Helper()
	row := r.database().QueryRow(`SELECT last_four FROM cards WHERE card_id = $1`, cardID)
	if err := row.Scan(&digits); err != nil {
		r.Fatal(err)
	}
	return digits
}

// breaksCards changes cards only at the processor.
func (r reconciling) breaksCards(cardID int) {
	r.Helper()
	const demo, invented = 5001, 2_000_000_000
	r.deviate(cardID, "gone")
	r.deviate(demo, "locked")
	r.deviate(invented, "open")
	digits := "9999"
	if r.lastDigits(5002) == digits {
		digits = "0000"
	}
	list := strings.Replace(r.list(), `"cardId":5002,`,
		`"cardId":5002,"lastFour":"`+digits+`","expireYear":2999,"expireMonth":1,`, 1)
	report := r.compares(list)
	got := found(report)
	expiry, lastFour := got["5002 expiry"], got["5002 lastFour"]
	same(r.T, "the expiry of the list", strings.HasSuffix(expiry, "/2999-01"), true)
	same(r.T, "the digits of the list", strings.HasSuffix(lastFour, "/"+digits), true)
	want := map[string]string{
		fmt.Sprint(cardID, " missingThere"):  "open/",
		fmt.Sprint(demo, " state"):           "open/locked",
		fmt.Sprint(invented, " missingHere"): "/open",
		"5002 lastFour":                      lastFour, "5002 expiry": expiry,
	}
	if !maps.Equal(got, want) || report.Different != 4 || report.Sorts.MissingThere != 1 {
		r.Errorf("broken: %s", cmp.Diff(want, got))
	}
	r.deviate(cardID, "open")
	r.deviate(demo, "open")
	r.deviate(invented, "gone")
	r.wants("mended", r.list(), 0, nil)
}

// reconciledPauseVariable sets the milliseconds between a lock and the list after it.
const reconciledPauseVariable = "MINTMARK_RECONCILED_PAUSE"

// awaitsFiles waits until the node has written the given number of order files.
func (r reconciling) awaitsFiles(count int) {
	r.Helper()
	r.node.log.Until(r.T, "files of orders", func() bool {
		return strings.Count(r.node.log.String(), `"msg":"orders written"`) >= count
	})
}

// locksOnTheWay locks a card while the processor fetches no file. The lock is on its way until the
// file is fetched; a list from before that time remains explained afterwards, too.
func (r reconciling) locksOnTheWay(cardID int) {
	r.Helper()
	account := client.CardAccountRequest{CustomerID: customer, CardID: cardID, AccountID: 2002}
	added := account
	added.CardPriority = 2
	if _, err := r.api.CardAddAccount(r.Context(), added); err != nil {
		r.Fatal(err)
	}
	r.gets(cardID, "card.make", "card.accounts")
	r.awaitsFiles(2)
	r.mode("down")
	_, err := r.api.CardLock(r.Context(), client.CardLockRequest{
		CustomerID: customer, CardID: cardID, LockReasonTypeCode: "TMP",
	})
	if err != nil {
		r.Fatal(err)
	}
	<-time.After(time.Duration(setting(r.T, reconciledPauseVariable, 0)) * time.Millisecond)
	r.wants("on the way", r.list(), 1, nil)
	// The next order of the card waits until the outcome of sending the lock is stored.
	if _, err := r.api.CardRemoveAccount(r.Context(), account); err != nil {
		r.Fatal(err)
	}
	r.awaitsFiles(4)
	old := r.list()
	r.wants("in a file", old, 1, nil)
	sent := r.lockIn(cardID, "sent")
	r.mode("manual")
	r.gets(cardID, "card.make", "card.accounts", "card.lock", "card.accounts")
	r.wants("a list from before the lock", old, 1, nil)
	fetched := func(file int) {
		r.node.log.awaitText(r.T,
			fmt.Sprintf(`"msg":"orders fetched","file":"orders-%d.jsonl"`, file))
	}
	fetched(sent.File)
	r.wants("a list from before the lock, which is done", old, 1, nil)
	same(r.T, "done", r.lockIn(cardID, "done").File, 0)
	r.wants("locked on both sides", r.list(), 0, nil)
	fetched(sent.File + 1)
}

// lockIn returns the order to lock a card, which must be in a state.
func (r reconciling) lockIn(cardID int, state string) admin.Order {
	r.Helper()
	out, said, _ := r.asks(r.token, "order", "list", "--card", strconv.Itoa(cardID), "--state",
		state)
	var list struct{ Items []admin.Order }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		r.Fatal(err, said)
	}
	for _, order := range list.Items {
		if order.Kind == "card.lock" {
			return order
		}
	}
	r.Fatalf("no lock is %s: %s", state, out)
	return admin.Order{}
}

// breaksBalances compares balances of a core banking system: equal, different, and changed
// meanwhile.
func (r reconciling) breaksBalances() {
	r.Helper()
	out, said, code := r.asks(r.token, "account", "list", "--program", "1", "--all")
	var all struct{ Items []admin.Account }
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 {
		r.Fatal(code, err, said)
	}
	// The demo accounts may have changed later today than the time of this list.
	list := fmt.Sprintf(`{"kind":"balances","programId":1,"at":%q}`+"\n",
		time.Now().UTC().Add(time.Minute).Format(time.RFC3339))
	for _, account := range all.Items {
		list += fmt.Sprintf(`{"accountId":%d,"accountBalance":%s}`+"\n", account.ID,
			account.AccountBalance)
	}
	report := r.compares(list)
	if report.Different != 0 || report.Equal < len(all.Items)-1 || report.Equal == 0 {
		r.Errorf("equal balances: %+v", report)
	}
	line := fmt.Sprintf(`{"accountId":2001,"accountBalance":%s}`, all.Items[0].AccountBalance)
	broken := strings.Replace(list, line, `{"accountId":2001,"accountBalance":0.01}`, 1)
	same(r.T, "the list is another one", broken != list, true)
	future := r.compares(broken)
	if len(future.Differences) != 1 || future.Differences[0].AccountID != 2001 ||
		future.Differences[0].Sort != "balance" || future.Differences[0].There != "0.01" ||
		future.Differences[0].Available == "" || future.Differences[0].Holds != "0.00" {
		r.Errorf("a balance that moved at the core: %+v", future)
	}
	_, rows, _ := strings.Cut(list, "\n")
	at := time.Now().UTC().Add(-time.Second).Format(time.RFC3339Nano)
	head := fmt.Sprintf(`{"kind":"balances","programId":1,"at":%q}`, at)
	_, said, code = r.asks(r.token, "account", "update", "2001", "--set", "accountBalance=5",
		"--reason", "to be compared")
	same(r.T, "a balance is changed: "+said, code, 0)
	moved := r.compares(head + "\n" + rows)
	if moved.Different != 0 || moved.InFlight == 0 {
		r.Errorf("a balance that moved here after the list: %+v", moved)
	}
}

// refusesLists checks that a list of another bank, or a truncated one, is rejected.
func (r reconciling) refusesLists() {
	r.Helper()
	printed := r.done("token", "create", "foreign", "--role", "configurator", "--bank", "2",
		"--config", r.config)
	list := r.list()
	file := filepath.Join(r.dir, "foreign.jsonl")
	count := func() int {
		var rows int
		err := r.database().QueryRow(`SELECT COUNT(*) FROM reconciliations`).Scan(&rows)
		if err != nil {
			r.Fatal(err)
		}
		return rows
	}
	lines := strings.SplitAfter(list, "\n")
	cut := strings.Join(append(lines[:2:2], lines[3:]...), "")
	before := count()
	for _, row := range []struct{ token, list, want string }{
		{tokenPrinted.FindString(printed), list, "there is no program 1"},
		{r.token, cut, "says"},
		{r.token, strings.Replace(list, `"state":"`, `"state":"x`, 1), "must be one of"},
	} {
		if err := os.WriteFile(file, []byte(row.list), 0o600); err != nil {
			r.Fatal(err)
		}
		out, said, code := r.asks(row.token, "reconciliation", "run", file)
		if code != 2 || !strings.Contains(said, row.want) || out != "" {
			r.Errorf("code %d, want %q: %s%s", code, row.want, out, said)
		}
	}
	same(r.T, "reports", count(), before)
	out, said, code := r.asks(tokenPrinted.FindString(printed), "reconciliation", "get", "1")
	if code != 1 || out != "" || !strings.Contains(said, "Not Found") {
		r.Errorf("a report of another bank: code %d: %s%s", code, out, said)
	}
}

// countsOrders compares the report on orders with those at the processor, and the reports with the
// audit log.
func (r reconciling) countsOrders() {
	r.Helper()
	out, said, code := r.asks(r.token, "reconciliation", "orders", "--program", "1")
	var report admin.OrderReport
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
		r.Fatal(code, err, said)
	}
	want := map[string]int{}
	for _, a := range r.arrived(0) {
		want[a.Kind]++
	}
	got := map[string]int{}
	for _, orderTally := range report.Kinds {
		got[orderTally.Kind] = orderTally.Acknowledged
		if orderTally.Written != orderTally.Acknowledged {
			r.Errorf("not every order was acknowledged: %+v", orderTally)
		}
	}
	if !maps.Equal(got, want) || report.OldestUnanswered != nil || len(report.Failed) != 0 {
		r.Errorf("the report is %+v, the processor has %v", report, want)
	}
	var reports, entries int
	err := r.database().QueryRow(`SELECT (SELECT COUNT(*) FROM reconciliations),
		(SELECT COUNT(*) FROM audit WHERE route = 'reconcile')`).Scan(&reports, &entries)
	if err != nil || reports == 0 || reports != entries {
		r.Errorf("%d reports and %d entries of the audit, %v", reports, entries, err)
	}
}

// reconciledCardsVariable sets the number of cards in the measured comparison.
const reconciledCardsVariable = "MINTMARK_RECONCILED_CARDS"

// comparesMany compares many cards, a tenth of which differ, and measures the memory of the node.
func (r reconciling) comparesMany(count int) {
	r.Helper()
	const first = 1_000_000
	_, err := r.database().ExecContext(r.Context(), fmt.Sprintf(`
		INSERT INTO cards (card_id, program_id, customer_id, holder_id, type, vendor, bin_id,
			status, lock_type, lock_reason, nickname, nick_key, first_name, middle_name, last_name,
			qualifier, last_four, expire_month, expire_year, is_digital_only, primary_category,
			created_at, verified_at, modified_at, revision, orders)
		WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT i, 4, 7001, 7001, c.type, c.vendor, b.bin_id, 'Verified', 'UNL', 'UNK',
			'n' || CAST(i AS TEXT), 'n' || CAST(i AS TEXT), 'Ada', '', 'Example', '', '1111', 12,
			2030, c.is_digital_only, 'Checking', c.created_at, c.created_at, c.created_at, 1, 0
		FROM n, cards c, (SELECT MIN(bin_id) AS bin_id FROM bins WHERE program_id = 4) b
		WHERE c.card_id = 5001`, first, first+count-1))
	if err != nil {
		r.Fatal(err)
	}
	var list strings.Builder
	fmt.Fprintf(&list, `{"kind":"cards","programId":4,"at":%q}`+"\n",
		time.Now().UTC().Format(time.RFC3339))
	for i := range count {
		state := "open"
		if i%10 == 0 {
			state = "locked"
		}
		fmt.Fprintf(&list, `{"cardId":%d,"state":%q,"lastFour":"1111"}`+"\n", first+i, state)
	}
	held := memoryOf(r.node.command.Process.Pid)
	began := time.Now()
	report := r.compares(list.String())
	took := time.Since(began)
	if report.Compared < count || report.Sorts.State < count/10 ||
		len(report.Differences) != min(1000, count/10) {
		r.Errorf("%d compared, %+v, %d kept", report.Compared, report.Sorts,
			len(report.Differences))
	}
	after := memoryOf(r.node.command.Process.Pid)
	r.Logf("%d cards in %v; resident memory %d MiB before, %d MiB at most", count, took,
		held>>20, after>>20)
	if after > 300<<20 {
		r.Errorf("the node has %d MiB", after>>20)
	}
}
