package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"

	"mintmark/client/admin"
	"mintmark/internal/base/pan"
	"mintmark/internal/testkit/testrun"
)

// oldNumber returns a card number of BIN 1 of the demo data, whose own numbers end in 1111.
func oldNumber(i int) string {
	body := fmt.Sprintf("400551%09d", 900_000_000+2*i)
	return body + string(pan.CheckDigit(body))
}

// oldCard returns the row of a card that was issued elsewhere.
func oldCard(i, customer, account int) string {
	return fmt.Sprintf(`{"number":"%s","expireMonth":3,"expireYear":2031,"customerId":%d,`+
		`"accounts":[{"accountId":%d,"priority":1}],"typeCode":"DBT","vendorTypeCode":"VS",`+
		`"status":"Verified","tag":"old %d","nickName":"old %d","firstName":"Ada",`+
		`"lastName":"Example","createdDate":"2024-03-14T09:30:00Z",`+
		`"verifiedDate":"2024-03-20T17:05:00Z"}`+"\n", oldNumber(i), customer, account, i, i)
}

// TestMovingPage follows docs/moving.md with its file. The imported card pays until its number is
// reported. The library of age replaces the tool.
func TestMovingPage(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "moving.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, cards, _ := strings.Cut(string(page), "```ndjson\n")
	cards, _, _ = strings.Cut(cards, "```")
	directory := t.TempDir()
	data := filepath.Join(directory, "data")
	p := sandbox(t, "--data", data)
	recipient, cardID := "", ""
	pays := func(want bool) {
		paid, err := exec.CommandContext(t.Context(), "curl", "-s", "-d", `{"amount":1.50}`,
			p.adminURL()+"/sandbox/v1/cards/"+cardID+"/authorizations").Output()
		if err != nil || !strings.Contains(string(paid), fmt.Sprintf(`"approved":%t`, want)) {
			t.Errorf("the card pays: %s, %v, want %t", paid, err, want)
		}
	}
	for _, next := range typedIn(string(page)) {
		if strings.HasPrefix(next.command, "age ") {
			encrypted := encryptTo(t, recipient, cards)
			if err := os.WriteFile(filepath.Join(directory, "cards.age"), encrypted, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		shell := exec.CommandContext(t.Context(), "sh", "-eu", "-c",
			strings.ReplaceAll(next.command, "--data data", strings.Join(on(t, data), " ")))
		shell.Dir = directory
		shell.Env = append(os.Environ(), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"),
			"MINTMARK_SERVER="+p.adminURL(), "MINTMARK_TOKEN=sandbox-administrator")
		var said bytes.Buffer
		shell.Stderr = &said
		shown, err := shell.Output()
		if err != nil || !next.pattern().Match(shown) {
			t.Fatalf("%s: %v\n%s%s", next.command, err, shown, &said)
		}
		switch {
		case strings.HasPrefix(next.command, "mintmark key-file"):
			recipient = strings.TrimSpace(string(shown))
		case strings.Contains(next.command, "card search"):
			_, rest, _ := strings.Cut(string(shown), "\n")
			cardID = strings.Fields(rest)[0]
			pays(true)
		}
	}
	operator := admin.New(p.adminURL(), "sandbox-administrator")
	testrun.Within(t, "the reported card is locked", func() bool {
		list, err := admin.Get[admin.Compromise](t.Context(), operator, "compromises/1")
		if err != nil {
			t.Fatal(err)
		}
		return list.State == "done"
	})
	pays(false)
	plain := filepath.Join(directory, "cards.ndjson")
	if err := os.WriteFile(plain, []byte(cards), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := run(t, append([]string{"card", "import", plain}, on(t, data)...)...); code == 0 ||
		!strings.Contains(out, "--plain") {
		t.Errorf("a readable file: %d, %s", code, out)
	}
}

// encryptTo encrypts a text to an age recipient.
func encryptTo(t *testing.T, recipient, text string) []byte {
	t.Helper()
	to, err := age.ParseX25519Recipient(recipient)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	in, err := age.Encrypt(&file, to)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(in, text)
	if err := errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// The variables set the number of cards to import, and how often the command is killed.
const (
	oldCardsVariable    = "MINTMARK_IMPORT_CARDS"
	importKillsVariable = "MINTMARK_IMPORT_KILLS"
)

// TestCardImport imports one card for each of many customers beside a node that callers use, while
// the command is killed midway and the same file is sent again. Each card must be there once, no
// write of a caller may be rejected, and the card processor must get no order. Times and memory are
// printed; they are meaningful for 100,000 cards.
func TestCardImport(t *testing.T) {
	t.Parallel()
	w := &feeding{
		T: t, data: filepath.Join(t.TempDir(), "data"), count: setting(t, oldCardsVariable, 600),
	}
	w.start()
	w.base = w.totals()
	w.feeds(w.file(0, true))
	w.operator = admin.New(w.process.adminURL(), "sandbox-administrator")
	kills := setting(t, importKillsVariable, 1)
	stop := w.callers()
	began := time.Now()
	whole := w.cards(1, 0, w.count/2)
	resident := w.imports(whole)
	took := time.Since(began)
	w.imports(whole) // again: nothing is done
	each := max(1, (w.count-w.count/2)/kills)
	inTheMiddle := 0
	for i := range kills {
		inTheMiddle += w.importKilled(w.cards(2+i, w.count/2+i*each, each), 2+i)
	}
	beside := stop()
	if beside.refused != nil {
		t.Errorf("a write of a caller is refused: %v", beside.refused)
	}
	for _, i := range []int{0, w.count/2 - 1, w.count / 2, w.count/2 + kills*each - 1} {
		list, err := admin.Do[admin.List[admin.Card]](t.Context(), w.operator, admin.Request{
			Method: http.MethodPost, Path: "cards/search",
			Body: map[string]string{"number": oldNumber(i)},
		})
		if err != nil || len(list.Items) != 1 || list.Items[0].CustomerID != firstFedCustomer+i {
			t.Fatalf("card %d is found as %+v, %v", i, list.Items, err)
		}
		orders, err := admin.Page[admin.Order](t.Context(), w.operator, "orders",
			url.Values{"cardId": {strconv.Itoa(list.Items[0].ID)}})
		if err != nil || len(orders.Items) != 0 {
			t.Errorf("card %d has orders: %+v, %v", i, orders.Items, err)
		}
	}
	t.Logf("%d cards in %v, resident %d MiB, p99 of callers %v; %d of %d kills in the middle",
		w.count/2, took, resident>>20, beside.p99(), inTheMiddle, kills)
	w.leak(w.count / 2)
}

// leak reports the numbers of cards as compromised. The server is killed while a wave is over and
// the list paused, and while cards are locked: no card is replaced or locked twice, and none is
// left out.
func (w *feeding) leak(count int) {
	w.T.Helper()
	numbers := make([]string, count)
	for i := range numbers {
		numbers[i] = oldNumber(i)
	}
	report := func(members map[string]any) int {
		members["programId"], members["name"], members["reason"] = 1, "leak", "told by the scheme"
		members["numbers"] = numbers
		compromise, err := admin.Do[admin.Compromise](w.Context(), w.operator, admin.Request{
			Method: http.MethodPost, Path: "compromises", Body: members,
		})
		if err != nil || compromise.Cards != count {
			w.T.Fatalf("%d cards are found: %v", compromise.Cards, err)
		}
		return compromise.ID
	}
	until := func(id int, what string, isSo func(admin.Compromise) bool) (l admin.Compromise) {
		testrun.Within(w.T, what, func() bool {
			compromise, err := admin.Get[admin.Compromise](w.Context(), w.operator,
				fmt.Sprintf("compromises/%d", id))
			if err != nil {
				w.T.Fatal(err)
			}
			l = compromise
			return isSo(l)
		})
		return l
	}
	act := func(id int, name string) {
		_, err := admin.Do[admin.Compromise](w.Context(), w.operator, admin.Request{
			Method: http.MethodPost, Path: fmt.Sprintf("compromises/%d/%s", id, name), Reason: "r",
		})
		if err != nil {
			w.T.Fatal(err)
		}
	}
	again := func() {
		w.process.end(syscall.SIGKILL)
		w.start()
		w.operator = admin.New(w.process.adminURL(), "sandbox-administrator")
	}
	const wave = 2
	id := report(map[string]any{"act": "replace", "perDay": wave})
	until(id, "a wave is replaced", func(l admin.Compromise) bool { return l.Done == wave })
	act(id, "pause")
	again()
	until(id, "the list is paused", func(l admin.Compromise) bool { return l.State == "paused" })
	act(id, "resume")

	locks := report(map[string]any{"act": "lock"})
	began := until(locks, "cards are locked", func(l admin.Compromise) bool { return l.Done > 0 })
	again()
	ended := until(locks, "all are locked", func(l admin.Compromise) bool { return l.State == "done" })
	if ended.Done != count-wave || ended.Left != wave {
		w.T.Errorf("of %d cards the list has %+v", count, ended)
	}
	if l := until(id, "the other list runs", func(l admin.Compromise) bool {
		return l.State == "running"
	}); l.Done != wave {
		w.T.Errorf("on the same day are replaced %d", l.Done)
	}
	w.T.Logf("killed with %d of %d cards waiting", began.Waiting, count)
}

// cards writes a file of cards of fed customers.
func (w *feeding) cards(sequence, from, count int) string {
	w.T.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, `{"source":"old platform","programId":1,"sequence":%d}`+"\n", sequence)
	for i := range count {
		text.WriteString(oldCard(from+i, firstFedCustomer+from+i, firstFedAccount+from+i))
	}
	name := filepath.Join(w.TempDir(), "cards.ndjson")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		w.T.Fatal(err)
	}
	return name
}

func (w *feeding) importing(file string) *exec.Cmd {
	return command(w.T, append([]string{"card", "import", "--plain", file}, on(w.T, w.data)...)...)
}

// imports imports a file by the command, and returns the maximum resident memory in bytes.
func (w *feeding) imports(file string) int64 {
	w.T.Helper()
	program := w.importing(file)
	var out logText
	program.Stdout, program.Stderr = &out, &out
	most, err := runWatched(program)
	if err != nil {
		w.T.Fatalf("import: %v\n%s", err, &out)
	}
	return most
}

// importKilled kills the import command once it has begun, sends the file again, and returns 1 if
// the kill came midway.
func (w *feeding) importKilled(file string, sequence int) (inTheMiddle int) {
	w.T.Helper()
	source := func() admin.Feed {
		all, err := admin.Page[admin.Feed](w.Context(), w.operator, "programs/1/feeds", nil)
		if err != nil {
			w.T.Fatal(err)
		}
		for _, feed := range all.Items {
			if feed.Source == "old platform" {
				return feed
			}
		}
		return admin.Feed{}
	}
	program := w.importing(file)
	if err := program.Start(); err != nil {
		w.T.Fatal(err)
	}
	target := &process{T: w.T, command: program}
	testrun.Within(w.T, fmt.Sprint("file ", sequence, " begins"), func() bool {
		at := source()
		return at.Running == sequence || at.Sequence == sequence
	})
	target.end(syscall.SIGKILL)
	if source().Running == sequence {
		inTheMiddle = 1
	}
	w.imports(file)
	w.imports(file)
	if at := source(); at.Sequence != sequence || at.Running != 0 {
		w.T.Errorf("after a kill the source is %+v", at)
	}
	return inTheMiddle
}
