package issuing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
)

// face answers requests with an idempotency key as a face does. No two of its answers are the
// same.
type face struct{ answers atomic.Int64 }

func (f *face) encode(_ any, err error) issuing.Encoded {
	status := 200
	if err != nil {
		status = 500
	}
	for _, known := range fault.All(err) {
		status = known.HTTP()
	}
	body := fmt.Appendf(nil, "answer %d: %v", f.answers.Add(1), err)
	return issuing.Encoded{Status: status, Body: body}
}

// keyed is a request with an idempotency key.
type keyed struct {
	key, body string
	encode    issuing.Encode
}

func (f *face) request(body string) keyed { return keyed{"key 1", body, f.encode} }

// reply is what a request is answered.
type reply struct {
	issuing.Encoded
	replayed bool
}

// performing is what a request asks for.
type performing func(issuing.Caller) (cards.CardDetail, error)

// serve performs a request unless it was answered before.
func (w *world) serve(
	ctx context.Context, who issuing.Caller, asked keyed, perform performing,
) (reply, error) {
	request, earlier, err := w.Begin(ctx, who, asked.key, []byte(asked.body), asked.encode)
	if err != nil {
		return reply{}, err
	}
	if earlier != nil {
		return reply{*earlier, true}, nil
	}
	defer request.End()
	who.Idempotency = request
	detail, refusal := perform(who)
	answer := asked.encode(detail, refusal)
	earlier, err = request.Finish(ctx, answer, refusal)
	if earlier != nil {
		return reply{*earlier, true}, err
	}
	return reply{answer, false}, err
}

// locking returns a request that locks a demo card for good.
func (w *world) locking(cardID int) performing {
	return func(who issuing.Caller) (cards.CardDetail, error) {
		ref := issuing.CardRef{CustomerID: 1001, CardID: cardID}
		return w.Cards.Hotlist(context.Background(), who, lockRequest(ref, "LST"))
	}
}

// notAgain fails a test in which a request is performed that was performed before.
func notAgain(t *testing.T) performing {
	return func(issuing.Caller) (cards.CardDetail, error) {
		t.Error("the request was performed again")
		return cards.CardDetail{}, nil
	}
}

func TestRepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	first, err := w.serve(t.Context(), caller, f.request("body"), w.locking(verifiedCard))
	if err != nil || first.Status != 200 || first.replayed {
		t.Fatalf("the first answer is %+v (%v)", first, err)
	}
	w.clock.Advance(issuing.IdempotencyLife - time.Millisecond)
	again, err := w.serve(t.Context(), caller, f.request("body"), notAgain(t))
	if err != nil || !again.replayed || again.Status != 200 ||
		!bytes.Equal(again.Body, kept(w, f)) {
		t.Errorf("the second answer is %+v (%v)", again, err)
	}
	if rows := w.trail(verifiedCard); len(rows) != 1 {
		t.Errorf("the trail has %d rows, want 1", len(rows))
	}

	_, err = w.serve(t.Context(), caller, f.request("another body"), notAgain(t))
	wantCodes(t, err, 59956)

	// The key counts for one API key and one route.
	for _, who := range []issuing.Caller{
		{Actor: audit.Actor{Name: "example2"}, ProgramID: 1, Route: caller.Route},
		{Actor: caller.Actor, ProgramID: 1, Route: "/card/other"},
	} {
		answer, err := w.serve(t.Context(), who, f.request("another body"),
			w.locking(verifiedCard))
		if err != nil || answer.replayed || answer.Status != 200 {
			t.Errorf("key %s on %s: %+v (%v)", who.Name, who.Route, answer, err)
		}
	}
}

// kept returns the answer that is in the store.
func kept(w *world, f *face) []byte {
	var replay store.IdempotencyRecord
	w.view(func(r store.Tx) (err error) {
		replay, err = r.CallerAnswers().Find(store.IdempotencyScope{
			APIKey: caller.Name, Route: caller.Route, Key: f.request("").key,
		})
		return err
	})
	return replay.Answer
}

func TestAnswersAreForgotten(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	perform := w.locking(verifiedCard)
	if _, err := w.serve(t.Context(), caller, f.request("body"), perform); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after    time.Duration
		replayed bool
	}{{issuing.IdempotencyLife, true}, {time.Millisecond, false}} {
		w.clock.Advance(step.after)
		if err := w.ForgetAnswers(t.Context()); err != nil {
			t.Fatal(err)
		}
		answer, err := w.serve(t.Context(), caller, f.request("body"), perform)
		if err != nil || answer.replayed != step.replayed {
			t.Errorf("%s later: replayed is %v (%v)", step.after, answer.replayed, err)
		}
	}
}

// TestFailuresAreKept holds which failures are given again: those that a later try would not mend.
func TestFailuresAreKept(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	failures := map[string]error{"no fault at all": errDisk}
	for _, e := range fault.Entries() {
		failures[fmt.Sprint("kind ", e.Kind)] = fault.New(e.Kind)
	}
	for key, failure := range failures {
		f := &face{}
		asked := keyed{key, "body", f.encode}
		calls := 0
		perform := func(issuing.Caller) (cards.CardDetail, error) {
			calls++
			return cards.CardDetail{}, failure
		}
		first, err := w.serve(t.Context(), caller, asked, perform)
		if err != nil || first.replayed {
			t.Fatalf("%v: the first answer is %+v (%v)", failure, first, err)
		}
		again, err := w.serve(t.Context(), caller, asked, perform)
		if err != nil || again.Status != first.Status {
			t.Fatalf("%v: the second answer is %+v (%v)", failure, again, err)
		}
		if kept := !fault.Transient(failure); again.replayed != kept || kept != (calls == 1) ||
			kept != bytes.Equal(first.Body, again.Body) {
			t.Errorf("%v: performed %d times, replayed %v", failure, calls, again.replayed)
		}
	}
}

// TestRefusedAttemptCountsOnce holds that an attempt that is refused and counted is counted once.
func TestRefusedAttemptCountsOnce(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	c := w.newCard(nil)
	for range card.MaxVerifyFailures + 3 {
		answer, err := w.serve(t.Context(), caller, f.request("body"),
			func(who issuing.Caller) (cards.CardDetail, error) {
				return w.Cards.Verify(t.Context(), who, verifying(c, "9999"))
			})
		if err != nil || answer.Status != 400 {
			t.Fatalf("the answer is %+v (%v)", answer, err)
		}
	}
	if _, err := w.Cards.Verify(t.Context(), caller, verifying(c, ending)); err != nil {
		t.Errorf("the repeated request was counted again: %v", err)
	}
}

// TestRequestInFlight holds that a request that is still at work is not done a second time.
func TestRequestInFlight(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	asked := f.request("body")
	encoding, goOn := make(chan bool, 2), make(chan bool)
	asked.encode = func(result any, err error) issuing.Encoded {
		encoding <- true
		<-goOn
		return f.encode(result, err)
	}
	finished := make(chan error)
	go func() {
		_, err := w.serve(context.Background(), caller, asked, w.locking(verifiedCard))
		finished <- err
	}()
	<-encoding
	// The transaction of the first is open: to wait for it would be to wait for ever.
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := w.serve(soon, caller, f.request("body"), notAgain(t))
	wantCodes(t, err, 59956)
	close(goOn)
	if err := <-finished; err != nil {
		t.Error(err)
	}
	again, err := w.serve(t.Context(), caller, f.request("body"), notAgain(t))
	if err != nil || !again.replayed {
		t.Errorf("afterwards the answer is %+v (%v)", again, err)
	}
}

// panicking is a store whose first Read panics.
type panicking struct {
	store.Store
	reads *int
}

func (p panicking) Read(ctx context.Context, fn func(store.Tx) error) error {
	*p.reads++
	if *p.reads == 1 {
		panic("no store")
	}
	return p.Store.Read(ctx, fn)
}

// TestPanicLeavesTheKey holds that a key can be used again after a panic, be it in the lookup of an
// earlier answer or in the act.
func TestPanicLeavesTheKey(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	w.Service = acts.New(panicking{w.store, new(int)}, w.keys, w.Settings)
	try := func(perform performing) (got reply, cause any, err error) {
		defer func() { cause = recover() }()
		got, err = w.serve(context.Background(), caller, f.request("body"), perform)
		return got, nil, err
	}
	act := func(issuing.Caller) (cards.CardDetail, error) { panic("no act") }
	for _, want := range []any{"no store", "no act"} {
		if _, cause, err := try(act); cause != want {
			t.Errorf("got the panic %v (%v), want %v", cause, err, want)
		}
	}
	got, cause, err := try(w.locking(verifiedCard))
	if err != nil || cause != nil || got.Status != 200 {
		t.Errorf("afterwards the answer is %+v (%v, %v)", got, err, cause)
	}
}

// TestRequestOnTwoNodes holds that of two nodes that are given the same request one performs it,
// and that both give the one answer.
func TestRequestOnTwoNodes(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	second := *w
	second.Service = acts.New(w.store, w.keys, w.Settings)
	var answer reply
	// The second node begins when the first is about to, and is faster.
	slow, err := w.serve(t.Context(), caller, f.request("body"),
		func(who issuing.Caller) (cards.CardDetail, error) {
			var err error
			answer, err = second.serve(t.Context(), caller, f.request("body"),
				second.locking(verifiedCard))
			if err != nil || answer.replayed {
				t.Errorf("the faster node answers %+v (%v)", answer, err)
			}
			return w.locking(verifiedCard)(who)
		})
	if err != nil || !slow.replayed || !bytes.Equal(slow.Body, kept(w, f)) {
		t.Errorf("the slower node answers %+v (%v)", slow, err)
	}
	if rows := w.trail(verifiedCard); len(rows) != 1 {
		t.Errorf("the trail has %d rows, want 1", len(rows))
	}
}

var errDisk = errors.New("the disk is full")

// noReplays is a store that cannot keep answers.
type noReplays struct{ store.Tx }

func (n noReplays) CallerAnswers() store.Answers { return fullDisk{n.Tx.CallerAnswers()} }

type fullDisk struct{ store.Answers }

func (fullDisk) Put(store.IdempotencyRecord) error { return errDisk }

// lateLoser loses its first transaction at its end, and finds no card in the next.
type lateLoser struct {
	store.Tx
	lost *bool
}

func (l lateLoser) CallerAnswers() store.Answers {
	return losingRecords{l.Tx.CallerAnswers(), l.lost}
}

func (l lateLoser) Cards() store.Cards { return lostCards{l.Tx.Cards(), l.lost} }

type losingRecords struct {
	store.Answers
	lost *bool
}

func (l losingRecords) Put(r store.IdempotencyRecord) error {
	if *l.lost {
		return l.Answers.Put(r)
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

// TestFailureOfASecondTryIsKept holds that an act whose transaction had to be run again,
// and then failed, keeps its failure.
func TestFailureOfASecondTryIsKept(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	lost := false
	w.through(func(tx store.Tx) store.Tx { return lateLoser{tx, &lost} })
	answer, err := w.serve(t.Context(), caller, f.request("body"), w.locking(verifiedCard))
	if err != nil || answer.Status != 400 {
		t.Fatalf("the answer is %+v (%v)", answer, err)
	}
	again, err := w.serve(t.Context(), caller, f.request("body"), notAgain(t))
	if err != nil || !again.replayed || !bytes.Equal(again.Body, answer.Body) {
		t.Errorf("the second answer is %+v (%v), want %s", again, err, answer.Body)
	}
}

// TestAnswerIsKeptWithTheAct holds that an act whose answer cannot be kept has not happened.
func TestAnswerIsKeptWithTheAct(t *testing.T) {
	t.Parallel()
	w, f := newSandbox(t), &face{}
	before := w.stored(verifiedCard)
	w.through(func(tx store.Tx) store.Tx { return noReplays{tx} })
	answer, err := w.serve(t.Context(), caller, f.request("body"), w.locking(verifiedCard))
	if err != nil || answer.Status != 500 {
		t.Errorf("the answer is %+v (%v)", answer, err)
	}
	if got := w.stored(verifiedCard); got.Lock != before.Lock || len(w.trail(got.ID)) != 0 {
		t.Errorf("the card is locked %v", got.Lock)
	}
	// The same is true of an attempt that would be counted although it is refused.
	wrong := verifying(w.newCard(nil), "9999")
	rows := len(w.trail(wrong.CardID))
	answer, err = w.serve(t.Context(), caller, f.request("body"),
		func(who issuing.Caller) (cards.CardDetail, error) {
			return w.Cards.Verify(t.Context(), who, wrong)
		})
	if err != nil || answer.Status != 500 || len(w.trail(wrong.CardID)) != rows {
		t.Errorf("the attempt is answered %+v (%v), and counted %d times", answer, err,
			len(w.trail(wrong.CardID))-rows)
	}
	// A failure that cannot be kept is a failure of its own.
	_, err = w.serve(t.Context(), caller, f.request("body"), w.locking(systemLocked))
	if !errors.Is(err, errDisk) {
		t.Errorf("the answer is %v, want %v", err, errDisk)
	}
}
