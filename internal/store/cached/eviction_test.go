package cached_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/sqlite"
)

// cachedReads lists the reads of TestEviction: the views, lists and programs that the read cache
// may hold.
var cachedReads = map[string]func(store.Tx) error{
	"card":        viewBy(customerID, cardID),
	"second card": viewBy(customerID, secondCard),
	"other card":  viewBy(otherCustomer, otherCard),
	"list":        listBy(customerID),
	"other list":  listBy(otherCustomer),
	"program":     programBy(programID, customerID),
}

func viewBy(asking, id int) func(store.Tx) error {
	return func(tx store.Tx) error {
		_, err := tx.Cards().FindView(programID, asking, store.CardKey{ID: id})
		return err
	}
}

func listBy(asking int) func(store.Tx) error {
	return func(tx store.Tx) error {
		_, err := tx.Cards().ListByCustomer(programID, asking, store.NoLimit)
		return err
	}
}

func programBy(id, asking int) func(store.Tx) error {
	return func(tx store.Tx) error {
		_, err := tx.Issuance().FindView(store.IssuanceQuery{ProgramID: id, CreatorID: asking})
		return err
	}
}

// TestEviction counts the reads that reach the store inside after a write: only those that show
// what was written. They reach it once, whether the Update commits, is refused or panics.
func TestEviction(t *testing.T) {
	t.Parallel()
	writes := map[string]struct {
		write   func(store.Tx) error
		evicted []string
		back    string // put back as written when the Update commits
	}{
		"card": {func(tx store.Tx) error { return setYear(tx, cardID, 1) },
			[]string{"card", "list"}, "card"},
		"account": {func(tx store.Tx) error { return putAccount(tx, accountID, 1) },
			[]string{"card", "second card", "list"}, ""},
		"unused account": {func(tx store.Tx) error { return putAccount(tx, 99, 1) }, nil, ""},
		"program": {func(tx store.Tx) error { return putProgram(tx, programID, 1) },
			[]string{"program"}, ""},
		"other program": {func(tx store.Tx) error { return putProgram(tx, otherProgram, 1) },
			nil, ""},
		"other customer": {func(tx store.Tx) error { return putCustomer(tx, otherCustomer, 1) },
			[]string{"other card", "other list"}, ""},
		"new card": {func(tx store.Tx) error { return writeNewCard(tx, 1) }, []string{"list"}, ""},
	}
	for name, test := range writes {
		for _, end := range []string{"kept", "refused", "panics"} {
			s, within := openStocked(t)
			for _, ask := range cachedReads {
				mustRead(t, s, ask)
			}
			endUpdate(t, s, end, test.write)
			for what, ask := range cachedReads {
				want := int64(0)
				for _, evicted := range test.evicted {
					if evicted == what && (end != "kept" || what != test.back) {
						want = 1
					}
				}
				got := within.reached(func() {
					mustRead(t, s, ask)
					mustRead(t, s, ask)
				})
				if got != want {
					t.Errorf("%s, %s: %s is read %d times, want %d", name, end, what, got, want)
				}
			}
		}
	}
}

func endUpdate(t *testing.T, s store.Store, end string, write func(store.Tx) error) {
	t.Helper()
	defer func() {
		if cause := recover(); (cause != nil) != (end == "panics") {
			t.Errorf("%s: got the panic %v", end, cause)
		}
	}()
	err := s.Update(ctx, func(tx store.Tx) error {
		err := write(tx)
		switch {
		case err != nil:
			return err
		case end == "panics":
			panic(errRefused)
		case end == "refused":
			return errRefused
		}
		return nil
	})
	if (end == "kept") != (err == nil) {
		t.Errorf("%s: got the error %v", end, err)
	}
}

// TestClosureRunsTwice runs a closure twice; the first run writes what the second does not.
func TestClosureRunsTwice(t *testing.T) {
	t.Parallel()
	s, within := openStocked(t)
	mustRead(t, s, cachedReads["card"])
	within.update = func(fn func(store.Tx) error) error {
		err := within.Store.Update(ctx, func(tx store.Tx) error {
			return errors.Join(fn(tx), errRefused)
		})
		if !errors.Is(err, errRefused) {
			return err
		}
		return within.Store.Update(ctx, fn)
	}
	runs := 0
	mustUpdate(t, s, func(tx store.Tx) error {
		runs++
		if runs == 1 {
			return writeAll(tx, 7)
		}
		return setYear(tx, secondCard, 8)
	})
	if runs != 2 {
		t.Fatalf("the closure ran %d times", runs)
	}
	finds := within.reached(func() {
		for range 2 {
			if number := yearOf(viewOf(t, s, store.CardKey{ID: cardID})); number != 0 {
				t.Errorf("got %d of a run that was not kept", number)
			}
		}
	})
	if finds != 1 {
		t.Errorf("the card is read %d times, want once", finds)
	}
	if number := yearOf(viewOf(t, s, store.CardKey{ID: secondCard})); number != 8 {
		t.Errorf("got %d, want that of the second run", number)
	}
}

// TestFailedGroup lets two Updates share a commit that fails. What the second read of the first was
// never committed.
func TestFailedGroup(t *testing.T) {
	t.Parallel()
	s, within := openStocked(t)
	joined := make(chan struct{})
	outcome := make(chan error)
	var first func(store.Tx) error
	within.update = func(fn func(store.Tx) error) error {
		if first == nil {
			first = fn
			close(joined)
			return <-outcome
		}
		err := within.Store.Update(ctx, func(tx store.Tx) error {
			return errors.Join(first(tx), fn(tx), errRefused)
		})
		outcome <- err
		return err
	}
	ended := make(chan error)
	go func() {
		ended <- s.Update(ctx, func(tx store.Tx) error {
			c := newCard(77)
			return errors.Join(tx.Cards().Put(&c), writeAll(tx, 5))
		})
	}()
	<-joined
	err := s.Update(ctx, func(tx store.Tx) error {
		number, err := readAll(tx)
		if number != 5 {
			t.Errorf("got %d in the group, want what is written in it", number)
		}
		return errors.Join(err, viewBy(customerID, 77)(tx), listBy(customerID)(tx))
	})
	if first := <-ended; !errors.Is(err, errRefused) || !errors.Is(first, errRefused) {
		t.Errorf("got the errors %v and %v", first, err)
	}
	if view := viewOf(t, s, store.CardKey{ID: 77}); view.Card.ID != 0 {
		t.Error("a card is served that was never kept")
	}
	for _, of := range subjects[:6] {
		if number := readNumber(t, s, of); number != 0 {
			t.Errorf("%s: got %d of a commit that failed", of.name, number)
		}
	}
}

// TestPutBack changes a card, with times more precise than the stored ones. The read cache must
// answer like the database, and the changed card must have another version.
func TestPutBack(t *testing.T) {
	t.Parallel()
	s, within := openStocked(t)
	before := viewOf(t, s, store.CardKey{ID: cardID})
	if again := viewOf(t, s, store.CardKey{ID: cardID}); again.Version != before.Version ||
		before.Version == 0 {
		t.Errorf("got the versions %d and %d of the same card", before.Version, again.Version)
	}
	odd := time.Date(2026, 3, 4, 5, 6, 7, 123_456_789, time.FixedZone("", 5400))
	mustUpdate(t, s, func(tx store.Tx) error {
		return changeCard(tx, cardID, func(c *card.Card) {
			c.Status, c.Tag = card.Archived, "tag"
			for i := range reflect.TypeFor[card.Card]().NumField() {
				field := reflect.ValueOf(c).Elem().Field(i).Addr()
				if at, ok := field.Interface().(*time.Time); ok {
					odd = odd.Add(time.Hour)
					*at = odd
				}
			}
		})
	})
	var after store.CardView
	finds := within.reached(func() { after = viewOf(t, s, store.CardKey{Tag: "tag"}) })
	if finds > 0 {
		t.Error("the card is not in the memory")
	}
	if after.Version == before.Version {
		t.Error("the changed card has the version of before")
	}
	stored := viewOf(t, within.Store, store.CardKey{ID: cardID})
	diff := cmp.Diff(stored, after, cmpopts.IgnoreFields(store.CardView{}, "Version"),
		cmpopts.EquateComparable(value.Amount{}))
	if diff != "" {
		t.Errorf("stored and remembered differ (-stored +remembered):\n%s", diff)
	}
}

// TestTagMoves moves a tag from card to card.
func TestTagMoves(t *testing.T) {
	t.Parallel()
	s, _ := openStocked(t)
	tag := func(id int, tag string) {
		mustUpdate(t, s, func(tx store.Tx) error {
			return changeCard(tx, id, func(c *card.Card) { c.Tag = tag })
		})
	}
	for i, id := range []int{cardID, secondCard, otherCard, cardID} {
		viewOf(t, s, store.CardKey{ID: id})
		tag(id, "moving")
		for range 2 {
			if view := viewOf(t, s, store.CardKey{Tag: "moving"}); view.Card.ID != id {
				t.Errorf("move %d: the tag leads to card %d, want %d", i, view.Card.ID, id)
			}
		}
		tag(id, "")
		if view := viewOf(t, s, store.CardKey{Tag: "moving"}); view.Card.ID != 0 {
			t.Errorf("the tag leads to card %d, which has none", view.Card.ID)
		}
	}
}

// TestExternalCommits writes through another engine on the same file. An Update must see the change
// immediately, a Read within a second.
func TestExternalCommits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	s, _, err := cached.Open(ctx, path, sqlite.Options{})
	opened(t, s, err)
	mustUpdate(t, s, putStock)
	engine, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	external := sqlstore.New(engine)
	defer external.Close()
	for _, of := range subjects[:6] {
		for number := 1; number < 5; number++ {
			readNumber(t, s, of)
			mustUpdate(t, external, func(tx store.Tx) error { return of.write(tx, number) })
			if number%2 == 0 {
				mustUpdate(t, s, func(tx store.Tx) error {
					got, err := of.read(tx)
					if got != number {
						t.Errorf("%s: an Update got %d after a external %d", of.name, got, number)
					}
					return err
				})
			}
			until := time.Now().Add(time.Second)
			for got := int64(-1); got != int64(number); got = readNumber(t, s, of) {
				if time.Now().After(until) {
					t.Errorf("%s: a Read got %d after a external %d", of.name, got, number)
					break
				}
				time.Sleep(time.Millisecond) //nolint:forbidigo // The second is what is promised.
			}
		}
	}
}
