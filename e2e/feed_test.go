package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/e2e/ledger"
	domain "mintmark/internal/domain/customer"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// The variables set the number of customers to feed, and how often each way of feeding is killed.
const (
	feedCustomersVariable = "MINTMARK_FEED_CUSTOMERS"
	feedKillsVariable     = "MINTMARK_FEED_KILLS"
)

// The ids of the first customer and account to feed.
const (
	firstFedCustomer = 20_000_000
	firstFedAccount  = 30_000_000
)

// TestFeed feeds customers with accounts beside a node that callers use: new ones, the same again,
// and with other balances, while first the command and then the node are killed midway and the same
// file is sent again. Each row must be applied once, the control totals must be right, and no write
// of a caller may be rejected. At the end one of the customers is erased, and fed again. Times and
// memory are printed; they are meaningful for as many customers as make check-long feeds.
func TestFeed(t *testing.T) {
	t.Parallel()
	w := &feeding{
		T: t, data: filepath.Join(t.TempDir(), "data"),
		count: setting(t, feedCustomersVariable, 600),
	}
	w.start()
	w.base = w.totals()

	stop := w.callers()
	fresh := w.feeds(w.file(0, true))
	again := w.feeds(w.file(0, true))
	kills := setting(t, feedKillsVariable, 1)
	w.killed("the command", kills, func(file string) (*process, error) {
		program := command(t, append([]string{"feed", file}, on(t, w.data)...)...)
		return &process{T: t, command: program}, program.Start()
	})
	quiet := stop()
	if quiet.refused != nil {
		t.Errorf("beside the command a write of a caller is refused: %v", quiet.refused)
	}

	stop = w.callers()
	file := w.file(w.round+1, false)
	began := time.Now()
	w.sends(file)
	overHTTP := time.Since(began)
	beside := stop()
	if beside.refused != nil {
		t.Errorf("beside a request a write of a caller is refused: %v", beside.refused)
	}
	held := memoryOf(w.process.command.Process.Pid)
	stop = w.callers()
	w.killed("the node", kills, func(file string) (*process, error) {
		sending := w.sending(file)
		if err := sending.Start(); err != nil {
			return nil, err
		}
		go func() { _ = sending.Wait() }() // it ends when the node is gone
		return w.process, nil
	})
	if alone := stop(); alone.refused != nil {
		t.Errorf("by a node that is killed, a write of a caller is refused: %v", alone.refused)
	}
	w.appliedOnce()
	w.erasesOne()

	per := 60 * time.Second * time.Duration(w.count) / 100_000
	t.Logf("%d customers\nfresh: %v (limit in proportion %v: %.2f)\nagain: %v (limit 1.5 times "+
		"that: %.2f)\nonly balances, over HTTP: %v", w.count, fresh.took, per,
		float64(fresh.took)/float64(per), again.took, float64(again.took)/float64(fresh.took)/1.5,
		overHTTP)
	const limit = 300 << 20
	t.Logf("resident memory of the command: %.2f of 300 MiB fresh, %.2f again; of the node %.2f",
		float64(fresh.resident)/limit, float64(again.resident)/limit, float64(held)/limit)
	t.Logf("p99 of callers, limit 100 ms: %v beside the command, %v beside the request: %.2f, %.2f",
		quiet.p99(), beside.p99(), quiet.p99().Seconds()*10, beside.p99().Seconds()*10)
}

// feeding is a sandbox that a core banking system feeds.
type feeding struct {
	*testing.T
	*process
	data     string
	serves   atomic.Pointer[string] // current address of the node
	operator *admin.Client
	count    int // of customers
	base     admin.FeedTotals
	sequence int // of the last file written
	round    int // of the balances that were last fed
	changes  int // number of times that each account's balance was changed
}

func (w *feeding) start() {
	w.T.Helper()
	w.process = sandbox(w.T, "--data", w.data)
	w.serves.Store(&w.process.url)
	w.operator = admin.New(w.process.adminURL(), "sandbox-configurator")
}

// cents returns the balance of an account in a round.
func cents(i, round int) int { return i*100 + 25 + round }

// file writes the next file: the customers and their access, or balances only, with the control
// totals of the core banking system.
func (w *feeding) file(round int, whole bool) string {
	w.T.Helper()
	w.sequence++
	if round != w.round {
		w.changes++
	}
	w.round = round
	var text strings.Builder
	fmt.Fprintf(&text, `{"source":"core","programId":1,"sequence":%d}`+"\n", w.sequence)
	sum := 0
	for i := range w.count {
		customer, account := firstFedCustomer+i, firstFedAccount+i
		amount := cents(i, round)
		sum += amount
		balance := fmt.Sprintf("%d.%02d", amount/100, amount%100)
		if !whole {
			fmt.Fprintf(&text, `{"kind":"balance","op":"put","accountId":%d,"accountBalance":%s}`+
				"\n", account, balance)
			continue
		}
		text.WriteString(fedCustomer(customer))
		fmt.Fprintf(&text, `{"kind":"account","op":"put","accountId":%d,"customerId":%d,`+
			`"type":"Checking","status":"Open","name":"Everyday","accountNumber":"%012d",`+
			`"accountBalance":%s}`+"\n", account, customer, i, balance)
		fmt.Fprintf(&text, `{"kind":"access","op":"put","customerId":%d,"accountId":%d,`+
			`"access":"FULL"}`+"\n", customer, account)
	}
	here, err := w.base.Balance.Here.Float64()
	if err != nil {
		w.T.Fatal(err)
	}
	fmt.Fprintf(&text, `{"totals":{"accounts":%d,"balance":%.2f}}`+"\n",
		w.base.Accounts.Here+w.count, here+float64(sum)/100)
	name := filepath.Join(w.TempDir(), "rows.ndjson")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		w.T.Fatal(err)
	}
	return name
}

// fedCustomer returns the row of a customer.
func fedCustomer(id int) string {
	return fmt.Sprintf(`{"kind":"customer","op":"put","customerId":%d,"status":"Verified",`+
		`"access":"FULL","birthDate":"1985-03-14","firstName":"Jane","lastName":"Sample %d",`+
		`"mobilePhone":"+1 555 0100","mailing":{"line1":"1 Main Street","city":"Springfield",`+
		`"postalCode":"62701","country":"US"}}`+"\n", id, id)
}

// totals returns the totals of the program, by a dry run.
func (w *feeding) totals() admin.FeedTotals {
	w.T.Helper()
	answer, err := w.operator.Send(w.Context(), admin.Request{
		Method: http.MethodPost, Path: "feed", DryRun: true, FileType: "application/x-ndjson",
		File: []byte(`{"source":"totals","programId":1,"sequence":1}` + "\n" +
			`{"totals":{"accounts":0,"balance":0}}`),
	})
	var report admin.FeedReport
	if err := errors.Join(err, json.Unmarshal(answer.Body, &report)); err != nil {
		w.T.Fatal(err)
	}
	return *report.Totals
}

// fed is the result of a feed command.
type fed struct {
	took     time.Duration
	resident int64 // maximum resident memory in bytes
}

// feeds feeds a file by the command, which must succeed, totals included.
func (w *feeding) feeds(file string) fed {
	w.T.Helper()
	program := command(w.T, append([]string{"feed", file}, on(w.T, w.data)...)...)
	var out logText
	program.Stdout, program.Stderr = &out, &out
	began := time.Now()
	most, err := runWatched(program)
	if err != nil {
		w.T.Fatalf("feed %d: %v\n%s", w.sequence, err, &out)
	}
	return fed{time.Since(began), most}
}

// runWatched runs a command and returns the maximum resident memory in bytes. Wait's figure for a
// process includes the memory of its parent.
func runWatched(program *exec.Cmd) (most int64, err error) {
	if err := program.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	for {
		most = max(most, memoryOf(program.Process.Pid))
		select {
		case err := <-ended:
			return most, err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// memoryOf returns the maximum resident memory of a running process, or 0 if unknown.
func memoryOf(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// sending returns the command that sends a file to the node.
func (w *feeding) sending(file string) *exec.Cmd {
	program := command(w.T, "feed", file, "--server", w.process.adminURL())
	program.Env = append(os.Environ(), "MINTMARK_TOKEN=sandbox-configurator")
	return program
}

// sends sends a file to the node, which must apply it.
func (w *feeding) sends(file string) {
	w.T.Helper()
	if out, err := w.sending(file).CombinedOutput(); err != nil {
		w.T.Fatalf("send %d: %v\n%s", w.sequence, err, out)
	}
}

// state returns the state of the source "core".
func (w *feeding) state() (admin.Feed, error) {
	list, err := admin.Page[admin.Feed](w.Context(), w.operator, "programs/1/feeds", nil)
	for _, feed := range list.Items {
		if feed.Source == "core" {
			return feed, err
		}
	}
	return admin.Feed{}, err
}

// killed feeds other balances, and kills the process that applies them midway, until that has
// worked the given number of times. After each kill it sends the same file again, which must
// resume. On a busy machine most kills come too late.
func (w *feeding) killed(what string, times int, begin func(file string) (*process, error)) {
	w.T.Helper()
	inTheMiddle, killed := 0, 0
	for ; inTheMiddle < times && killed < 20*times; killed++ {
		file := w.file(w.round+1, false)
		target, err := begin(file)
		if err != nil {
			w.T.Fatal(err)
		}
		testrun.Within(w.T, fmt.Sprint("feed ", w.sequence, " begins"), func() bool {
			state, err := w.state()
			if err != nil {
				w.T.Fatal(err)
			}
			return state.Running == w.sequence || state.Sequence == w.sequence
		})
		target.end(syscall.SIGKILL)
		if target == w.process {
			w.start()
		}
		state, err := w.state()
		if err != nil {
			w.T.Fatal(err)
		}
		if state.Running == w.sequence {
			inTheMiddle++
		}
		w.sends(file)
		w.sends(file) // again: nothing is done
		state, err = w.state()
		if err != nil || state.Sequence != w.sequence || state.Running != 0 || state.Last == nil ||
			state.Last.Totals == nil || state.Last.Totals.Differ {
			w.T.Errorf("after a kill of %s, feed %d is %+v, %v", what, w.sequence, state, err)
		}
	}
	w.T.Logf("%s was killed %d times, in the middle %d times", what, killed, inTheMiddle)
	if inTheMiddle == 0 {
		w.T.Errorf("%s was never killed in the middle", what)
	}
}

// called is the result of callers.
type called struct {
	mu      sync.Mutex
	took    []time.Duration
	refused error // the first fault in an answer
}

func (c *called) p99() time.Duration {
	if len(c.took) == 0 {
		return 0
	}
	slices.Sort(c.took)
	return c.took[len(c.took)*99/100].Round(10 * time.Microsecond)
}

// callerNames makes the names of callers unique.
var callerNames atomic.Int64

// callers starts callers that lock and unlock a card each until they are stopped. They use the node
// that currently serves; a node that is gone counts as no rejection.
func (w *feeding) callers() (stop func() *called) {
	w.T.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	seen := new(called)
	var working sync.WaitGroup
	connections := client.HTTPClient(&http.Client{Transport: &http.Transport{}}) // shared by all
	current := func() *client.Client {
		return client.New(*w.serves.Load(), "example1", "example1", connections)
	}
	for range 3 {
		card, err := current().CardInitiate(ctx, newCard(fmt.Sprint("beside a feed ",
			callerNames.Add(1))))
		if err != nil {
			w.T.Fatal(err)
		}
		working.Go(func() {
			//nolint:forbidigo // The pause of a caller, so that a feed beside it can be measured.
			for locks := true; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
				began := time.Now()
				var err error
				if locks {
					_, err = current().CardLock(ctx, client.CardLockRequest{
						CustomerID: customer, CardID: card.CardID, LockReasonTypeCode: "TMP",
					})
				} else {
					_, err = current().CardUnlock(ctx, client.CardRequest{
						CustomerID: customer, CardID: card.CardID,
					})
				}
				if ctx.Err() == nil {
					seen.add(time.Since(began), err)
				}
				if err == nil {
					locks = !locks
				}
			}
		})
	}
	return func() *called {
		cancel()
		working.Wait()
		return seen
	}
}

func (c *called) add(took time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, took)
	if fault := (*client.Failure)(nil); errors.As(err, &fault) && c.refused == nil {
		c.refused = err
	}
}

// appliedOnce checks the stored accounts: each has the balance of the last round, and was written
// once for each file that changed it.
func (w *feeding) appliedOnce() {
	w.T.Helper()
	kept, err := installation.OpenStore(w.Context(), w.data, ledger.Database(w.T, w.data))
	if err != nil {
		w.T.Fatal(err)
	}
	defer kept.Close()
	const page = 1000
	for first := 0; first < w.count; first += page {
		var ids []int
		for i := first; i < min(first+page, w.count); i++ {
			ids = append(ids, firstFedAccount+i)
		}
		err := kept.View(w.Context(), func(r store.Tx) error {
			accounts, err := r.Accounts().FindMany(ids)
			for _, id := range ids {
				a := accounts[id]
				want := int64(cents(id-firstFedAccount, w.round)) * 100
				if a.Balance.TenThousandths != want || a.AvailableBalance.TenThousandths != want ||
					a.Revision != 1+w.changes {
					w.T.Fatalf("account %d is %+v, want the balance %d and the revision %d", id, a,
						want, 1+w.changes)
				}
			}
			return err
		})
		if err != nil {
			w.T.Fatal(err)
		}
	}
}

// erasesOne erases a customer, whom the core sends again. The file must be applied without
// restoring the personal data.
func (w *feeding) erasesOne() {
	w.T.Helper()
	send := func(rows string) (report admin.FeedReport) {
		w.T.Helper()
		w.sequence++
		answer, err := w.operator.Send(w.Context(), admin.Request{
			Method: http.MethodPost, Path: "feed", FileType: "application/x-ndjson",
			File: []byte(fmt.Sprintf(`{"source":"core","programId":1,"sequence":%d}`+"\n",
				w.sequence) + rows),
		})
		if err := errors.Join(err, json.Unmarshal(answer.Body, &report)); err != nil {
			w.T.Fatal(err)
		}
		return report
	}
	empty := fmt.Sprintf(`{"kind":"account","op":"put","accountId":%d,"customerId":%d,`+
		`"name":"Everyday","accountBalance":0}`+"\n", firstFedAccount, firstFedCustomer)
	send(empty)
	support := admin.New(w.process.adminURL(), "sandbox-support")
	path := fmt.Sprintf("customers/%d", firstFedCustomer)
	do[admin.Customer](w.T, support, admin.Request{
		Method: http.MethodPost, Path: path + "/erase", Body: admin.Reasoned{}, Reason: "a test",
	})
	report := send(fedCustomer(firstFedCustomer) + empty + fedCustomer(firstFedCustomer+1))
	if report.Erased != 2 || report.Customers.Unchanged != 2 || report.Accounts.Unchanged != 1 {
		w.T.Errorf("rows of an erased customer: %+v", report)
	}
	got := readAs[admin.Customer](w.T, support, path)
	account := readAs[admin.Account](w.T, support, fmt.Sprintf("accounts/%d", firstFedAccount))
	if got.FirstName != domain.ErasedFirstName || got.MobilePhone != "" || got.Mailing != nil ||
		account.Name != "" {
		w.T.Errorf("the customer is %+v, the account %+v", got, account)
	}
}
