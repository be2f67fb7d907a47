package keys_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// changeDigestKeys advances a rotation by a step.
func changeDigestKeys(w *issuingtest.World, change func(digests.State) (digests.State, error)) error {
	return w.Store.Update(w.TB.Context(), func(tx store.Tx) error {
		state, err := tx.CardNumbers().FindDigestState()
		if err != nil {
			return err
		}
		if state, err = change(state); err != nil {
			return err
		}
		return tx.CardNumbers().PutDigestState(state)
	})
}

// rotateDigestKey creates the next digest key.
func rotateDigestKey(w *issuingtest.World) error {
	id, wrapped, err := w.Vault.MakeDigestKey()
	if err != nil {
		return err
	}
	return changeDigestKeys(w, func(s digests.State) (digests.State, error) {
		return s.Rotate(digests.Key{ID: id, Wrapped: wrapped}, issuingtest.Start)
	})
}

// retireDigestKey retires the key in use as soon as every number has a second digest. The check is
// in the same transaction, because the clock of the test stands still.
func retireDigestKey(w *issuingtest.World) error {
	for {
		left := 0
		err := w.Store.Update(w.TB.Context(), func(tx store.Tx) error {
			state, err := tx.CardNumbers().FindDigestState()
			if err != nil {
				return err
			}
			sealed, err := tx.CardNumbers().ListUndigested(0, 1)
			if left = len(sealed); err != nil || left > 0 {
				return err
			}
			if state, err = state.Retire(issuingtest.Start.Add(digests.Settling)); err != nil {
				return err
			}
			return tx.CardNumbers().PutDigestState(state)
		})
		if err != nil || left == 0 {
			return err
		}
		// Another node has not rehashed the numbers yet.
		if _, err := acts.New(w.Store, w.Vault, w.Settings).Keys.Rehash(w.TB.Context()); err != nil {
			return err
		}
	}
}

func digestState(w *issuingtest.World) (state digests.State) {
	w.TB.Helper()
	w.View(func(r store.Tx) (err error) {
		state,
			err = r.CardNumbers().FindDigestState()
		return err
	})
	return state
}

// nodeOf returns another service on the world's store, as on another node, which has read the
// current digest keys.
func nodeOf(w *issuingtest.World, number string) *acts.Service {
	w.TB.Helper()
	other := acts.New(w.Store, w.Vault, w.Settings)
	if _, err := other.Cards.FindCardsByNumber(w.TB.Context(), issuingtest.Clerk, number); err != nil {
		w.TB.Fatal(err)
	}
	return other
}

// wantFound checks that a service finds each card by its number.
func wantFound(w *issuingtest.World, by *acts.Service, numbers map[int]string) {
	w.TB.Helper()
	for id, number := range numbers {
		summaries, err := by.Cards.FindCardsByNumber(w.TB.Context(), issuingtest.Clerk, number)
		if err != nil || len(summaries) != 1 || summaries[0].ID != id {
			w.TB.Errorf("%s: card %d is found as %+v, %v", digestState(w).Phase, id, summaries, err)
		}
	}
}

// rotation is a world whose digest key is rotated.
type rotation struct {
	*issuingtest.World
	t       *testing.T
	numbers map[int]string  // by card
	nodes   []*acts.Service // each last read the digest keys in an earlier phase
	held    []string        // approved authorizations
}

// asks returns an authorization that names a card by its number.
func (r *rotation) asks(id string, cardID int) authorization.Request {
	a := issuingtest.PurchaseRequest(id, 100)
	a.CardID, a.Sealed = 0, r.Seal(`{"number":"`+r.numbers[cardID]+`"}`)
	return a
}

// advise sends an advice that approves less than the requested amount.
func (r *rotation) advise(id string, cardID int) (transfers.Advice, error) {
	request := r.asks(id, cardID)
	request.Amount = issuingtest.Cents(90)
	return r.Transfers.Advise(r.t.Context(), issuingtest.ProcessorActor, authorization.AdviceRequest{
		Request: request, Decision: "approved", By: authorization.StandIn,
	})
}

// check checks that each node finds each card, and repeats its responses to earlier authorizations.
func (r *rotation) check(phase digests.Phase) {
	r.t.Helper()
	if state := digestState(r.World); state.Phase != phase {
		r.t.Fatalf("the phase is %q, want %q", state.Phase, phase)
	}
	for i, node := range append(r.nodes, r.Service) {
		id := fmt.Sprintf("%s %d %d", phase, len(r.numbers), i)
		authorized, err := node.Transfers.Authorize(r.t.Context(), issuingtest.ProcessorActor, r.asks(id, 5001))
		if err != nil || !authorized.Approved() {
			r.t.Errorf("%s: node %d answers %+v, %v", phase, i, authorized, err)
		}
		r.held = append(r.held, id)
	}
	r.nodes = append(r.nodes, nodeOf(r.World, r.numbers[5001]))
	for _, id := range r.held {
		again, err := r.Transfers.Authorize(r.t.Context(), issuingtest.ProcessorActor, r.asks(id, 5001))
		if err != nil || !again.Approved() {
			r.t.Errorf("%s: %s again: %+v, %v", phase, id, again, err)
		}
		if _, err := r.advise(id, 5001); err != nil {
			r.t.Errorf("%s: the advice of %s: %v", phase, id, err)
		}
	}
	used := transfers.TransferError{Detail: "The authorizationId was used with another body."}
	_, err := r.Transfers.Authorize(r.t.Context(), issuingtest.ProcessorActor, r.asks(r.held[0], 5002))
	issuingtest.WantTransferError(r.t, err, used)
	_, err = r.advise(r.held[0], 5002)
	issuingtest.WantTransferError(r.t, err, used)
	c := r.NewCard(nil)
	r.numbers[c.ID] = r.Number(c.ID)
	wantFound(r.World, r.Service, r.numbers)
}

// rehash runs the job.
func (r *rotation) rehash(want bool) {
	r.t.Helper()
	done, err := r.Keys.Rehash(r.t.Context())
	if err != nil || (done > 0) != want {
		r.t.Errorf("%d digests were changed, %v", done, err)
	}
}

// TestDigestKeyRotation rotates the digest key twice. In each phase every card is found by its
// number, on a node that has seen this phase and on nodes that have seen only earlier ones. A
// repeated authorization gets the same response.
func TestDigestKeyRotation(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(10_000)
		r := &rotation{World: w, t: t, numbers: map[int]string{
			5001: w.Number(5001), 5002: w.Number(5002),
		}}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		r.check(digests.OneKey)
		r.rehash(false)
		for range 2 {
			before := digestState(r.World)
			must(rotateDigestKey(r.World))
			r.check(digests.TwoKeys)
			r.rehash(true)
			r.rehash(false)
			r.check(digests.TwoKeys)
			must(retireDigestKey(r.World))
			r.check(digests.Moving)
			r.rehash(true)
			r.check(digests.OneKey)
			r.rehash(false)
			if after := digestState(r.World); after.Key.ID == before.Key.ID || after.Next.ID != 0 {
				t.Errorf("after a rotation of %+v there is %+v", before, after)
			}
		}
		wantUnder(r.World, digestState(r.World), slices.Collect(maps.Keys(r.numbers)))
	})
}

// wantUnder checks that card digests are only under the key of a state.
func wantUnder(w *issuingtest.World, state digests.State, cards []int) {
	w.TB.Helper()
	w.View(func(r store.Tx) error {
		for _, id := range cards {
			kept, err := r.CardNumbers().Find(1, id)
			if err != nil {
				return err
			}
			number, err := w.Vault.OpenNumber(kept.Sealed, id)
			if err != nil {
				return err
			}
			want, err := w.Vault.DigestNumberUnder(state.Key.ID, state.Key.Wrapped, number)
			if err != nil {
				return err
			}
			if !slices.Equal(kept.Digest.First, want) || kept.Digest.Second != nil ||
				kept.Digest.Key != state.Key.ID {
				w.TB.Errorf("card %d has the digests %+v", id, kept.Digest)
			}
		}
		return nil
	})
}

// TestDigestKeyRace orders cards concurrently from a range of 40 numbers while the digest key is
// rotated: no number is issued twice.
func TestDigestKeyRace(t *testing.T) {
	t.Parallel()
	const size = 40
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Update(func(tx store.Tx) error {
			return tx.Programs().PutBin(program.Bin{
				ID: 5, ProgramID: 1, Vendor: "VS", IsActive: true, ValidMonths: 48,
				FirstBody: "400554000000000", LastBody: "400554000000039",
			})
		})
		rotated := make(chan error, 1)
		go func() {
			for range 3 {
				_, errFilled := func() (int, error) {
					if err := rotateDigestKey(w); err != nil {
						return 0, err
					}
					return w.Keys.Rehash(t.Context())
				}()
				if err := errors.Join(errFilled, retireDigestKey(w)); err != nil {
					rotated <- err
					return
				}
				if _, err := w.Keys.Rehash(t.Context()); err != nil {
					rotated <- err
					return
				}
			}
			rotated <- nil
		}()
		five := 5
		cards, refusals := w.Together(func(_ int, r *cards.InitiateRequest) { r.BinID = &five })
		if err := <-rotated; err != nil {
			t.Error(err)
		}
		if len(cards) != size {
			t.Errorf("%d cards were made of %d numbers", len(cards), size)
		}
		for _, err := range refusals {
			issuingtest.WantCodes(t, err, 59103)
		}
		numbers, ids := make(map[string]bool), make(map[int]string)
		for _, c := range cards {
			ids[c.ID] = w.Number(c.ID)
			numbers[ids[c.ID]] = true
		}
		if len(numbers) != len(cards) {
			t.Errorf("%d cards have %d numbers", len(cards), len(numbers))
		}
		wantFound(w, w.Service, ids)
	})
}

// errKilled ends a node of a test.
var errKilled = errors.New("killed")

// TestDigestKeyKilled kills the node in each transaction of a rotation, immediately before or after
// the commit: another node continues, and every card is found throughout.
func TestDigestKeyKilled(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	numbers := map[int]string{}
	for range 230 {
		c := w.NewCard(nil)
		numbers[c.ID] = w.Number(c.ID)
	}
	some := map[int]string{}
	for id, number := range numbers {
		if some[id] = number; len(some) == 20 {
			break
		}
	}
	kills := 0
	// run has one node after the other run the job; each is killed in a transaction.
	run := func() {
		for {
			ctx, kill := context.WithCancel(t.Context())
			updates, before := 0, kills%2 == 0
			killed := killedStore{w.Store, func(kept bool) error {
				if !kept {
					updates++
				}
				if updates == 2 && kept != before {
					kill()
					return errKilled
				}
				return nil
			}}
			node := acts.New(killed, w.Vault, w.Settings)
			_, err := node.Keys.Rehash(ctx)
			kill()
			wantFound(w, nodeOf(w, w.Number(5001)), some)
			if err == nil {
				return
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			kills++
		}
	}
	if err := rotateDigestKey(w); err != nil {
		t.Fatal(err)
	}
	run()
	if err := retireDigestKey(w); err != nil {
		t.Fatal(err)
	}
	run()
	state := digestState(w)
	if state.Phase != digests.OneKey || kills < 3 {
		t.Errorf("after %d kills: %+v", kills, state)
	}
	wantUnder(w, state, slices.Collect(maps.Keys(numbers)))
}

// killedStore calls a function in each Update, before and after the commit.
type killedStore struct {
	store.Store
	tell func(kept bool) error
}

func (k killedStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	err := k.Store.Update(ctx, func(tx store.Tx) error {
		return errors.Join(fn(tx), k.tell(false))
	})
	if err == nil {
		err = k.tell(true)
	}
	return err
}
