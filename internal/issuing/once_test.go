package issuing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/audit"
	"mintmark/internal/card"
	"mintmark/internal/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// face is what a face brings along for Once. No two of its answers are the same.
type face struct{ answers atomic.Int64 }

func (f *face) encode(_ any, err error) issuing.Answer {
	status := 200
	if err != nil {
		status = 500
	}
	for _, known := range fault.All(err) {
		status = known.HTTP()
	}
	body := fmt.Appendf(nil, "answer %d: %v", f.answers.Add(1), err)
	return issuing.Answer{HTTP: status, Body: body}
}

// retry is a request with an idempotency key.
func (f *face) retry(body string) issuing.Retry {
	return issuing.Retry{Key: "key 1", Body: []byte(body), Encode: f.encode}
}

// locking returns a request that locks a demo card for good.
func (w *world) locking(f *face, cardID int) func(issuing.Caller) issuing.Answer {
	return func(who issuing.Caller) issuing.Answer {
		ref := issuing.CardRef{CustomerID: 1001, CardID: cardID}
		detail, err := w.Hotlist(context.Background(), who, lockRequest(ref, "LST"))
		return f.encode(detail, err)
	}
}

// notAgain fails a test in which a request is performed that was performed before.
func notAgain(t *testing.T) func(issuing.Caller) issuing.Answer {
	return func(issuing.Caller) issuing.Answer {
		t.Error("the request was performed again")
		return issuing.Answer{}
	}
}

func TestOnceGivesTheFirstAnswerAgain(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	first, err := w.Once(t.Context(), caller, f.retry("body"), w.locking(f, verifiedCard))
	if err != nil || first.HTTP != 200 || first.Replayed {
		t.Fatalf("the first answer is %+v (%v)", first, err)
	}
	w.clock.Advance(issuing.ReplayLife - time.Millisecond)
	again, err := w.Once(t.Context(), caller, f.retry("body"), notAgain(t))
	if err != nil || !again.Replayed || again.HTTP != 200 || !bytes.Equal(again.Body, kept(w, f)) {
		t.Errorf("the second answer is %+v (%v)", again, err)
	}
	if rows := w.trail(verifiedCard); len(rows) != 1 {
		t.Errorf("the trail has %d rows, want 1", len(rows))
	}

	_, err = w.Once(t.Context(), caller, f.retry("another body"), notAgain(t))
	wantCodes(t, err, 59956)

	// The key counts for one API key and one route.
	for _, who := range []issuing.Caller{
		{Actor: audit.Actor{Name: "example2"}, ProgramID: 1, Route: caller.Route},
		{Actor: audit.Actor{Name: caller.Name}, ProgramID: 1, Route: "/card/other"},
	} {
		answer, err := w.Once(t.Context(), who, f.retry("another body"),
			w.locking(f, verifiedCard))
		if err != nil || answer.Replayed || answer.HTTP != 200 {
			t.Errorf("key %s on %s: %+v (%v)", who.Name, who.Route, answer, err)
		}
	}
}

// kept returns the answer that is in the store.
func kept(w *world, f *face) []byte {
	var replay store.IdempotencyRecord
	w.view(func(r store.Tx) (err error) {
		replay, err = r.Idempotency().Find(store.IdempotencyScope{
			APIKey: caller.Name, Route: caller.Route, Key: f.retry("").Key,
		})
		return err
	})
	return replay.Answer
}

func TestOnceForgets(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	perform := w.locking(f, verifiedCard)
	if _, err := w.Once(t.Context(), caller, f.retry("body"), perform); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after    time.Duration
		replayed bool
	}{{issuing.ReplayLife, true}, {time.Millisecond, false}} {
		w.clock.Advance(step.after)
		if err := w.ForgetReplays(t.Context()); err != nil {
			t.Fatal(err)
		}
		answer, err := w.Once(t.Context(), caller, f.retry("body"), perform)
		if err != nil || answer.Replayed != step.replayed {
			t.Errorf("%s later: replayed is %v (%v)", step.after, answer.Replayed, err)
		}
	}
}

// TestOnceKeepsFailures holds which failures are given again: those that a later try would not
// mend.
func TestOnceKeepsFailures(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	for status, keeps := range map[int]bool{
		400: true, 404: true, 409: true,
		401: false, 403: false, 429: false, 500: false, 503: false, 504: false,
	} {
		f := &face{}
		retry := f.retry("body")
		retry.Key = fmt.Sprint(status)
		calls := 0
		perform := func(issuing.Caller) issuing.Answer {
			calls++
			return issuing.Answer{HTTP: status, Body: fmt.Append(nil, calls)}
		}
		var last issuing.Answer
		for range 2 {
			var err error
			last, err = w.Once(t.Context(), caller, retry, perform)
			if err != nil || last.HTTP != status {
				t.Fatalf("%d: the answer is %+v (%v)", status, last, err)
			}
		}
		want := map[bool]string{true: "1", false: "2"}[keeps]
		if string(last.Body) != want || last.Replayed != keeps {
			t.Errorf("%d: the second answer is %s, replayed %v", status, last.Body, last.Replayed)
		}
	}
}

// TestOnceKeepsRefusedAttempts holds that an attempt that is refused and counted is counted once.
func TestOnceKeepsRefusedAttempts(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	c := w.newCard(nil)
	for range card.MaxVerifyFailures + 3 {
		answer, err := w.Once(t.Context(), caller, f.retry("body"),
			func(who issuing.Caller) issuing.Answer {
				detail, err := w.Verify(t.Context(), who, verifying(c, "9999"))
				return f.encode(detail, err)
			})
		if err != nil || answer.HTTP != 400 {
			t.Fatalf("the answer is %+v (%v)", answer, err)
		}
	}
	if _, err := w.Verify(t.Context(), caller, verifying(c, ending)); err != nil {
		t.Errorf("the repeated request was counted again: %v", err)
	}
}

// TestOnceInFlight holds that a request that is still at work is not done a second time.
func TestOnceInFlight(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	retry := f.retry("body")
	encoding, goOn := make(chan bool), make(chan bool)
	retry.Encode = func(result any, err error) issuing.Answer {
		encoding <- true
		<-goOn
		return f.encode(result, err)
	}
	finished := make(chan error)
	go func() {
		_, err := w.Once(context.Background(), caller, retry, w.locking(f, verifiedCard))
		finished <- err
	}()
	<-encoding
	// The transaction of the first is open: to wait for it would be to wait for ever.
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := w.Once(soon, caller, f.retry("body"), notAgain(t))
	wantCodes(t, err, 59956)
	close(goOn)
	if err := <-finished; err != nil {
		t.Error(err)
	}
	again, err := w.Once(t.Context(), caller, f.retry("body"), notAgain(t))
	if err != nil || !again.Replayed {
		t.Errorf("afterwards the answer is %+v (%v)", again, err)
	}
}

// TestOnceOnAnotherNode holds that of two nodes that are given the same request one performs it,
// and that both give the one answer.
func TestOnceOnAnotherNode(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	second := *w
	second.Service = issuing.New(w.store, w.keys, w.Settings)
	var answer issuing.Answer
	// The second node begins when the first is about to, and is faster.
	slow, err := w.Once(t.Context(), caller, f.retry("body"),
		func(who issuing.Caller) issuing.Answer {
			var err error
			answer, err = second.Once(t.Context(), caller, f.retry("body"),
				second.locking(f, verifiedCard))
			if err != nil || answer.Replayed {
				t.Errorf("the faster node answers %+v (%v)", answer, err)
			}
			return w.locking(f, verifiedCard)(who)
		})
	if err != nil || !slow.Replayed || !bytes.Equal(slow.Body, kept(w, f)) {
		t.Errorf("the slower node answers %+v (%v)", slow, err)
	}
	if rows := w.trail(verifiedCard); len(rows) != 1 {
		t.Errorf("the trail has %d rows, want 1", len(rows))
	}
}

var errDisk = errors.New("the disk is full")

// noReplays is a store that cannot keep answers.
type noReplays struct{ store.Tx }

func (n noReplays) Idempotency() store.Idempotency { return fullDisk{n.Tx.Idempotency()} }

type fullDisk struct{ store.Idempotency }

func (fullDisk) Put(store.IdempotencyRecord) error { return errDisk }

// lateLoser loses its first transaction at its end, and finds no card in the next.
type lateLoser struct {
	store.Tx
	lost *bool
}

func (l lateLoser) Idempotency() store.Idempotency {
	return losingRecords{l.Tx.Idempotency(), l.lost}
}

func (l lateLoser) Cards() store.Cards { return lostCards{l.Tx.Cards(), l.lost} }

type losingRecords struct {
	store.Idempotency
	lost *bool
}

func (l losingRecords) Put(r store.IdempotencyRecord) error {
	if *l.lost {
		return l.Idempotency.Put(r)
	}
	*l.lost = true
	return store.ErrLostUpdate
}

type lostCards struct {
	store.Cards
	lost *bool
}

func (l lostCards) FindView(
	programID, customerID int, of store.CardKey,
) (store.CardView, error) {
	found, err := l.Cards.FindView(programID, customerID, of)
	if *l.lost {
		found.Card = card.Card{}
	}
	return found, err
}

// TestOnceKeepsTheFailureOfASecondTry holds that an act whose transaction had to be run again,
// and then failed, keeps its failure.
func TestOnceKeepsTheFailureOfASecondTry(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	lost := false
	w.through(func(tx store.Tx) store.Tx { return lateLoser{tx, &lost} })
	answer, err := w.Once(t.Context(), caller, f.retry("body"), w.locking(f, verifiedCard))
	if err != nil || answer.HTTP != 400 {
		t.Fatalf("the answer is %+v (%v)", answer, err)
	}
	again, err := w.Once(t.Context(), caller, f.retry("body"), notAgain(t))
	if err != nil || !again.Replayed || !bytes.Equal(again.Body, answer.Body) {
		t.Errorf("the second answer is %+v (%v), want %s", again, err, answer.Body)
	}
}

// TestOnceIsAtomic holds that an act whose answer cannot be kept has not happened.
func TestOnceIsAtomic(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	before := w.stored(verifiedCard)
	w.through(func(tx store.Tx) store.Tx { return noReplays{tx} })
	answer, err := w.Once(t.Context(), caller, f.retry("body"), w.locking(f, verifiedCard))
	if err != nil || answer.HTTP != 500 {
		t.Errorf("the answer is %+v (%v)", answer, err)
	}
	if got := w.stored(verifiedCard); got.Lock != before.Lock || len(w.trail(got.ID)) != 0 {
		t.Errorf("the card is locked %v", got.Lock)
	}
	// A failure that cannot be kept is a failure of its own.
	_, err = w.Once(t.Context(), caller, f.retry("body"), w.locking(f, systemLocked))
	if !errors.Is(err, errDisk) {
		t.Errorf("the answer is %v, want %v", err, errDisk)
	}
}
