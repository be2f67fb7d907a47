package customers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintmark/internal/auditlog"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
	scopes "mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/testkit/issuingtest"
)

// eraser returns the operator who erases customers.
func eraser() issuing.Operator {
	return issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "eraser", Reason: "request 17"},
		Scope: scopes.Scope{All: true}, Roles: scopes.Roles{scopes.Support},
	}
}

// Strings that identify the erased person.
const (
	personFirst, personLast = "Wilhelmina", "Quackenbush"
	personPhone             = "+1 555 0177"
	personStreet            = "77 Heliotrope Row"
	personNick              = "Minnie's travels"
)

// putPerson stores a customer with an archived card and an account without money.
func putPerson(w *issuingtest.World, id int) card.Card {
	w.TB.Helper()
	c := customer.Customer{
		Standing: customer.Standing{
			ID: id, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
			IsActive: true, Birth: time.Date(1961, 2, 3, 0, 0, 0, 0, time.UTC),
		},
		FirstName: personFirst, LastName: personLast, MobilePhone: personPhone,
		Mailing: customer.Address{
			Line1: personStreet, City: "Springfield", PostalCode: "12345", Country: "US",
		},
	}
	w.Update(func(tx store.Tx) error {
		return errors.Join(tx.Customers().Put(c), tx.Accounts().Put(customer.Account{
			ID: id, ProgramID: 1, CustomerID: id, Type: customer.AccountType(customer.Checking),
			Status: customer.Open, Name: personFirst + "'s", NumberMasked: "********1234",
		}), tx.Access().Put(customer.Access{
			CustomerID: id, AccountID: id, Type: customer.FullAccess,
		}))
	})
	created := w.NewCard(func(r *cards.InitiateRequest) {
		r.CustomerID, r.CardHolderCustomerID, r.PrimaryAccountID = id, id, id
		r.FirstName, r.LastName, r.NickName = personFirst, personLast, personNick
	})
	return created
}

// archive archives a card.
func archive(w *issuingtest.World, c card.Card) card.Card {
	w.TB.Helper()
	return w.InStatus(c, card.Archived)
}

// auditTextOf returns the audit text of a card as operators read it.
func auditTextOf(w *issuingtest.World, cardID int) string {
	w.TB.Helper()
	listed, _, err := w.Cards.ListHistory(w.TB.Context(), eraser(), cardID, issuing.Page{Limit: 100})
	if err != nil {
		w.TB.Fatal(err)
	}
	text := ""
	for _, e := range listed {
		text += e.Before + e.After + "\n"
	}
	return text
}

// export returns the whole sealed log, which must verify.
func export(w *issuingtest.World) string {
	w.TB.Helper()
	w.SealAll()
	var out bytes.Buffer
	if err := auditlog.Export(w.TB.Context(), w.Store, &out); err != nil {
		w.TB.Fatal(err)
	}
	report, err := auditlog.VerifyExport(w.Vault.LogVerifier(), nil,
		io.Reader(strings.NewReader(out.String())))
	if err != nil || len(report.Findings) > 0 {
		w.TB.Errorf("the export does not verify: %v, %v", err, report)
	}
	return out.String()
}

// TestEraseCustomer erases a customer: it can no longer act, no text names it, and the audit
// records the erasure and still verifies. Erasing it again changes nothing.
func TestEraseCustomer(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	c := putPerson(w, 1777)
	archive(w, c)
	answered := w.OrdersOf(c.ID)[0]
	w.Update(func(tx store.Tx) error {
		after := answered
		after.LastError = "no street " + personStreet
		after.Tries = []order.Attempt{{Outcome: order.TryFailed, Answer: after.LastError}}
		return tx.Orders().Change(answered, &after)
	})
	before := export(w)
	if strings.Contains(strings.ToUpper(before), "QUACKENBUSH") ||
		!strings.Contains(before, `nameOnCard\":\"sealed:`) {
		t.Errorf("the export names a person: %s", before)
	}
	if said := auditTextOf(w, c.ID); !strings.Contains(said, "QUACKENBUSH") ||
		!strings.Contains(said, personNick) {
		t.Errorf("operators read %s", said)
	}
	trial := eraser()
	trial.DryRun = true
	shown, err := w.Customers.EraseCustomer(t.Context(), trial, 1777, 1)
	if err != nil || shown.LastName != customer.ErasedLastName {
		t.Errorf("a dry run shows %+v, %v", shown, err)
	}
	if said := auditTextOf(w, c.ID); !strings.Contains(said, "QUACKENBUSH") {
		t.Errorf("a dry run erases: %s", said)
	}
	erased, err := w.Customers.EraseCustomer(t.Context(), eraser(), 1777, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !erased.IsErased() || erased.IsActive || erased.Status != customer.Verified ||
		erased.Revision != 2 {
		t.Errorf("erased is %+v", erased)
	}
	after := w.Stored(c.ID)
	if after.Name.OnCard() != "ERASED" || strings.Contains(after.NickName, "Minnie") ||
		after.LastFour != c.LastFour {
		t.Errorf("the card is %+v", after)
	}
	for _, of := range w.OrdersOf(c.ID) {
		if of.Snapshot.NameOnCard != "" || of.Snapshot.ShipTo != nil || of.LastError != "" ||
			of.Tries != nil {
			t.Errorf("an order says %+v, %q, %+v", of.Snapshot, of.LastError, of.Tries)
		}
	}
	said := auditTextOf(w, c.ID)
	if strings.Contains(said, "QUACKENBUSH") || strings.Contains(said, "Minnie") ||
		!strings.Contains(said, `"nameOnCard":"erased"`) {
		t.Errorf("operators read %s", said)
	}
	if got := export(w); !strings.HasPrefix(got, strings.SplitAfter(before, "\n")[0]) {
		t.Error("an entry of before is written another way")
	}
	again, err := w.Customers.EraseCustomer(t.Context(), eraser(), 1777, 0)
	if err != nil || again.Revision != 2 {
		t.Errorf("erased again it is %+v, %v", again, err)
	}
	if _, err := w.Customers.EraseCustomer(t.Context(), eraser(), 1777, 1); !errors.Is(err,
		store.ErrLostUpdate) {
		t.Errorf("at another revision: %v", err)
	}
	if _, err := w.Cards.Initiate(t.Context(), issuingtest.Caller, func() cards.InitiateRequest {
		r := w.NewOrder()
		r.CustomerID, r.CardHolderCustomerID, r.PrimaryAccountID = 1777, 1777, 1777
		return r
	}()); err == nil {
		t.Error("an erased customer orders a card")
	}
}

// TestErasedStaysErased changes an erased customer and its account: nothing can name the customer
// again, and properties that identify no person remain changeable.
func TestErasedStaysErased(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	c := putPerson(w, 1777)
	archive(w, c)
	erased, err := w.Customers.EraseCustomer(t.Context(), eraser(), 1777, 1)
	if err != nil {
		t.Fatal(err)
	}
	var account customer.Account
	w.View(func(tx store.Tx) error {
		stored, err := tx.Accounts().FindMany([]int{1777})
		account = stored[1777]
		return err
	})
	changeCustomer := func(c customer.Customer) (customer.Customer, error) {
		return w.Customers.ChangeCustomer(t.Context(), eraser(), erased.Revision, c)
	}
	changeAccount := func(a customer.Account) (customers.AccountSheet, error) {
		return w.Customers.ChangeAccount(t.Context(), eraser(), account.Revision,
			customers.AccountSpec{Account: a})
	}
	named, born, called := erased, erased, account
	named.FirstName, called.Name = personFirst, personFirst+"'s"
	born.Birth = time.Date(1961, 2, 3, 0, 0, 0, 0, time.UTC)
	_, withName := changeCustomer(named)
	_, withBirth := changeCustomer(born)
	_, withText := changeAccount(called)
	for what, err := range map[string]error{
		"a name": withName, "a birth date": withBirth, "the name of an account": withText,
	} {
		refused := (*issuing.RefusedError)(nil)
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	erased.IsLocked = true
	locked, err := changeCustomer(erased)
	if err != nil || !locked.IsLocked || !locked.IsErased() {
		t.Errorf("locked it is %+v, %v", locked, err)
	}
	account.Status = customer.Closed
	closed, err := changeAccount(account)
	if err != nil || closed.Status != customer.Closed {
		t.Errorf("closed it is %+v, %v", closed, err)
	}
}

// TestEraseIsRefused checks the obstacles to an erasure, and that nothing changes.
func TestEraseIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(*issuingtest.World, card.Card)
		want    string
	}{
		"a card": {func(*issuingtest.World, card.Card) {}, "Archive it first"},
		"an expired card": {func(w *issuingtest.World, c card.Card) { w.InStatus(c, card.Expired) },
			"is Expired. Archive it first"},
		"an order": {func(w *issuingtest.World, c card.Card) {
			archive(w, c)
			w.Update(func(tx store.Tx) error {
				return tx.Orders().Put(order.Order{
					CardID: c.ID, Kind: order.Close, State: order.Failed, Sequence: 9,
					Created: tx.Now(), Token: "0123456789abcdef",
				})
			})
		}, "must be done or dropped"},
		"money": {func(w *issuingtest.World, c card.Card) {
			archive(w, c)
			changeAccount(w, func(a *customer.Account) { a.Balance.TenThousandths = 1 })
		}, "has money"},
		"a card and money": {func(w *issuingtest.World, _ card.Card) {
			changeAccount(w, func(a *customer.Account) { a.Balance.TenThousandths = 1 })
		}, "Archive it first. Account 1777 is Open and has money"},
		"held money": {func(w *issuingtest.World, c card.Card) {
			archive(w, c)
			changeAccount(w, func(a *customer.Account) { a.Status = customer.Closed })
			w.Update(func(tx store.Tx) error {
				changed, err := tx.Balances().Find(1777)
				if err != nil {
					return err
				}
				changed.Held.TenThousandths = 5
				return tx.Balances().Change(changed)
			})
		}, "has holds"},
		"an approval": {func(w *issuingtest.World, c card.Card) {
			archive(w, c)
			w.Update(func(tx store.Tx) error {
				return tx.Approvals().Put(&scopes.Approval{
					State: scopes.Waiting, Act: "Change a customer", Method: "PATCH",
					Path: "customers/1777", Subject: "customer:1777", Body: []byte(`{}`),
					Asked: tx.Now(), Lapses: tx.Now().Add(time.Hour),
				})
			})
		}, "End it first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewSandbox(t)
			c := putPerson(w, 1777)
			test.prepare(w, c)
			_, err := w.Customers.EraseCustomer(t.Context(), eraser(), 1777, 0)
			var refused *issuing.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(refused.Detail, test.want) {
				t.Errorf("it is refused with %v, want %q", err, test.want)
			}
			holder, err := w.Customers.FindCustomer(t.Context(), eraser(), 1777)
			if err != nil || holder.LastName != personLast ||
				w.Stored(c.ID).NickName != personNick {
				t.Errorf("refused, the customer is %+v, %v", holder, err)
			}
		})
	}
}

func changeAccount(w *issuingtest.World, change func(*customer.Account)) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		accounts, err := tx.Accounts().FindMany([]int{1777})
		if err != nil {
			return err
		}
		changed := accounts[1777]
		change(&changed)
		return tx.Accounts().Put(changed)
	})
}

// TestCopiesAreEmptied erases a customer who appears in stored responses to callers and operators,
// approvals and delivery attempts. Those about others stay, and no request is performed again.
func TestCopiesAreEmptied(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	c := archive(w, putPerson(w, 1777))
	about := []byte(`{"cardId":` + strconv.Itoa(c.ID) + `,"firstName":"Wilhelmina"}`)
	others := []byte(`{"cardId":` + strconv.Itoa(c.ID) + `9,"firstName":"Wilhelmina"}`)
	scope := func(key string) store.IdempotencyScope {
		return store.IdempotencyScope{APIKey: "example1", Route: "/card/initiate", Key: key}
	}
	w.Update(func(tx store.Tx) error {
		var errs []error
		for key, answer := range map[string][]byte{"about": about, "others": others} {
			record := store.IdempotencyRecord{
				IdempotencyScope: scope(key), HTTP: 200, Answer: answer, At: tx.Now(),
			}
			errs = append(errs, tx.CallerAnswers().Put(record), tx.OperatorAnswers().Put(record))
		}
		for _, subject := range []string{"customer:1777", "customer:1001"} {
			errs = append(errs, tx.Approvals().Put(&scopes.Approval{
				State: scopes.Rejected, Act: "Change a customer", Method: "PATCH", Path: "x",
				Subject: subject, Body: []byte(`{"firstName":"Wilhelmina"}`), Reason: "Wilhelmina",
				Asked: tx.Now(), Lapses: tx.Now(), Ended: tx.Now(), Why: "asked",
			}))
		}
		return errors.Join(errs...)
	})
	if _, err := w.Customers.EraseCustomer(t.Context(), eraser(), 1777, 0); err != nil {
		t.Fatal(err)
	}
	w.View(func(r store.Tx) error {
		for key, want := range map[string]string{"about": "{}\n", "others": string(others)} {
			given, err := r.CallerAnswers().Find(scope(key))
			toOperator, alsoErr := r.OperatorAnswers().Find(scope(key))
			if string(given.Answer) != want || string(toOperator.Answer) != want ||
				given.HTTP != 200 {
				t.Errorf("%s: kept are %s and %s", key, given.Answer, toOperator.Answer)
			}
			if err := errors.Join(err, alsoErr); err != nil {
				return err
			}
		}
		all, err := r.Approvals().List(store.ApprovalQuery{Limit: 9})
		for _, a := range all {
			mine := a.Subject == "customer:1777"
			if mine != (len(a.Body) == 0) || mine != (a.Reason == audit.Erased) ||
				mine != (a.Why == audit.Erased) {
				t.Errorf("an approval is %+v", a)
			}
		}
		return err
	})
}

// TestRefusalsAreEmptied erases a customer whose names are quoted in stored refusals, in the format
// of the face.
func TestRefusalsAreEmptied(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	archive(w, putPerson(w, 1777))
	refusal := func(kind fault.Kind, values ...any) string {
		f := fault.New(kind, values...)
		text, err := json.Marshal(f.Message())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"errors":[{"code":%d,"message":%s}],"status":400}`, f.Code(), text)
	}
	const emptied = "{}\n"
	kept := map[string][2]string{ // before, after
		"nickname": {refusal(fault.NickNameTaken, 1777, personNick), emptied},
		"first":    {refusal(fault.FirstNameCharacters, "W1lhelmina"), emptied},
		"middle":   {refusal(fault.MiddleNameCharacters, "W1lhelmina"), emptied},
		"last":     {refusal(fault.LastNameCharacters, "Quack nbush"), emptied},
	}
	for key, text := range map[string]string{
		"other nickname": refusal(fault.NickNameTaken, 17770, "Other"),
		"other":          refusal(fault.NamesRequired),
	} {
		kept[key] = [2]string{text, text}
	}
	scope := func(key string) store.IdempotencyScope {
		return store.IdempotencyScope{APIKey: "example1", Route: "/card/initiate", Key: key}
	}
	w.Update(func(tx store.Tx) error {
		var errs []error
		for key, texts := range kept {
			errs = append(errs, tx.CallerAnswers().Put(store.IdempotencyRecord{
				IdempotencyScope: scope(key), HTTP: 400, Answer: []byte(texts[0]), At: tx.Now(),
			}))
		}
		return errors.Join(errs...)
	})
	if _, err := w.Customers.EraseCustomer(t.Context(), eraser(), 1777, 0); err != nil {
		t.Fatal(err)
	}
	w.View(func(r store.Tx) error {
		for key, texts := range kept {
			given, err := r.CallerAnswers().Find(scope(key))
			if err != nil || string(given.Answer) != texts[1] || given.HTTP != 400 {
				t.Errorf("%s: kept is %s, %v, want %s", key, given.Answer, err, texts[1])
			}
		}
		return nil
	})
}

// erasureWatch records what the transactions of an erasure read, and cancels its context after some
// copies.
type erasureWatch struct {
	store.Tx
	*looked
}

type looked struct {
	pages    []string // the last keys of the pages of responses
	attempts []int    // attempts read, by transaction
	cancelAt int
	cancel   func()
}

func (w erasureWatch) Erasure() store.Erasure { return watchedErasure{w.Tx.Erasure(), w.looked} }

type watchedErasure struct {
	store.Erasure
	*looked
}

func (l *looked) noted() {
	if len(l.pages)+len(l.attempts) == l.cancelAt {
		l.cancel()
	}
}

func (w watchedErasure) ChangeErased(e store.Erased) error {
	w.pages = append(w.pages, e.Behind.Key)
	defer w.noted()
	return w.Erasure.ChangeErased(e)
}

func (w watchedErasure) EmptyAttempts(programID, limit int) (int, error) {
	count, err := w.Erasure.EmptyAttempts(programID, limit)
	w.attempts = append(w.attempts, count)
	w.noted()
	return count, err
}

// TestErasureGoesOn interrupts the erasure of a customer of a busy program, among the responses and
// among the attempts. The job resumes where it stopped: only the interrupted page is read again.
func TestErasureGoesOn(t *testing.T) {
	t.Parallel()
	const answers, attempts = 1200, 1300
	for _, cancelAt := range []int{2, 5} {
		t.Run(strconv.Itoa(cancelAt), func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewSandbox(t)
			archive(w, putPerson(w, 1777))
			issuingtest.Backlog(t, w.Store, answers, w.Clock.Now())
			hook := subscription.Webhook{
				ProgramID: 1, Name: "busy", URL: "https://busy.example", Created: w.Clock.Now(),
			}
			w.Update(func(tx store.Tx) error {
				err := tx.Webhooks().Put(&hook, 0)
				for i := range attempts {
					err = errors.Join(err, tx.Deliveries().PutAttempt(subscription.Attempt{
						WebhookID: hook.ID, Sequence: i + 1, At: tx.Now(), Answer: personLast,
					}))
				}
				return err
			})
			ctx, cancel := context.WithCancel(t.Context())
			seen := &looked{cancelAt: cancelAt, cancel: cancel}
			w.Through(func(tx store.Tx) store.Tx { return erasureWatch{tx, seen} })
			_, err := w.Customers.EraseCustomer(ctx, eraser(), 1777, 0)
			if err == nil || !strings.Contains(err.Error(), "not every copy") {
				t.Errorf("cut off, the erasure ends with %v", err)
			}
			for range 2 {
				if err := w.Customers.RedactPeople(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			wantForgotten(w, "forget people", "copies of customer 1777 emptied")
			wantPages, wantAttempts := 4, []int{500, 500, 300}
			if cancelAt > wantPages-1 {
				wantPages, wantAttempts = 3, []int{500, 500, 500, 300}
			}
			if len(seen.pages) != wantPages || !slices.IsSorted(seen.pages) ||
				!slices.Equal(seen.attempts, wantAttempts) {
				t.Errorf("it has looked at the answers up to %q and at %v attempts",
					seen.pages, seen.attempts)
			}
			w.View(func(r store.Tx) error {
				kept, err := r.Deliveries().ListAttempts(hook.ID, 0, attempts)
				if slices.ContainsFunc(kept, func(a subscription.Attempt) bool { return a.Answer != "" }) {
					t.Error("an answer of the receiver is left")
				}
				return err
			})
		})
	}
}

// TestRedactPeople empties copies older than their retention period, and nothing else.
func TestRedactPeople(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Production})
	w.Retention.Orders, w.Retention.Approvals = 48*time.Hour, 24*time.Hour
	old, fresh := w.NewCard(nil), w.NewCard(nil)
	finish := func(cardID int) {
		before := w.OrdersOf(cardID)[0]
		after := before
		after.State, after.Ended = order.Done, w.Clock.Now()
		w.Update(func(tx store.Tx) error { return tx.Orders().Change(before, &after) })
	}
	ask := func() {
		w.Update(func(tx store.Tx) error {
			return tx.Approvals().Put(&scopes.Approval{
				State: scopes.Waiting, Act: "Create a token", Method: "POST", Path: "tokens",
				Asked: tx.Now(), Lapses: tx.Now().Add(scopes.ApprovalLifetime),
			})
		})
	}
	finish(old.ID)
	ask()
	w.Clock.Advance(49 * time.Hour)
	finish(fresh.ID)
	ask()
	if err := w.Customers.RedactPeople(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int]bool{old.ID: false, fresh.ID: true} {
		said := w.OrdersOf(id)[0].Snapshot
		if got := said.NameOnCard != "" || said.ShipTo != nil; got != want || said.LastFour == "" {
			t.Errorf("the order of card %d says %+v", id, said)
		}
	}
	if err := w.Customers.RedactPeople(t.Context()); err != nil {
		t.Error(err)
	}
	wantForgotten(w, "forget people", "1 orders emptied, 1 approvals dropped")
	w.View(func(r store.Tx) error {
		left, err := r.Approvals().List(store.ApprovalQuery{Limit: 9})
		if len(left) != 1 || left[0].ID != 2 {
			t.Errorf("left are %+v", left)
		}
		return err
	})
	if !slices.ContainsFunc(w.OrdersOf(old.ID), func(o order.Order) bool {
		return o.State == order.Done
	}) {
		t.Error("the order is gone")
	}
}

// wantForgotten checks the entries of a redaction job, oldest first.
func wantForgotten(w *issuingtest.World, act string, want ...string) {
	w.TB.Helper()
	var got []string
	w.View(func(r store.Tx) error {
		entries, err := r.Audit().List(0, 0, 100)
		for _, e := range slices.Backward(entries) {
			if e.Act == act && e.Kind == audit.Job {
				got = append(got, e.Outcome)
			}
		}
		return err
	})
	if !slices.Equal(got, want) {
		w.TB.Errorf("%s: the audit has %q, want %q", act, got, want)
	}
}

// TestForgetReconciliations deletes reports older than their retention period in as many batches as
// needed, but not the newest report.
func TestForgetReconciliations(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Production})
	const reports = 45
	w.Update(func(tx store.Tx) error {
		var failed error
		for range reports {
			now := tx.Now()
			failed = errors.Join(failed, tx.Reconciliations().Put(&reconciled.Report{
				ProgramID: 1, Kind: reconciled.Cards, At: now, Made: now, Digest: "ab", Who: "Ada",
			}))
		}
		return failed
	})
	for _, row := range []struct {
		after time.Duration
		left  int
	}{{399 * 24 * time.Hour, reports}, {2 * 24 * time.Hour, 1}} {
		w.Clock.Advance(row.after)
		if err := w.Customers.PurgeReconciliations(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.View(func(tx store.Tx) error {
			left, err := tx.Reconciliations().List(reconciled.Query{Limit: 2 * reports})
			if len(left) != row.left {
				t.Errorf("%d reports are left, want %d", len(left), row.left)
			}
			return err
		})
	}
	wantForgotten(w, "forget reconciliations", "20 dropped", "20 dropped", "4 dropped")
}
