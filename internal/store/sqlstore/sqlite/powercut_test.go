//go:build check

package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// The number of concurrent writers of the recorded program, and of their acts in each of its two
// lives. The first life ends in the middle, without closing the store.
const (
	recordedWriters = 4
	recordedActs    = 40
	recordedLog     = 150 // pages at which the log is written back
)

// TestPowerCut records what a store does to its files while it is written to, cuts the power at
// random moments, and opens what a disk may then hold. Every answered act must be there, no act may
// be there in part, and the database must be sound.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	cuts := 120
	if given := os.Getenv("MINTMARK_POWER_CUTS"); given != "" {
		var err error
		cuts, err = strconv.Atoi(given)
		if err != nil {
			t.Fatalf("MINTMARK_POWER_CUTS: %v", err)
		}
	}
	p := recordWriters(t, "FULL")
	for _, problem := range p.cut(t, cuts) {
		t.Error(problem)
	}
	t.Logf("%d cuts among %d acts of the recording (seed %d); %d answered writes were looked for "+
		"at a cut on average, %d in all", cuts, len(p.acts), p.seed, p.looked/cuts, p.looked)
}

// TestPowerCutIsNoticed records stores that do not wait for the disk as they should. The same cuts
// must detect a loss.
func TestPowerCutIsNoticed(t *testing.T) {
	t.Parallel()
	for _, synchronous := range []string{"NORMAL", "OFF"} {
		p := recordWriters(t, synchronous)
		problems := p.cut(t, 60)
		if len(problems) == 0 {
			t.Errorf("synchronous = %s: nothing is lost", synchronous)
			continue
		}
		t.Logf("synchronous = %s: %d of 60 cuts show a loss, such as: %v",
			synchronous, len(problems), problems[0])
	}
}

// powerCut is a recording with the counts of its cuts.
type powerCut struct {
	recording
	seed   uint64
	looked int // number of answers that were looked for, over all cuts
}

// Environment variables of the recorded program: its directory, and the synchronous setting of its
// writer.
const (
	recordedIn  = "MINTMARK_TEST_RECORDED_IN"
	recordedSet = "MINTMARK_TEST_RECORDED_SYNCHRONOUS"
)

// recordWriters records two lives of the program.
func recordWriters(t *testing.T, synchronous string) *powerCut {
	t.Helper()
	directory, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &powerCut{seed: rand.Uint64(), recording: newRecording(directory)}
	for range 2 {
		program := exec.Command(os.Args[0], "-test.run=^TestRecordedProgram$", "-test.count=1")
		program.Env = append(os.Environ(), recordedIn+"="+directory, recordedSet+"="+synchronous,
			"GODEBUG=asyncpreemptoff=1") // a signal costs a detour by the tracer
		p.record(t, program)
	}
	p.checkModel(t)
	return p
}

// checkModel checks that the model of the disk, without a cut, equals the files.
func (p *powerCut) checkModel(t *testing.T) {
	t.Helper()
	disk := newDisk()
	for number, a := range p.acts {
		disk.do(number, a)
	}
	for name, file := range disk.now {
		want, err := os.ReadFile(filepath.Join(p.directory, name))
		if err != nil {
			t.Fatal(err)
		}
		got := file.synced
		for _, a := range file.pending {
			got = a.apply(got, func() bool { return true })
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("the model of the disk is wrong about %s", name)
		}
	}
	if len(disk.now) < 2 {
		t.Fatalf("the model of the disk knows %d files", len(disk.now))
	}
}

// answers counts the answered writes, and the changes of each card.
type answers struct {
	count     int
	revisions map[int]int // by card id
}

// note adds an act if it is an answer.
func (all *answers) note(a act) {
	if a.kind != actAnswer {
		return
	}
	var cardID, revision int
	if _, err := fmt.Sscan(string(a.content), &cardID, &revision); err != nil {
		panic(fmt.Sprintf("an answer that cannot be read: %q", a.content))
	}
	all.count++
	all.revisions[cardID] = max(all.revisions[cardID], revision)
}

// cut cuts the power count times and returns the problems.
func (p *powerCut) cut(t *testing.T, count int) (problems []error) {
	t.Helper()
	random := rand.New(rand.NewPCG(p.seed, 0))
	moments := make([]int, count)
	for i := range moments {
		moments[i] = random.IntN(len(p.acts) + 1)
	}
	slices.Sort(moments)
	names := slices.Sorted(maps.Keys(fates))
	disk, done, answered := newDisk(), 0, answers{revisions: make(map[int]int)}
	for i, moment := range moments {
		for ; done < moment; done++ {
			answered.note(p.acts[done])
			disk.do(done, p.acts[done])
		}
		name := names[i%len(names)]
		directory := filepath.Join(t.TempDir(), "cut")
		if err := os.Mkdir(directory, 0o700); err != nil {
			t.Fatal(err)
		}
		disk.after(t, random, fates[name], directory)
		p.looked += answered.count
		if err := lookAfterCut(directory, answered.revisions); err != nil {
			problems = append(problems, fmt.Errorf("seed %d, cut before act %d, %s: %w",
				p.seed, moment, name, err))
		}
		if err := os.RemoveAll(directory); err != nil {
			t.Fatal(err)
		}
	}
	return problems
}

// lookAfterCut opens what is left and looks for what was answered.
func lookAfterCut(directory string, answered map[int]int) error {
	path := filepath.Join(directory, "mintmark.db")
	engine, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	err = engine.View(context.Background(), func(s db.Session) error {
		return compareCards(s, answered)
	})
	nothing := func(db.Session) error { return nil }
	look, checked := sqlite.LookInto(context.Background(), path, true, nothing)
	if len(look.Damage) > 0 {
		err = errors.Join(err, fmt.Errorf("damaged: %s", strings.Join(look.Damage, "; ")))
	}
	return errors.Join(err, checked, engine.Close())
}

// compareCards checks that each card is as answered, or one act further if that act was under way.
// An act leaves a row in the audit trail and increments the revision of its card; the first also
// leaves a number and an order.
func compareCards(s db.Session, answered map[int]int) error {
	var problems []error
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(format, args...))
	}
	missing := maps.Clone(answered)
	err := s.Query(db.Query{Each: func(row db.Scan) error {
		var id, revision, year, rows, numbers, orders int
		err := row(&id, &revision, &year, &rows, &numbers, &orders)
		was := answered[id]
		if revision != was && revision != was+1 {
			wrong("card %d has revision %d, and was answered to have %d", id, revision, was)
		}
		if rows != revision || numbers != 1 || orders != 1 || year != firstYear+revision {
			wrong("card %d is there by half: revision %d, year %d, %d rows in the trail, %d "+
				"numbers, %d orders", id, revision, year, rows, numbers, orders)
		}
		delete(missing, id)
		return err
	}, Text: `SELECT card_id, revision, expire_year,
		(SELECT count(*) FROM audit WHERE audit.card_id = cards.card_id),
		(SELECT count(*) FROM card_numbers WHERE card_numbers.card_id = cards.card_id),
		(SELECT count(*) FROM orders WHERE orders.card_id = cards.card_id) FROM cards`})
	if err != nil {
		return err
	}
	for id, revision := range missing {
		wrong("card %d was answered to have revision %d, and is gone", id, revision)
	}
	var alone int
	_, err = db.Find(s, []any{&alone}, `SELECT count(*) FROM audit
		WHERE card_id NOT IN (SELECT card_id FROM cards)`)
	if alone > 0 {
		wrong("%d rows in the trail are about cards that are not there", alone)
	}
	return errors.Join(append(problems, err)...)
}

// firstYear is the year before the one in which a new card expires.
const firstYear = 2000

// TestRecordedProgram is the recorded program. It is not a test.
func TestRecordedProgram(t *testing.T) {
	directory := os.Getenv(recordedIn)
	if directory == "" {
		return // not being recorded
	}
	engine, err := sqlite.OpenWith(t.Context(), filepath.Join(directory, "mintmark.db"),
		sqlite.Options{}, recordedLog,
		"journal_size_limit = 200000", "synchronous = "+os.Getenv(recordedSet))
	if err != nil {
		t.Fatal(err)
	}
	s := cached.New(sqlstore.New(engine), engine, cached.DefaultBytes)
	answers, err := os.OpenFile(filepath.Join(directory, answersFile),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	life := 0 // 1 is the second
	err = s.Update(t.Context(), func(tx store.Tx) error {
		banks, err := tx.Banks().List()
		if life = len(banks); err != nil || life > 0 {
			return err
		}
		return putStock(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, recordedWriters)
	for writer := range recordedWriters {
		w := &recordedWriter{store: s, answers: answers, base: 1000*(1+writer) + 100*life}
		go func() {
			var err error
			for w.acts < recordedActs && err == nil {
				err = w.act()
			}
			ended <- err
		}()
	}
	for range recordedWriters {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if life == 0 {
			os.Exit(0) // in the middle of what the others do
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// recordedWriter performs one act after the other.
type recordedWriter struct {
	store   store.Store
	answers *os.File
	base    int // first id of its cards
	cards   []card.Card
	acts    int
}

// act creates a card or changes one that it created, and writes an answer when that is committed.
func (w *recordedWriter) act() error {
	w.acts++
	var changed card.Card
	makes := w.acts%3 == 1
	err := w.store.Update(context.Background(), func(tx store.Tx) error {
		var err error
		if makes {
			changed, err = w.make(tx)
		} else {
			changed, err = w.change(tx)
		}
		if err != nil {
			return err
		}
		return tx.Audit().Put(audit.Entry{
			At: tx.Now(), ProgramID: stockedProgram, CustomerID: stockedCustomer,
			Subject: audit.Of(audit.Card, changed.ID), Act: "/card/act", Outcome: "changed",
			Before: strings.Repeat("b", 200), After: strings.Repeat("a", 200),
		})
	})
	if err != nil {
		return err
	}
	if makes {
		w.cards = append(w.cards, changed)
	}
	_, err = fmt.Fprintf(w.answers, "%d %d\n", changed.ID, changed.Revision)
	return err
}

func (w *recordedWriter) make(tx store.Tx) (card.Card, error) {
	c := stockedCard(w.base+len(w.cards), tx.Now())
	c.ExpireYear = firstYear + 1
	digest := fmt.Appendf(nil, "digest of %d", c.ID)
	err := errors.Join(tx.Cards().Put(&c),
		tx.CardNumbers().Put(store.SealedNumber{
			CardID: c.ID, BinID: 1, Digest: digests.Number{First: digest}, Sealed: digest,
			LastFour: "1111",
		}),
		tx.Orders().Put(order.Order{
			CardID: c.ID, Kind: order.Make, State: order.Waiting, Created: tx.Now(),
		}))
	return c, err
}

func (w *recordedWriter) change(tx store.Tx) (card.Card, error) {
	view, err := tx.Cards().FindView(stockedProgram, stockedCustomer,
		store.CardKey{ID: w.cards[w.acts%len(w.cards)].ID})
	if err != nil {
		return card.Card{}, err
	}
	changed := view.Card
	changed.ExpireYear++
	changed.Modified = tx.Now()
	err = tx.Cards().Change(view.Card, &changed)
	return changed, err
}

// Ids of the rows that the writers' cards refer to.
const (
	stockedProgram  = 1
	stockedCustomer = 2
)

// putStock stores what the cards refer to.
func putStock(tx store.Tx) error {
	return errors.Join(
		tx.Banks().Put(store.Bank{ID: 1}),
		tx.Programs().Put(programOf(stockedProgram)),
		tx.Programs().PutBin(program.Bin{ID: 1, ProgramID: stockedProgram, Vendor: "VS"}),
		tx.Customers().Put(customer.Customer{Standing: customer.Standing{
			ID: stockedCustomer, ProgramID: stockedProgram, Status: customer.Verified,
			AccessType: customer.Full, IsActive: true,
		}}))
}

func stockedCard(id int, now time.Time) card.Card {
	return card.Card{
		ID: id, ProgramID: stockedProgram, CustomerID: stockedCustomer,
		HolderID: stockedCustomer, Type: "DBT", Vendor: "VS", BinID: 1,
		Status: card.Initiated, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		NickName: fmt.Sprint(id), ExpireMonth: 1, ExpireYear: 2000,
		PrimaryCategory: customer.Checking, Created: now, Modified: now,
	}
}
