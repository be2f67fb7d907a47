package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
)

var digestTests = []test{
	{"States", digestStates},
	{"Generations", digestGenerations},
	{"Rotation", digestRotation},
	{"RetiredKey", digestOfRetiredKey},
	{"Race", digestRace},
}

// digested returns a card number with one digest, for a database whose digest key was never
// rotated.
func digested(first []byte) digests.Number { return digests.Number{First: first} }

// nextDigestKey is the key to which the tests rotate.
var nextDigestKey = digests.Key{ID: 1<<31 - 1, Wrapped: []byte{0, 1, 255}}

// digestOf computes digests in place of the vault: a digest is the key ID followed by the number.
func digestOf(state digests.State, number string) digests.Number {
	n, _ := state.Digest(func(k digests.Key) ([]byte, error) {
		return fmt.Appendf(nil, "%d/%s", k.ID, number), nil
	})
	return n
}

func findDigests(t *testing.T, s store.Store) digests.State {
	t.Helper()
	return find(t, s, func(r store.Tx) (digests.State,
		error) {
		return r.CardNumbers().FindDigestState()
	})
}

// changeDigests stores the next State, and returns it as it is stored.
func changeDigests(
	t *testing.T, s store.Store, change func(digests.State) (digests.State, error),
) digests.State {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		state, err := tx.CardNumbers().FindDigestState()
		if err != nil {
			return err
		}
		if state, err = change(state); err != nil {
			return err
		}
		return tx.CardNumbers().PutDigestState(state)
	})
	return findDigests(t, s)
}

func rotateDigests(s digests.State) (digests.State, error) { return s.Rotate(nextDigestKey, created) }
func retireDigests(s digests.State) (digests.State, error) {
	return s.Retire(created.Add(digests.Settling))
}

func settleDigests(s digests.State) (digests.State, error) { return s.Settle(created) }

func digestStates(t *testing.T, s store.Store) {
	wantSame(t, findDigests(t, s), digests.State{Phase: digests.OneKey})
	want := digests.State{
		Phase: digests.TwoKeys, Next: nextDigestKey, Changed: created, Generation: 1,
	}
	wantSame(t, changeDigests(t, s, rotateDigests), want)
	for _, generation := range []int{0, 2} {
		stale := want
		stale.Generation = generation
		err := s.Update(context.Background(), func(tx store.Tx) error {
			return tx.CardNumbers().PutDigestState(stale)
		})
		if !errors.Is(err, store.ErrLostUpdate) && !errors.Is(err, store.ErrExists) {
			t.Errorf("state of generation %d: got error %v", generation, err)
		}
	}
	want = digests.State{
		Phase: digests.Moving, Key: nextDigestKey, Changed: created.Add(digests.Settling),
		Generation: 2,
	}
	wantSame(t, changeDigests(t, s, retireDigests), want)
	want.Phase, want.Changed, want.Generation = digests.OneKey, created, 3
	wantSame(t, changeDigests(t, s, settleDigests), want)
	for name, spoil := range map[string]func(*digests.State){
		"phase":                 func(s *digests.State) { s.Phase = "lost" },
		"key without a text":    func(s *digests.State) { s.Key.Wrapped = nil },
		"next key of one phase": func(s *digests.State) { s.Next = nextDigestKey },
	} {
		bad := want
		spoil(&bad)
		wantRefused(t, s, name,
			func(tx store.Tx) error { return tx.CardNumbers().PutDigestState(bad) })
	}
}

// putNumber stores the number of a card with the given digests.
func putNumber(s store.Store, cardID int, number digests.Number) error {
	return s.Update(context.Background(), func(tx store.Tx) error {
		return tx.CardNumbers().Put(store.SealedNumber{
			CardID: cardID, BinID: binID, Digest: number, Sealed: []byte{byte(cardID)},
		})
	})
}

// digestGenerations checks that a number can be stored only with the digests of the stored State.
func digestGenerations(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("number"))
	before := findDigests(t, s)
	state := changeDigests(t, s, rotateDigests)
	err := putNumber(s, c.ID, digestOf(before, "1"))
	wantError(t, "digests of the State before", err, store.ErrLostUpdate)
	if err := putNumber(s, c.ID, digestOf(state, "1")); err != nil {
		t.Fatal(err)
	}
	sealed := find(t, s, func(r store.Tx) (store.SealedNumber, error) {
		return r.CardNumbers().Find(programID, c.ID)
	})
	want := digestOf(state, "1")
	want.Generation = 0
	wantSame(t, sealed.Digest, want)
}

// wantNumber expects all five lookups to find a number by its digests in a State.
func wantNumber(t *testing.T, s store.Store, state digests.State, number string, cardID int) {
	t.Helper()
	of := digestOf(state, number)
	view(t, s, func(r store.Tx) error {
		has, err := r.CardNumbers().Has(of)
		if err != nil || has != (cardID != 0) {
			t.Errorf("%s, number %s: got taken %t, error %v", state.Phase, number, has, err)
		}
		taken, err := r.Issuance().FindTaken([]store.UniqueValues{{PAN: of}})
		if err != nil || taken[0].PAN != (cardID != 0) {
			t.Errorf("%s, number %s: got taken %v, error %v", state.Phase, number, taken, err)
		}
		c, err := r.CardNumbers().FindCard(of)
		if errors.Is(err, store.ErrNotFound) && cardID == 0 {
			err = nil
		}
		if err != nil || c != cardID {
			t.Errorf("%s, number %s: got card %d, error %v, want %d", state.Phase, number, c, err,
				cardID)
		}
		listed, err := r.CardNumbers().FindCards(programID, []digests.Number{of, of})
		if err != nil || len(listed) != min(cardID, 1) || cardID != 0 && listed[0].ID != cardID {
			t.Errorf("%s, number %s: got cards %v, error %v, want %d",
				state.Phase, number, listed, err, cardID)
		}
		shown, err := r.Authorizations().FindView(store.CardRef{Digest: of}, "withdraw")
		if err != nil || shown.Card.ID != cardID {
			t.Errorf("%s, number %s: got the view of card %d, error %v, want %d",
				state.Phase, number, shown.Card.ID, err, cardID)
		}
		return nil
	})
}

// rotatedNumbers are card numbers whose digest key is rotated. A place is an index of cards.
type rotatedNumbers struct {
	*testing.T
	store.Store
	cards []int
	state digests.State
}

// put stores the number of a card.
func (r *rotatedNumbers) put(place int) {
	r.Helper()
	err := putNumber(r.Store, r.cards[place], digestOf(r.state, fmt.Sprint(place)))
	if err != nil {
		r.Fatal(err)
	}
}

// check expects the first numbers to be found, and to be rejected for another card.
func (r *rotatedNumbers) check(numbers int) {
	r.Helper()
	for place := range numbers {
		number := fmt.Sprint(place)
		wantNumber(r.T, r.Store, r.state, number, r.cards[place])
		err := putNumber(r.Store, r.cards[4], digestOf(r.state, number))
		wantError(r.T, "a number that is taken", err, store.ErrExists)
	}
	wantNumber(r.T, r.Store, r.state, "404", 0)
}

// count checks how many numbers there are, and how many have two digests.
func (r *rotatedNumbers) count(numbers, seconds int64) {
	r.Helper()
	view(r.T, r.Store, func(tx store.Tx) error {
		all, with, err := tx.CardNumbers().CountDigests()
		if all != numbers || with != seconds {
			r.Errorf("%s: got %d numbers, %d with two digests, want %d, %d", r.state.Phase, all,
				with, numbers, seconds)
		}
		return err
	})
}

// wantLeft checks which numbers lack their second digest.
func (r *rotatedNumbers) wantLeft(after int, want ...digests.Sealed) {
	r.Helper()
	wantSame(r.T, find(r.T, r.Store, func(tx store.Tx) ([]digests.Sealed, error) {
		return tx.CardNumbers().ListUndigested(after, 9)
	}), want)
}

// digestRotation takes numbers through a whole rotation: at any time each number is found, and
// rejected when it is stored a second time.
func digestRotation(t *testing.T, s store.Store) {
	background(t, s)
	r := &rotatedNumbers{T: t, Store: s, state: findDigests(t, s)}
	for _, name := range []string{"old", "new", "later", "last", "twice"} {
		r.cards = append(r.cards, kept(t, s, plain(name)).ID)
	}
	r.put(0)
	r.check(1)
	r.state = changeDigests(t, s, rotateDigests)
	r.put(1)
	r.check(2)
	r.count(2, 1)
	old := r.cards[0]
	r.wantLeft(0, digests.Sealed{CardID: old, Sealed: []byte{byte(old)}})
	r.wantLeft(old)
	second := func(tx store.Tx) error {
		return tx.CardNumbers().PutSecondDigest(old, digestOf(r.state, "0").Second)
	}
	update(t, s, second)
	wantUpdate(t, s, "a second digest that is there", store.ErrLostUpdate, second)
	r.check(2)
	r.count(2, 2)
	stale := r.state
	r.state = changeDigests(t, s, retireDigests)
	r.put(2)
	r.check(3)
	wantNumber(t, s, stale, "0", old)
	for _, want := range []int{2, 1, 0} {
		var moved int
		update(t, s, func(tx store.Tx) (err error) {
			moved, err = tx.CardNumbers().ChangeFirstDigests(2)
			return err
		})
		wantSame(t, moved, want)
		r.check(3)
	}
	r.count(3, 0)
	r.state = changeDigests(t, s, settleDigests)
	r.put(3)
	r.check(4)
	for place, cardID := range r.cards[:4] {
		sealed := find(t, s, func(tx store.Tx) (store.SealedNumber, error) {
			return tx.CardNumbers().Find(programID, cardID)
		})
		want := digestOf(r.state, fmt.Sprint(place))
		want.Generation = 0
		wantSame(t, sealed.Digest, want)
	}
}

// digestOfRetiredKey checks that a program of a version with a single digest cannot store numbers
// after the key of the keyset is retired.
func digestOfRetiredKey(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("number"))
	changeDigests(t, s, rotateDigests)
	changeDigests(t, s, retireDigests)
	state := changeDigests(t, s, settleDigests)
	stale := digestOf(digests.State{Phase: digests.OneKey}, "1")
	wantError(t, "digests of the first State", putNumber(s, c.ID, stale), store.ErrLostUpdate)
	if err := putNumber(s, c.ID, digestOf(state, "1")); err != nil {
		t.Fatal(err)
	}
}

// digestRace has several callers store the same numbers while the key is rotated twice. Each number
// must be stored once.
func digestRace(t *testing.T, s store.Store) {
	const numbers, callers = 12, 3
	background(t, s)
	cards := make([]int, numbers*callers)
	for i := range cards {
		cards[i] = kept(t, s, plain(fmt.Sprint("card ", i))).ID
	}
	var racing sync.WaitGroup
	wins := make([]int, callers)
	keeps := make([]map[string]int, callers)
	for caller := range callers {
		keeps[caller] = make(map[string]int)
		racing.Go(func() {
			for i := range numbers {
				number := fmt.Sprint(i)
				err := keepRacing(s, cards[caller*numbers+i], number)
				switch {
				case err == nil:
					wins[caller]++
					keeps[caller][number] = cards[caller*numbers+i]
				case !errors.Is(err, store.ErrExists):
					t.Errorf("number %s: %v", number, err)
				}
			}
		})
	}
	racing.Go(func() {
		for id := range 2 {
			if err := rotateWhole(s, digests.Key{ID: id + 1, Wrapped: []byte{1}}); err != nil {
				t.Error(err)
			}
		}
	})
	racing.Wait()
	if total := wins[0] + wins[1] + wins[2]; total != numbers {
		t.Errorf("got %d stored numbers, want %d", total, numbers)
	}
	state := findDigests(t, s)
	for _, kept := range keeps {
		for number, cardID := range kept {
			wantNumber(t, s, state, number, cardID)
		}
	}
}

// keepRacing stores a number, and retries while the State changes in between.
func keepRacing(s store.Store, cardID int, number string) error {
	for {
		var state digests.State
		err := s.View(context.Background(), func(r store.Tx) error {
			var err error
			state, err = r.CardNumbers().FindDigestState()
			return err
		})
		if err == nil {
			err = s.Update(context.Background(), func(tx store.Tx) error {
				return tx.CardNumbers().Put(store.SealedNumber{
					CardID: cardID, BinID: binID, Digest: digestOf(state, number),
					Sealed: []byte(number),
				})
			})
		}
		if !errors.Is(err, store.ErrLostUpdate) {
			return err
		}
	}
}

// rotateWhole takes all numbers through a rotation, a few at a time.
func rotateWhole(s store.Store, next digests.Key) error {
	const few = 3
	ctx := context.Background()
	change := func(step func(store.Tx, digests.State) (bool, digests.State, error)) error {
		for done := false; !done; {
			err := s.Update(ctx, func(tx store.Tx) error {
				state, err := tx.CardNumbers().FindDigestState()
				if err != nil {
					return err
				}
				var after digests.State
				done, after, err = step(tx, state)
				if err != nil || !done {
					return err
				}
				return tx.CardNumbers().PutDigestState(after)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	return errors.Join(
		change(func(_ store.Tx, state digests.State) (bool, digests.State, error) {
			after, err := state.Rotate(next, created)
			return true, after, err
		}),
		change(func(tx store.Tx, state digests.State) (bool, digests.State, error) {
			sealed, err := tx.CardNumbers().ListUndigested(0, few)
			for _, row := range sealed {
				second := digestOf(state, string(row.Sealed)).Second
				err = errors.Join(err, tx.CardNumbers().PutSecondDigest(row.CardID, second))
			}
			if err != nil || len(sealed) > 0 {
				return false, state, err
			}
			after, err := retireDigests(state)
			return true, after, err
		}),
		change(func(tx store.Tx, state digests.State) (bool, digests.State, error) {
			moved, err := tx.CardNumbers().ChangeFirstDigests(few)
			if err != nil || moved == few {
				return false, state, err
			}
			after, err := state.Settle(created)
			return true, after, err
		}))
}
