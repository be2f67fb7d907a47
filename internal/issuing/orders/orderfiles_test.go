package orders_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
	"mintmark/internal/processor/message"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestFileFetched checks that an order in a file is sent, and acknowledged only when the file is
// fetched: an order that no report follows is then done.
func TestFileFetched(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	if _, err := w.Cards.Lock(t.Context(), issuingtest.Caller, issuingtest.LockRequest(issuing.CardRef{
		CustomerID: 1001, CardID: issuingtest.VerifiedCard,
	}, "TMP")); err != nil {
		t.Fatal(err)
	}
	created, lock := w.OrdersOf(c.ID)[0], w.OrdersOf(issuingtest.VerifiedCard)[0]
	for number, o := range map[int]order.Order{7: created, 8: lock} {
		err := w.Orders.SettleOrder(t.Context(), orders.ClaimedOrder{Order: o},
			processor.Answer{Outcome: processor.Accepted, File: number}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	wants := func(acknowledged int, files ...int) {
		t.Helper()
		ids, err := w.Orders.UnfetchedFiles(t.Context())
		if err != nil || !slices.Equal(ids, files) {
			t.Errorf("unfetched are %v, %v, want %v", ids, err, files)
		}
		got := 0
		report, err := w.Orders.ReportOrders(t.Context(), issuingtest.Clerk, 1, issuing.Span{
			From: issuingtest.Start.Add(-time.Hour), To: issuingtest.Start.Add(time.Hour),
		})
		for _, line := range report.Lines {
			got += line.Acknowledged()
		}
		if err != nil || got != acknowledged {
			t.Errorf("%d are acknowledged, want %d: %+v, %v", got, acknowledged, report, err)
		}
	}
	wants(0, 7, 8)
	for i, number := range []int{9, 8, 7} {
		if err := w.Orders.FileFetched(t.Context(), number); err != nil {
			t.Fatal(err)
		}
		wants(i, [][]int{{7, 8}, {7}, nil}[i]...)
	}
	wantOrder(w, created, order.Sent, "")
	wantOrder(w, lock, order.Done, "")
}

// keepFile stores a file of orders that could not be written.
func keepFile(w *issuingtest.World, number int, all ...order.Order) {
	w.TB.Helper()
	var lines [][]byte
	for _, o := range all {
		lines = append(lines, fmt.Appendf(nil, `{"orderId":%q,"sequence":%d,"cardId":%d}`, o.PublicID(),
			o.Sequence, o.CardID))
	}
	text, digest, err := message.EncodeFile(number, lines)
	if err != nil {
		w.TB.Fatal(err)
	}
	w.Update(func(tx store.Tx) error {
		return tx.Files().Put(store.File{
			Direction: store.OrderFiles, Sequence: number, Count: len(lines), Digest: digest, Text: text,
			Created: tx.Now(),
		})
	})
}

// wantKept compares the orders in an unwritten file.
func wantKept(w *issuingtest.World, number int, want ...order.Order) {
	w.TB.Helper()
	var kept store.File
	w.View(func(r store.Tx) (err error) { kept, err = r.Files().Find(store.OrderFiles, number); return err })
	file, err := message.DecodeFile(kept.Text)
	if err != nil || file.Sequence != number || file.Digest != kept.Digest ||
		len(file.Lines) != kept.Count {
		w.TB.Fatalf("file %d: %v, the row is %+v", number, err, kept)
	}
	var got, ids []string
	for _, line := range file.Lines {
		body, err := message.DecodeOrder(line)
		if err != nil {
			w.TB.Fatal(err)
		}
		got = append(got, body.OrderID)
	}
	for _, o := range want {
		ids = append(ids, o.PublicID())
	}
	if !slices.Equal(got, ids) {
		w.TB.Errorf("file %d has the orders %v, want %v", number, got, ids)
	}
}

// TestWithdrawn stores orders in files that cannot be written yet. Files written later contain
// neither a PIN destroyed meanwhile nor a dropped order.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	withPin := w.NewCard(func(req *cards.InitiateRequest) { req.NewPin = issuingtest.PlainPin("0001") })
	w.Must(w.Cards.ResetPin(t.Context(), issuingtest.Caller, cards.PinRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard},
		NewPin:  issuingtest.PlainPin("0002"),
	}))
	create, pin := w.OrdersOf(withPin.ID)[0], w.OrdersOf(issuingtest.VerifiedCard)[0]
	other := w.OrdersOf(w.NewCard(nil).ID)[0]
	keepFile(w, 7, pin, other, create)
	keepFile(w, 8, other)
	expirePins(w, 0)
	wantKept(w, 7, pin, other, create)

	w.Clock.Advance(orders.PinLife + time.Millisecond)
	expirePins(w, 2)
	wantKept(w, 7, other)
	wantKept(w, 8, other)

	w.Clock.Advance(72 * time.Hour)
	err := w.Orders.SettleOrder(t.Context(), orders.ClaimedOrder{Order: other}, processor.Answer{},
		errors.New("the disk is full"))
	if err != nil {
		t.Fatal(err)
	}
	wantOrder(w, other, order.Failed, "the disk is full")
	wantKept(w, 7)
	wantKept(w, 8)
}
