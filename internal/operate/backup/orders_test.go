package backup

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/operate/installation"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testinstall"
	"mintmark/internal/testkit/testworld"
)

// served is an installation whose orders a card processor accepts.
type served struct {
	*testing.T
	store.Store
	by        *acts.Service
	processor *simulator.Machine
}

func serve(t *testing.T, l installation.Location, processor *simulator.Machine) served {
	t.Helper()
	var kept store.Store
	if l.Database.URL == "" {
		kept = testworld.File(t, filepath.Join(l.Data, installation.DatabaseFile), nil)
	} else {
		kept = testworld.Server(t, l.Database.URL, nil)
	}
	by := acts.New(kept, testworld.Keys(t), issuing.Settings{Mode: card.Production})
	return served{t, kept, by, processor}
}

// lock locks a card, and unlocks it if requested. The processor accepts the orders.
func (s served) lock(unlocks bool) {
	s.Helper()
	const id = issuingtest.VerifiedCard
	if _, err := s.by.Cards.LockCard(s.Context(), issuingtest.Clerk, id, 0, "ADM"); err != nil {
		s.Fatal(err)
	}
	if unlocks {
		if _, err := s.by.Cards.UnlockCard(s.Context(), issuingtest.Clerk, id, 0); err != nil {
			s.Fatal(err)
		}
	}
	err := s.View(s.Context(), func(r store.Tx) error {
		orders, err := r.Orders().List(store.OrderQuery{CardID: id, Limit: 100})
		for _, o := range orders {
			s.processor.Receive(simulator.Order{
				ID: o.PublicID(), Sequence: o.Sequence, Kind: o.Kind, CardID: id, ProgramID: 1,
			}, time.Now())
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

// emptyLocation returns an empty location with the keys of an installation.
func emptyLocation(w testinstall.Installation) installation.Location {
	w.Helper()
	place := w.Location
	place.Data = w.TempDir()
	if place.Database.URL != "" {
		place.Database.URL = pgtest.Empty(w.T)
	}
	err := os.Chmod(place.Data, 0o700)
	for _, name := range []string{"keyset.json", "pin-private.pem", "processor-private.pem"} {
		text, failure := os.ReadFile(filepath.Join(w.Data, name))
		err = errors.Join(err, failure, os.WriteFile(filepath.Join(place.Data, name), text, 0o600))
	}
	if err != nil {
		w.Fatal(err)
	}
	return place
}

// TestOrdersAfterRestore locks a card in a restored installation. The processor, which has accepted
// newer orders about the card than the backup contains, locks it too.
func TestOrdersAfterRestore(t *testing.T) {
	t.Parallel()
	testinstall.OnBothDatabases(t, func(w testinstall.Installation) {
		processor := simulator.New("test", simulator.Instant)
		lost := serve(w.T, w.Location, processor)
		testworld.WriteDemo(w.T, lost.Store)
		lost.lock(true)
		file := filepath.Join(w.TempDir(), "of.backup")
		if _, err := Create(w.Context(), w.Location, file); err != nil {
			w.Fatal(err)
		}
		for range 3 {
			lost.lock(true)
		}
		place := emptyLocation(w)
		if _, err := Restore(w.Context(), place, file); err != nil {
			w.Fatal(err)
		}
		serve(w.T, place, processor).lock(false)
		if known := processor.Card(issuingtest.VerifiedCard); known.Lock != "locked" {
			w.Errorf("the processor has the card %q", known.Lock)
		}
	})
}

// TestCardsAfterRestore checks that a restored installation gives no card number of the lost period
// to another card: the processor would take it for the card that it knows.
func TestCardsAfterRestore(t *testing.T) {
	t.Parallel()
	testinstall.OnBothDatabases(t, func(w testinstall.Installation) {
		lost := serve(w.T, w.Location, nil)
		testworld.WriteDemo(w.T, lost.Store)
		lost.card("first")
		file := filepath.Join(w.TempDir(), "of.backup")
		if _, err := Create(w.Context(), w.Location, file); err != nil {
			w.Fatal(err)
		}
		last := lost.card("lost")
		place := emptyLocation(w)
		if _, err := Restore(w.Context(), place, file); err != nil {
			w.Fatal(err)
		}
		if id := serve(w.T, place, nil).card("new"); id <= last {
			w.Errorf("behind card %d of the lost time comes %d", last, id)
		}
	})
}

// card orders a card, and returns its id.
func (s served) card(nickname string) int {
	s.Helper()
	ordered, err := s.by.Cards.Initiate(s.Context(), issuingtest.Caller, cards.InitiateRequest{
		DigitalRequest: cards.DigitalRequest{
			CustomerID: 1001, CardHolderCustomerID: 1001,
			Application: card.Application{
				VendorTypeCode: "VS", PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example",
				NickName: nickname,
			},
		},
	})
	if err != nil {
		s.Fatal(err)
	}
	return ordered.ID
}

// TestOrdersAfterPointInTime runs the statements of docs/backup.md after a recovery that lost some
// orders.
func TestOrdersAfterPointInTime(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/backup.md")
	if err != nil {
		t.Fatal(err)
	}
	statements := regexp.MustCompile(`psql --dbname=mintmark --command=(?:'([^']+)'|"([^"]+)")`).
		FindAllStringSubmatch(string(page), -1)
	w, processor := testinstall.New(t, pgtest.URL(t)), simulator.New("test", simulator.Instant)
	recovered := serve(t, w.Location, processor)
	testworld.WriteDemo(t, recovered.Store)
	processor.Receive(simulator.Order{
		ID: "lost", Sequence: 50, Kind: order.Unlock, CardID: issuingtest.VerifiedCard, ProgramID: 1,
	}, time.Now())
	cardID := recovered.card("before")
	for _, statement := range statements {
		w.Exec(statement[1] + statement[2])
	}
	if id := recovered.card("after"); id < cardID+1e6 {
		t.Errorf("behind card %d comes %d", cardID, id)
	}
	recovered.lock(false)
	if known := processor.Card(issuingtest.VerifiedCard); known.Lock != "locked" {
		t.Errorf("the processor has the card %q", known.Lock)
	}
}
