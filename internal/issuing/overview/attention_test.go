package overview_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/testkit/issuingtest"
)

// TestAttention creates an installation in trouble, and checks that each trouble is listed with its
// age, and nothing else: neither the healthy webhook nor the key whose old secret expires after a
// rotation.
func TestAttention(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	if got := attention(t, w, 0); len(got) != 0 {
		t.Fatalf("an installation without trouble has %+v", got)
	}
	lost := w.NewCard(nil)
	waiting := w.OrdersThatWait()
	want := []overview.Attention{
		{Kind: overview.NoProcessor, Since: waiting[0].Created, Count: len(waiting)},
	}
	if diff := cmp.Diff(want, attention(t, w, 0)); diff != "" {
		t.Errorf("without a processor (-want +got):\n%s", diff)
	}
	w.Dispatcher = struct{ issuing.Dispatcher }{}
	var now time.Time
	w.Update(func(tx store.Tx) error {
		now = tx.Now()
		for _, try := range []func(store.Tx) error{
			openLocks(lost), fence, failWebhook, missProcessor, endKeys, failJob, declineMany, pauseList,
			differ,
		} {
			if err := try(tx); err != nil {
				return err
			}
		}
		return nil
	})
	w.LastBackup = func(store.Tx) (time.Time, error) { return now.Add(-49 * time.Hour), nil }
	w.SealAll()
	order := w.OrdersThatWait()[0]
	want = []overview.Attention{
		{Kind: overview.OpenLocks, Since: now.Add(-time.Hour), Count: 1, Detail: "failed"},
		{
			Kind: overview.FencedProgram, ID: "1", Name: "Example1", ProgramID: 1, Since: now.Add(-time.Hour),
		},
		{
			Kind: overview.FailingWebhook, ID: "1", Name: "down", ProgramID: 1,
			Since: now.Add(-20 * time.Minute), Count: 1, Detail: "500",
		},
		{Kind: overview.FailedOrders, Since: now.Add(-2 * time.Hour), Count: 1},
		{Kind: overview.UnreachedOrders, Since: order.Created, Count: 1},
		{
			Kind: overview.PausedList, ID: "1", Name: "shop", ProgramID: 1,
			Since: now.Add(-time.Hour), Count: 3, Detail: "lock",
		},
		{
			Kind: overview.DifferingList, ID: "2", Name: "cards", ProgramID: 1,
			Since: now.Add(-time.Hour), Count: 2,
		},
		{
			Kind: overview.Declines, ID: "limit", Name: "limit", Count: 40,
			Since: now.Add(-time.Hour),
		},
		{
			Kind: overview.FailingJob, ID: "renew", Name: "renew", Detail: "disk full",
			Since: now.Add(-time.Minute),
		},
		{Kind: overview.OldBackup, Since: now.Add(-49 * time.Hour)},
		{
			Kind: overview.EndingKey, ID: "example1", Name: "example1", ProgramID: 1,
			Until: now.Add(24 * time.Hour),
		},
	}
	if diff := cmp.Diff(want, attention(t, w, 0)); diff != "" {
		t.Errorf("of all programs (-want +got):\n%s", diff)
	}
	for _, i := range []int{0, 3, 4, 7} { // orders and declines
		want[i].ProgramID = 1
	}
	if diff := cmp.Diff(want, attention(t, w, 1)); diff != "" {
		t.Errorf("of the program (-want +got):\n%s", diff)
	}
	frame, err := w.Overview.Frame(t.Context(), operator.Identity{Scope: operator.Scope{All: true}})
	if err != nil || frame.FailedOrders != 2 || frame.FailingWebhooks != 1 {
		t.Errorf("the frame counts %d failed orders and %d failing webhooks (%v)",
			frame.FailedOrders, frame.FailingWebhooks, err)
	}
	if diff := cmp.Diff(want[8:10], attention(t, w, 2)); diff != "" {
		t.Errorf("of another program (-want +got):\n%s", diff)
	}
}

func attention(t *testing.T, w *issuingtest.World, programID int) []overview.Attention {
	t.Helper()
	o, err := w.Overview.Overview(t.Context(), issuingtest.Clerk,
		operator.Identity{Scope: operator.Scope{All: true}}, programID)
	if err != nil {
		t.Fatal(err)
	}
	return o.Attention
}

// openLocks locks a card whose lock was refused, and has one hotlist order of it accepted minutes
// ago and another just now, beside a failed order of another kind.
func openLocks(c card.Card) func(store.Tx) error {
	return func(tx store.Tx) error {
		locked := c
		locked.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
		if err := tx.Cards().Change(c, &locked); err != nil {
			return err
		}
		for i, o := range []order.Order{
			{Kind: order.Lock, State: order.Failed, Created: tx.Now().Add(-time.Hour)},
			{Kind: order.Hotlist, State: order.Sent, Created: tx.Now().Add(-order.LockAccepted - time.Second)},
			{Kind: order.Hotlist, State: order.Sent, Created: tx.Now()},
			{Kind: order.Close, State: order.Failed, Created: tx.Now().Add(-2 * time.Hour)},
		} {
			o.ProgramID, o.CardID, o.Sequence = c.ProgramID, c.ID, 90+i
			if o.State == order.Failed {
				o.Ended = tx.Now()
			}
			if err := tx.Orders().Put(o); err != nil {
				return err
			}
		}
		return nil
	}
}

// fence fences the program.
func fence(tx store.Tx) error { return tx.Programs().PutFence(1, tx.Now().Add(-time.Hour)) }

// failWebhook stores a webhook that answers 500, beside one that delivers.
func failWebhook(tx store.Tx) error {
	for _, name := range []string{"down", "well"} {
		hook := subscription.Webhook{
			ProgramID: 1, Name: name, URL: "https://example.com/" + name, Created: tx.Now(),
		}
		if err := tx.Webhooks().Put(&hook, 0); err != nil {
			return err
		}
		tried := subscription.Attempt{WebhookID: hook.ID, Sequence: 1, At: tx.Now(), Status: 204}
		if name == "down" {
			tried.Status, tried.Error = 500, "answered 500"
			err := tx.Deliveries().Put(subscription.Delivery{
				WebhookID: hook.ID, Sequence: 1, Lane: 1, Type: event.CardLocked,
				State: subscription.Waiting, Since: tx.Now().Add(-20 * time.Minute),
			})
			if err != nil {
				return err
			}
		}
		if err := tx.Deliveries().PutAttempt(tried); err != nil {
			return err
		}
	}
	return nil
}

// missProcessor records that the attempt of the newest order did not reach the processor.
func missProcessor(tx store.Tx) error {
	orders, err := tx.Orders().List(store.OrderQuery{State: "waiting", Limit: 1})
	if err != nil {
		return err
	}
	after := orders[0]
	after.Attempts, after.Unreachable = 1, true
	return tx.Orders().Change(orders[0], &after)
}

// endKeys stores a key that expires tomorrow, and one whose old secret does.
func endKeys(tx store.Tx) error {
	keys, err := tx.Keys().List()
	if err != nil {
		return err
	}
	for _, key := range keys {
		old := key.Secrets[0]
		old.Expires = tx.Now().Add(24 * time.Hour)
		switch key.Name {
		case "example1":
			key.Secrets = []apikey.Secret{old}
		case "example2":
			old.Digest = append([]byte{old.Digest[0] + 1}, old.Digest[1:]...)
			key.Secrets = []apikey.Secret{key.Secrets[0], old}
		default:
			continue
		}
		if err := tx.Keys().Put(key); err != nil {
			return err
		}
	}
	return nil
}

// declineMany stores 40 authorizations declined for a limit, the first of them an hour ago, 40 for
// lack of funds, 19 for a lock, and 100 approved. Only the first has a row of its own; the others
// are audit entries.
func declineMany(tx store.Tx) error {
	err := tx.Authorizations().Put(authorization.Authorization{
		ID: "first", Digest: []byte{1}, ProgramID: 1, Currency: "USD",
		At: tx.Now(), Decided: tx.Now().Add(-time.Hour),
		Transfer: authorization.Transfer{
			Kind: authorization.Purchase, Category: customer.Checking,
			Amount: value.Amount{TenThousandths: 1},
		},
		Decision: authorization.Decision{Reason: authorization.OverLimit},
	})
	if err != nil {
		return err
	}
	for reason, count := range map[string]int{
		"limit": 40, "insufficientFunds": 40, "locked": 19, "approved": 100,
	} {
		for i := range count {
			decided := audit.Entry{
				At: tx.Now(), Act: "authorize", Outcome: "declined", ProgramID: 1,
				Actor: audit.Actor{Kind: audit.Processor}, After: `{"reason":"` + reason + `"}`,
			}
			if reason == "approved" {
				decided.Outcome = reason
			}
			if i == 0 {
				decided.At = tx.Now().Add(-time.Hour)
			}
			if err := tx.Audit().Put(decided); err != nil {
				return err
			}
		}
	}
	return nil
}

// differ stores two comparisons of balances, the newer of which agrees, and one of cards.
func differ(tx store.Tx) error {
	for _, r := range []reconciled.Report{
		{Kind: reconciled.Balances, Counts: reconciled.Counts{Compared: 9, Equal: 6, Different: 3}},
		{Kind: reconciled.Cards, Counts: reconciled.Counts{Compared: 9, Equal: 7, Different: 2}},
		{Kind: reconciled.Balances, Counts: reconciled.Counts{Compared: 9, Equal: 9}},
	} {
		r.ProgramID, r.Digest, r.Who = 1, "ab", "ada"
		r.At, r.Made = tx.Now().Add(-2*time.Hour), tx.Now().Add(-time.Hour)
		if err := tx.Reconciliations().Put(&r); err != nil {
			return err
		}
	}
	return nil
}

// pauseList stores a paused list with 3 cards left, beside a running one.
func pauseList(tx store.Tx) error {
	for _, state := range []compromise.State{compromise.Paused, compromise.Running} {
		err := tx.Compromises().Put(&compromise.List{
			ProgramID: 1, Name: "shop", Act: compromise.Lock, Digest: string(state), Numbers: 4, Cards: 4,
			State: state, Outcomes: map[compromise.Outcome]int{compromise.Handled: 1},
			Changed: tx.Now().Add(-time.Hour),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func failJob(tx store.Tx) error {
	return tx.Jobs().Put(store.JobState{
		Name: "renew", Node: "test", Began: tx.Now().Add(-2 * time.Minute),
		Ended: tx.Now().Add(-time.Minute), Error: "disk full", Failed: tx.Now().Add(-time.Minute),
		Next: tx.Now().Add(time.Hour),
	})
}
