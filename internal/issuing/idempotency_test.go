package issuing_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// notAgain fails the test if a request is performed again.
func notAgain(t *testing.T) issuingtest.Performing {
	return func(issuing.Caller) (cards.CardDetail, error) {
		t.Error("the request was performed again")
		return cards.CardDetail{}, nil
	}
}

func TestRepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	first, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), w.Locking(issuingtest.VerifiedCard))
	if err != nil || first.Status != 200 || first.Replayed {
		t.Fatalf("the first answer is %+v (%v)", first, err)
	}
	w.Clock.Advance(issuing.IdempotencyLife - time.Millisecond)
	again, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), notAgain(t))
	if err != nil || !again.Replayed || again.Status != 200 ||
		!bytes.Equal(again.Body, issuingtest.StoredAnswer(w, f).Answer) {
		t.Errorf("the second answer is %+v (%v)", again, err)
	}
	if plain := sha256.Sum256([]byte("body")); bytes.Contains(
		issuingtest.StoredAnswer(w, f).BodyDigest, plain[:]) {
		t.Error("the stored digest of a request is not keyed")
	}
	if rows := w.Trail(issuingtest.VerifiedCard); len(rows) != 1 {
		t.Errorf("the trail has %d rows, want 1", len(rows))
	}

	_, err = w.Serve(t.Context(), issuingtest.Caller, f.Request("another body"), notAgain(t))
	issuingtest.WantCodes(t, err, 59956)

	// The key applies to one API key and one route.
	for _, who := range []issuing.Caller{
		{Actor: audit.Actor{Name: "example2"}, ProgramID: 1, Route: issuingtest.Caller.Route},
		{Actor: issuingtest.Caller.Actor, ProgramID: 1, Route: "/card/other"},
	} {
		answer, err := w.Serve(t.Context(), who, f.Request("another body"),
			w.Locking(issuingtest.VerifiedCard))
		if err != nil || answer.Replayed || answer.Status != 200 {
			t.Errorf("key %s on %s: %+v (%v)", who.Name, who.Route, answer, err)
		}
	}
}

func TestAnswersAreForgotten(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	perform := w.Locking(issuingtest.VerifiedCard)
	if _, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), perform); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after    time.Duration
		replayed bool
	}{{issuing.IdempotencyLife, true}, {time.Millisecond, false}} {
		w.Clock.Advance(step.after)
		if err := w.PurgeAnswers(t.Context()); err != nil {
			t.Fatal(err)
		}
		answer, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), perform)
		if err != nil || answer.Replayed != step.replayed {
			t.Errorf("%s later: replayed is %v (%v)", step.after, answer.Replayed, err)
		}
	}
}

// TestFailuresAreKept checks which failures are replayed: those that a later attempt would not fix.
func TestFailuresAreKept(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	failures := map[string]error{"no fault at all": issuingtest.ErrDisk}
	for _, e := range fault.Entries() {
		failures[fmt.Sprint("kind ", e.Kind)] = fault.New(e.Kind)
	}
	for key, failure := range failures {
		f := &issuingtest.Face{}
		keyed := issuingtest.Keyed{Key: key, Body: "body", Encode: f.Encode}
		calls := 0
		perform := func(issuing.Caller) (cards.CardDetail, error) {
			calls++
			return cards.CardDetail{}, failure
		}
		first, err := w.Serve(t.Context(), issuingtest.Caller, keyed, perform)
		if err != nil || first.Replayed {
			t.Fatalf("%v: the first answer is %+v (%v)", failure, first, err)
		}
		again, err := w.Serve(t.Context(), issuingtest.Caller, keyed, perform)
		if err != nil || again.Status != first.Status {
			t.Fatalf("%v: the second answer is %+v (%v)", failure, again, err)
		}
		if kept := !fault.Transient(failure); again.Replayed != kept || kept != (calls == 1) ||
			kept != bytes.Equal(first.Body, again.Body) {
			t.Errorf("%v: performed %d times, replayed %v", failure, calls, again.Replayed)
		}
	}
}

// TestRefusedAttemptCountsOnce checks that a rejected attempt that counts is counted once.
func TestRefusedAttemptCountsOnce(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	c := w.NewCard(nil)
	for range card.MaxVerifyFailures + 3 {
		answer, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"),
			func(who issuing.Caller) (cards.CardDetail, error) {
				return w.Cards.Verify(t.Context(), who, issuingtest.Verifying(c, "9999"))
			})
		if err != nil || answer.Status != 400 {
			t.Fatalf("the answer is %+v (%v)", answer, err)
		}
	}
	if _, err := w.Cards.Verify(t.Context(), issuingtest.Caller, issuingtest.Verifying(c, issuingtest.Ending)); err != nil {
		t.Errorf("the repeated request was counted again: %v", err)
	}
}

// TestRequestInFlight checks that a request still in progress is not performed a second time.
func TestRequestInFlight(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	keyed := f.Request("body")
	encoding, goOn := make(chan bool, 2), make(chan bool)
	keyed.Encode = func(result any, err error) issuing.Encoded {
		encoding <- true
		<-goOn
		return f.Encode(result, err)
	}
	finished := make(chan error)
	go func() {
		_, err := w.Serve(context.Background(), issuingtest.Caller, keyed, w.Locking(issuingtest.VerifiedCard))
		finished <- err
	}()
	<-encoding
	// The first transaction is open: waiting for it would block forever.
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := w.Serve(soon, issuingtest.Caller, f.Request("body"), notAgain(t))
	issuingtest.WantCodes(t, err, 59956)
	close(goOn)
	if err := <-finished; err != nil {
		t.Error(err)
	}
	again, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), notAgain(t))
	if err != nil || !again.Replayed {
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

// TestPanicLeavesTheKey checks that a key is usable again after a panic in the lookup of an earlier
// response or in the act.
func TestPanicLeavesTheKey(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	w.Service = acts.New(panicking{w.Store, new(int)}, w.Vault, w.Settings)
	try := func(perform issuingtest.Performing) (got issuingtest.Reply, cause any, err error) {
		defer func() { cause = recover() }()
		got, err = w.Serve(context.Background(), issuingtest.Caller, f.Request("body"), perform)
		return got, nil, err
	}
	act := func(issuing.Caller) (cards.CardDetail, error) { panic("no act") }
	for _, want := range []any{"no store", "no act"} {
		if _, cause, err := try(act); cause != want {
			t.Errorf("got the panic %v (%v), want %v", cause, err, want)
		}
	}
	got, cause, err := try(w.Locking(issuingtest.VerifiedCard))
	if err != nil || cause != nil || got.Status != 200 {
		t.Errorf("afterwards the answer is %+v (%v, %v)", got, err, cause)
	}
}

// TestRequestOnTwoNodes checks that of two nodes that receive the same request one performs it, and
// that both send the same response.
func TestRequestOnTwoNodes(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	second := *w
	second.Service = acts.New(w.Store, w.Vault, w.Settings)
	var answer issuingtest.Reply
	// The second node starts when the first is about to, and finishes first.
	slow, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"),
		func(who issuing.Caller) (cards.CardDetail, error) {
			var err error
			answer, err = second.Serve(t.Context(), issuingtest.Caller, f.Request("body"),
				second.Locking(issuingtest.VerifiedCard))
			if err != nil || answer.Replayed {
				t.Errorf("the faster node answers %+v (%v)", answer, err)
			}
			return w.Locking(issuingtest.VerifiedCard)(who)
		})
	if err != nil || !slow.Replayed || !bytes.Equal(slow.Body, issuingtest.StoredAnswer(w, f).Answer) {
		t.Errorf("the slower node answers %+v (%v)", slow, err)
	}
	if rows := w.Trail(issuingtest.VerifiedCard); len(rows) != 1 {
		t.Errorf("the trail has %d rows, want 1", len(rows))
	}
}

// noReplays is a store that cannot store responses.
type noReplays struct{ store.Tx }

func (n noReplays) CallerAnswers() store.Answers { return fullDisk{n.Tx.CallerAnswers()} }

type fullDisk struct{ store.Answers }

func (fullDisk) Put(store.IdempotencyRecord) error { return issuingtest.ErrDisk }

// lateLoser rolls back its first transaction at the end, and finds no card in the next.
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
	view, err := l.Cards.FindView(programID, customerID, of)
	if *l.lost {
		view.Card = card.Card{}
	}
	return view, err
}

// TestFailureOfASecondTryIsKept checks that the failure of an act is stored when its transaction
// was retried and then failed.
func TestFailureOfASecondTryIsKept(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	lost := false
	w.Through(func(tx store.Tx) store.Tx { return lateLoser{tx, &lost} })
	answer, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), w.Locking(issuingtest.VerifiedCard))
	if err != nil || answer.Status != 400 {
		t.Fatalf("the answer is %+v (%v)", answer, err)
	}
	again, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), notAgain(t))
	if err != nil || !again.Replayed || !bytes.Equal(again.Body, answer.Body) {
		t.Errorf("the second answer is %+v (%v), want %s", again, err, answer.Body)
	}
}

// TestAnswerIsKeptWithTheAct checks that an act is rolled back if its response cannot be stored.
func TestAnswerIsKeptWithTheAct(t *testing.T) {
	t.Parallel()
	w, f := issuingtest.NewSandbox(t), &issuingtest.Face{}
	before := w.Stored(issuingtest.VerifiedCard)
	w.Through(func(tx store.Tx) store.Tx { return noReplays{tx} })
	answer, err := w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), w.Locking(issuingtest.VerifiedCard))
	if err != nil || answer.Status != 500 {
		t.Errorf("the answer is %+v (%v)", answer, err)
	}
	if got := w.Stored(issuingtest.VerifiedCard); got.Lock != before.Lock || len(w.Trail(got.ID)) != 0 {
		t.Errorf("the card is locked %v", got.Lock)
	}
	// The same holds for an attempt that counts although it is rejected.
	wrong := issuingtest.Verifying(w.NewCard(nil), "9999")
	rows := len(w.Trail(wrong.CardID))
	answer, err = w.Serve(t.Context(), issuingtest.Caller, f.Request("body"),
		func(who issuing.Caller) (cards.CardDetail, error) {
			return w.Cards.Verify(t.Context(), who, wrong)
		})
	if err != nil || answer.Status != 500 || len(w.Trail(wrong.CardID)) != rows {
		t.Errorf("the attempt is answered %+v (%v), and counted %d times", answer, err,
			len(w.Trail(wrong.CardID))-rows)
	}
	// A failure that cannot be stored is a failure in itself.
	_, err = w.Serve(t.Context(), issuingtest.Caller, f.Request("body"), w.Locking(issuingtest.SystemLocked))
	if !errors.Is(err, issuingtest.ErrDisk) {
		t.Errorf("the answer is %v, want %v", err, issuingtest.ErrDisk)
	}
}
