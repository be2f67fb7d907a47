package pangen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/pangen"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestDraw exhausts ranges of every small size, with and without an ending: each number is
// complete, lies in its range and occurs once, and after the last the range is exhausted.
func TestDraw(t *testing.T) {
	db := open(t)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 30).Draw(t, "size")
		ending := rapid.SampledFrom([]string{"", "1111"}).Draw(t, "ending")
		bin := testBin(size, ending)
		random := source(rapid.Uint64().Draw(t, "seed"))

		err := db.Update(context.Background(), func(tx store.Tx) error {
			prepare(t, tx, bin)
			useUp(t, tx, bin, random, size, ending)
			return errDone
		})
		if !errors.Is(err, errDone) {
			t.Fatal(err)
		}
	})
}

// errDone rolls back the writes of a test.
var errDone = errors.New("done")

// useUp draws and stores every number of a range.
func useUp(
	t *rapid.T, tx store.Tx, bin program.Bin, random io.Reader, size int, ending string,
) {
	seen := make(map[string]bool)
	for i := range size {
		drawn, err := pangen.PickUnused(tx.CardNumbers(), digest, random, bin, ending)
		if err != nil {
			t.Fatalf("number %d of %d: %v", i+1, size, err)
		}
		digits := drawn.Reveal()
		body := digits[:pan.BodyDigits]
		inRange := bin.FirstBody <= body && body <= bin.LastBody
		if _, err := pan.Parse(digits); err != nil || !inRange || seen[digits] {
			t.Errorf("number %d: parse %v, in range %v, seen %v", i+1, err, inRange, seen[digits])
		}
		if ending != "" && drawn.LastFour() != ending {
			t.Errorf("number %d ends in %s", i+1, drawn.LastFour())
		}
		seen[digits] = true
		keep(t, tx, bin, drawn, i+1)
	}
	_, err := pangen.PickUnused(tx.CardNumbers(), digest, random, bin, ending)
	want := fault.New(fault.NumbersUsedUp, 1)
	if !errors.Is(err, want) || err.Error() != want.Error() {
		t.Errorf("used up: %v, want %v", err, want)
	}
}

// TestDrawWalks draws with a source that returns the same position again and again, so that every
// number but the first is reached by walking.
func TestDrawWalks(t *testing.T) {
	db := open(t)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 12).Draw(t, "size")
		stuck := rapid.Byte().Draw(t, "stuck")
		err := db.Update(context.Background(), func(tx store.Tx) error {
			bin := testBin(size, "")
			prepare(t, tx, bin)
			useUp(t, tx, bin, repeated(stuck), size, "")

			// The numbers are taken under another BIN too, although none was issued under it.
			bin.ID = 2
			_, err := pangen.PickUnused(tx.CardNumbers(), digest, repeated(stuck), bin, "")
			if !errors.Is(err, fault.New(fault.NumbersUsedUp)) {
				t.Errorf("overlapping range: %v", err)
			}
			return errDone
		})
		if !errors.Is(err, errDone) {
			t.Fatal(err)
		}
	})
}

// repeated is a source that repeats one byte forever.
type repeated byte

func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r) & 0x7f // the highest draws are discarded, which would repeat forever
	}
	return len(p), nil
}

// TestLooks draws from a range of a million numbers of which 990,000 were imported consecutively,
// and from one with a single free number: the number of lookups is bounded in both.
func TestLooks(t *testing.T) {
	t.Parallel()
	const bound = 2064
	for seed := range uint64(20) {
		issued := &imported{taken: 990_000}
		drawn, err := pangen.PickUnused(issued, digest, source(seed), testBin(1_000_000, ""), "")
		if err != nil || drawn.Reveal()[:pan.BodyDigits] < "400000000990000" || issued.looks > bound {
			t.Errorf("seed %d: %v, after %d looks", seed, err, issued.looks)
		}
		issued = &imported{taken: 999_999}
		_, err = pangen.PickUnused(issued, digest, source(seed), testBin(1_000_000, ""), "")
		if !errors.Is(err, fault.New(fault.NumbersUsedUp)) || issued.looks != bound {
			t.Errorf("seed %d: %v, after %d looks", seed, err, issued.looks)
		}
	}
}

// imported are the first numbers of a range, all taken.
type imported struct {
	taken, looks int
}

func (i *imported) Has(number digests.Number) (bool, error) {
	i.looks++
	body := string(number.First[:pan.BodyDigits])
	return body < fmt.Sprint(400_000_000_000_000+i.taken), nil
}

func (i *imported) Count(int) (int64, error) { return int64(i.taken), nil }

// TestDrawRepeats checks that the same source of random numbers yields the same card numbers, which
// the sandbox promises, and another source different ones.
func TestDrawRepeats(t *testing.T) {
	db := open(t)
	bin := testBin(1_000_000, "")
	draw := func(seed uint64) (digits string) {
		err := db.View(context.Background(), func(r store.Tx) error {
			drawn, err := pangen.PickUnused(r.CardNumbers(), digest, source(seed), bin, "")
			digits = drawn.Reveal()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return digits
	}
	first := draw(7)
	if again := draw(7); again != first {
		t.Error("the same seed gave two numbers")
	}
	if draw(8) == first {
		t.Error("two seeds gave the same number")
	}
}

// TestGuess checks that a guess is the first number that would be looked up, taken or not, and lies
// in the range.
func TestGuess(t *testing.T) {
	t.Parallel()
	db := open(t)
	for seed := range uint64(50) {
		bin := testBin(1000, "")
		guess, err := pangen.Pick(source(seed), bin, "1111")
		if !errors.Is(err, fault.New(fault.NumbersUsedUp)) {
			t.Fatalf("a range without a number of the ending: %v (%v)", guess, err)
		}
		guess, err = pangen.Pick(source(seed), bin, "")
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(context.Background(), func(r store.Tx) error {
			drawn, err := pangen.PickUnused(r.CardNumbers(), digest, source(seed), bin, "")
			if drawn.Reveal() != guess.Reveal() {
				t.Errorf("seed %d: guessed another number than was drawn", seed)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestDrawFails(t *testing.T) {
	db := open(t)
	broken := testBin(10, "")
	broken.LastBody = "1"
	err := db.View(context.Background(), func(r store.Tx) error {
		_, err := pangen.PickUnused(r.CardNumbers(), digest, source(1), broken, "")
		if err == nil {
			t.Error("a broken range was drawn from")
		}
		_, err = pangen.PickUnused(r.CardNumbers(), digest, bytes.NewReader(nil), testBin(10, ""),
			"")
		if err == nil {
			t.Error("an empty source of random numbers was drawn from")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *cached.Store {
	t.Helper()
	db, _, err := cached.OpenMemory(context.Background(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := db.Close()
		if err != nil {
			t.Error(err)
		}
	})
	return db
}

// testBin returns a BIN with size numbers. With an ending, only one in ten thousand bodies fits.
func testBin(size int, ending string) program.Bin {
	bodies := size
	if ending != "" {
		bodies = size * 10_000
	}
	return program.Bin{
		ID: 1, ProgramID: 1, Vendor: "VS", IsActive: true, ValidMonths: 48,
		FirstBody: "400000000000000", LastBody: fmt.Sprint(400_000_000_000_000 + bodies - 1),
	}
}

// prepare stores the prerequisites of cards.
func prepare(t *rapid.T, tx store.Tx, bin program.Bin) {
	for _, err := range []error{
		tx.Banks().Put(store.Bank{ID: 1, Name: "Bank"}),
		tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: 1, BankID: 1}}),
		tx.Programs().PutBin(bin),
		tx.Customers().Put(customer.Customer{
			Standing: customer.Standing{
				ID: 1, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
			},
		}),
		tx.Accounts().Put(customer.Account{
			ID: 1, ProgramID: 1, CustomerID: 1, Type: customer.Checking, Status: customer.Open,
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// keep stores a card with a number.
func keep(t *rapid.T, tx store.Tx, bin program.Bin, drawn pan.Number, i int) {
	c := card.Initiate(card.Issuance{
		Application: card.Application{
			TypeCode: "DBT", VendorTypeCode: "VS", NickName: fmt.Sprint("Card ", i),
			PrimaryAccountID: 1,
		},
		ProgramID: 1, CustomerID: 1, HolderID: 1, BinID: bin.ID, ValidMonths: 48,
		Category: customer.Checking,
	}, time.Date(2026, time.January, 15, 0, 0, 0, 0, time.UTC))
	c.LastFour = drawn.LastFour()
	err := tx.Cards().Put(&c)
	if err != nil {
		t.Fatal(err)
	}
	err = tx.CardNumbers().Put(store.SealedNumber{
		CardID: c.ID, BinID: bin.ID, Digest: digests.Number{First: digestOf(drawn)},
		Sealed: []byte("sealed"), LastFour: c.LastFour,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// digest replaces the vault's digest: any function that distinguishes numbers will do.
func digest(n pan.Number) (digests.Number, error) {
	return digests.Number{First: digestOf(n)}, nil
}

func digestOf(n pan.Number) []byte {
	return []byte(fmt.Sprintf("%-32s", n.Reveal()))
}

func source(seed uint64) *rand.ChaCha8 {
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], seed)
	return rand.NewChaCha8(key)
}
