package feed

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testworld"
)

// oldNumber returns a number of BIN 1 of the demo data, whose own numbers end in 1111.
func oldNumber(i int) string {
	body := fmt.Sprintf("400551%09d", 900_000_000+2*i)
	return body + string(pan.CheckDigit(body))
}

// cardText returns the row of a card of customer 1001, with some members replaced.
func cardText(i int, replaced ...string) string {
	return strings.NewReplacer(replaced...).Replace(fmt.Sprintf(`{"number":"%s","expireMonth":3,`+
		`"expireYear":2031,"customerId":1001,"accounts":[{"accountId":2001,"priority":1}],`+
		`"typeCode":"DBT","vendorTypeCode":"VS","status":"Verified","tag":"old %d",`+
		`"nickName":"card %d","firstName":"Ada","lastName":"Example",`+
		`"createdDate":"2024-03-14T09:30:00Z","verifiedDate":"2024-03-20T17:05:00Z"}`+"\n",
		oldNumber(i), i, i))
}

const cardsHead = `{"source":"old platform","programId":1,"sequence":1}` + "\n"

func importText(
	t *testing.T, kept importer.Store, text string, o Options,
) (*Report, error) {
	t.Helper()
	o.Actor = alice
	return ImportCards(t.Context(), kept, spooled(t, text), testworld.Keys(t), o)
}

// findNumber returns the card with a number.
func findNumber(t *testing.T, kept store.Store, number string) (c card.Card, err error) {
	t.Helper()
	parsed, err := pan.Parse(number)
	if err != nil {
		t.Fatal(err)
	}
	err = kept.View(t.Context(), func(r store.Tx) error {
		digest, err := entity.Digest(testworld.Keys(t), digests.State{Phase: digests.OneKey}, parsed)
		if err != nil {
			return err
		}
		id, err := r.CardNumbers().FindCard(digest)
		if err != nil {
			return err
		}
		c, err = r.Cards().Find(1, id)
		return err
	})
	return c, err
}

// TestImportCards imports two cards. Each can be found by its old number, no order is sent, and the
// audit has an entry for each card and one for the file, without a number or a name.
func TestImportCards(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, kept store.Store) {
		text := cardsHead + cardText(1) + cardText(2, `"customerId":1001`,
			`"customerId":1001,"cardHolderCustomerId":1002,"cardId":7001,"binId":1,`+
				`"lockTypeCode":"CST","lockReasonTypeCode":"TMP","isDigitalOnly":true,`+
				`"qualifierCode":"A1","middleName":"B"`)
		ordered := countOrders(t, kept)
		dry, err := importText(t, kept, text, Options{DryRun: true})
		if err != nil || dry.Imported() != 2 {
			t.Fatalf("a dry run: %+v, %v", dry, err)
		}
		if _, err := findNumber(t, kept, oldNumber(1)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a dry run keeps a card: %v", err)
		}
		report, err := importText(t, kept, text, Options{})
		if err != nil || report.Imported() != 2 {
			t.Fatalf("%+v, %v", report, err)
		}
		first, err := findNumber(t, kept, oldNumber(1))
		if err != nil || first.Status != card.Verified || first.ExpireYear != 2031 ||
			first.ExpireMonth != 3 || first.PrimaryAccount() != 2001 || first.HolderID != 1001 ||
			first.LastFour != oldNumber(1)[12:] || first.BinID != 1 ||
			first.Lock != (card.Lock{Type: card.Unlocked, Reason: card.Unknown}) ||
			!first.Created.Equal(time.Date(2024, 3, 14, 9, 30, 0, 0, time.UTC)) {
			t.Errorf("the first card is %+v, %v", first, err)
		}
		second, err := findNumber(t, kept, oldNumber(2))
		if err != nil || second.ID != 7001 || second.HolderID != 1002 || !second.DigitalOnly ||
			second.Lock.Type != card.Customer || second.QualifierCode != "A1" {
			t.Errorf("the second card is %+v, %v", second, err)
		}
		if after := countOrders(t, kept); after != ordered {
			t.Errorf("%d orders were written", after-ordered)
		}
		of := entries(t, kept, audit.Of(audit.Card, 7001))
		if len(of) != 1 || of[0].Act != "import cards" || of[0].Outcome != "created" ||
			!strings.Contains(of[0].After, `"expireYear":2031`) ||
			strings.Contains(of[0].After, oldNumber(2)) || strings.Contains(of[0].After, "ADA") {
			t.Errorf("the audit has %+v", of)
		}
		filed := entries(t, kept, audit.Subject{Kind: audit.LoadedFile, ID: report.Digest})
		if len(filed) != 1 || !strings.HasSuffix(filed[0].Outcome, "old platform 1, cards +2 ~0 =0") {
			t.Errorf("the audit has %+v", filed)
		}
		again, err := importText(t, kept, text, Options{})
		if err != nil || !again.Repeated {
			t.Errorf("the same file again: %+v, %v", again, err)
		}
		plain := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		if report.Digest == plain || len(report.Digest) != len(plain) ||
			strings.Contains(fmt.Sprint(filed), plain) {
			t.Errorf("the digest of the file is not keyed: %+v", filed)
		}
		update(t, kept, func(tx store.Tx) error { // as an earlier version stored it
			state, err := stateOf(tx, report.Head)
			if err != nil {
				return err
			}
			state.Digest = plain
			return tx.Feeds().Put(state)
		})
		again, err = importText(t, kept, text, Options{})
		if err != nil || !again.Repeated {
			t.Errorf("the same file by its SHA-256: %+v, %v", again, err)
		}
	})
}

func countOrders(t *testing.T, kept store.Store) (count int) {
	t.Helper()
	view(t, kept, func(r store.Tx) error {
		all, err := r.Orders().List(store.OrderQuery{Limit: 1 << 20})
		count = len(all)
		return err
	})
	return count
}

// TestCardProblems reports all problems of a file, line by line, writes nothing, and quotes no card
// number, in whatever member it is.
func TestCardProblems(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	mustImport := cardsHead + cardText(90, `"tag":"old 90"`, `"tag":"taken"`)
	if _, err := importText(t, kept, mustImport, Options{}); err != nil {
		t.Fatal(err)
	}
	digits := oldNumber(1)
	wrongDigit := digits[:15] + string('0'+(digits[15]-'0'+1)%10)
	other := "4111111111111111"
	lines := []struct{ text, want string }{
		{cardText(1, digits, wrongDigit), "number: the check digit of the card number is wrong"},
		{cardText(2, oldNumber(2), other), "number: lies in no range of a BIN of the program"},
		{cardText(3, `"customerId"`, `"binId":2,"customerId"`),
			"number: does not lie in the range of BIN 2 of the program"},
		{cardText(90, `"tag":"old 90"`, `"tag":"free"`, "card 90", "free"),
			"number: is that of a card that is stored"},
		{cardText(5, `"old 5"`, `"taken"`), "tag: is that of a card that is stored"},
		{cardText(6, "card 6", "CARD 90"), "nickName: is that of a card that is stored"},
		{cardText(7, `"customerId"`, `"pin":"1234","customerId"`),
			"pin: is refused: PINs and security codes are not taken"},
		{cardText(8, `"customerId"`, `"cvv2":"123","customerId"`),
			"cvv2: is refused: PINs and security codes are not taken"},
		{cardText(9, `"VS"`, `"MC"`), "vendorTypeCode: must be VS, the vendor of BIN 1"},
		{cardText(10, `"Verified"`, `"Archived"`), `status: "Archived" is not one of: ` +
			"PendingVerification, ReissuePendingVerification, Verified"},
		{cardText(11, "1001", "999999"), "customerId: there is no customer 999999"},
		{cardText(12, "2001", "999999"), "accounts[0]: there is no account 999999"},
		{cardText(13, `"expireMonth":3`, `"expireMonth":13`),
			"expireMonth: must be a whole number from 1 to 12"},
		{cardText(14, `,"verifiedDate":"2024-03-20T17:05:00Z"`, ""),
			"verifiedDate: a value is required for a card that is Verified"},
		{cardText(15, `"DBT"`, `"`+other+`"`), `typeCode: "************1111" is not one of: DBT, CDT`},
		{cardText(16, `"tag"`, `"`+other+`"`), "************1111: is not a known member"},
		{cardText(17, "old 17", other), "tag: must not hold a card number"},
		{cardText(18, oldNumber(18), oldNumber(19)), ""},
		{cardText(19), "number: is the same as in line 19"},
		{cardText(20, `"priority":1}`, `"priority":1},{"accountId":2002,"priority":5}`),
			"accounts[1].priority: must be a whole number from 1 to 4"},
		{cardText(21, "2024-03-20", "2124-03-20"), "verifiedDate: lies in the future"},
		{cardText(22, `"createdDate":"2024`, `"createdDate":"2124`, "2024-03-20", "2124-03-20"),
			"createdDate: lies in the future"},
		{`[]` + "\n", "must be an object"},
	}
	var text strings.Builder
	var want []string
	text.WriteString(strings.Replace(cardsHead, `"sequence":1`, `"sequence":2`, 1))
	for i, line := range lines {
		text.WriteString(line.text)
		if line.want != "" {
			want = append(want, fmt.Sprintf("core.ndjson:%d: %s", i+2, line.want))
		}
	}
	for _, dry := range []bool{true, false} {
		_, err := importText(t, kept, text.String(), Options{DryRun: dry})
		var problems *importer.Problems
		if !errors.As(err, &problems) {
			t.Fatalf("got %v", err)
		}
		got := strings.Split(err.Error(), "\n")
		for _, s := range want {
			if !slices.Contains(got, s) {
				t.Errorf("missing %s", s)
			}
		}
		if pan.MayContain(err.Error()) || t.Failed() {
			t.Fatalf("got\n%v", err)
		}
	}
	if _, err := findNumber(t, kept, oldNumber(5)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of a file with a mistake a card is kept: %v", err)
	}
}

// TestImportGoesOn interrupts an import in each of its transactions. The same file resumes it, and
// each card is stored once.
func TestImportGoesOn(t *testing.T) {
	slow := time.Now()
	clock = func() time.Time { slow = slow.Add(time.Minute); return slow }
	defer func() { clock = time.Now }()
	const count = 150 // three transactions
	var text strings.Builder
	text.WriteString(cardsHead)
	for i := range count {
		text.WriteString(cardText(i))
	}
	for failAt := 1; failAt <= 3; failAt++ {
		kept := newDemo(t)
		_, err := importText(t, &brokenStore{Store: kept, failAt: failAt}, text.String(), Options{})
		if !errors.Is(err, errBroken) {
			t.Fatalf("broken at %d: %v", failAt, err)
		}
		report, err := importText(t, kept, text.String(), Options{})
		if want := count - 64*(failAt-1); err != nil || report.Imported() != want {
			t.Errorf("broken at %d: %+v, %v; want %d", failAt, report, err, want)
		}
		for _, i := range []int{0, 63, 64, 149} {
			if _, err := findNumber(t, kept, oldNumber(i)); err != nil {
				t.Errorf("broken at %d: card %d: %v", failAt, i, err)
			}
		}
	}
}

// TestImportTakenMeanwhile assigns a tag of the file to another card between the check and the
// writing. The error says so, and the file sent again names the line.
func TestImportTakenMeanwhile(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, kept store.Store) {
		watched := &brokenStore{Store: kept, before: func(number int) {
			other := strings.Replace(cardsHead, "old platform", "other", 1) +
				cardText(7, "old 7", "old 1")
			if _, err := importText(t, kept, other, Options{}); number == 1 && err != nil {
				t.Error(err)
			}
		}}
		text := cardsHead + cardText(1)
		if _, err := importText(t, watched, text, Options{}); err == nil ||
			errors.Is(err, ErrTakenOver) {
			t.Errorf("the tag is taken meanwhile: %v", err)
		}
		_, err := importText(t, kept, text, Options{})
		if err == nil || err.Error() != "core.ndjson:2: tag: is that of a card that is stored" {
			t.Errorf("sent again: %v", err)
		}
	})
}

// TestGuardedImport checks that a file that waits for approval is not started, and that only the
// approved file is applied when it is sent again.
func TestGuardedImport(t *testing.T) {
	t.Parallel()
	kept := newDemo(t)
	waits := errors.New("waits")
	guard := Options{Guard: func(Head) error { return waits }}
	text := cardsHead + cardText(1)
	report, err := importText(t, kept, text, guard)
	if !errors.Is(err, waits) {
		t.Fatal(err)
	}
	update(t, kept, func(tx store.Tx) error { return Begin(tx, report.Head, report.Digest, nil) })
	var refused *SequenceError
	if _, err := importText(t, kept, cardsHead+cardText(2), guard); !errors.As(err, &refused) {
		t.Errorf("another file: %v", err)
	}
	done, err := importText(t, kept, text, guard)
	if err != nil || done.Imported() != 1 || done.After != 0 {
		t.Errorf("the approved file: %+v, %v", done, err)
	}
	err = kept.Update(t.Context(), func(tx store.Tx) error {
		return Begin(tx, report.Head, report.Digest, nil)
	})
	if !errors.As(err, &refused) {
		t.Errorf("approved again: %v", err)
	}
}
