package cards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/store"
)

// Audit names of the acts on a list of compromised numbers.
const (
	reportCompromiseAct = "report compromised numbers"
	pauseCompromiseAct  = "pause compromised cards"
	resumeCompromiseAct = "resume compromised cards"
)

// ReportCompromise finds the cards with compromised numbers, and queues them for a job that locks
// or replaces them. Reporting the same numbers of a program with the same act again returns the
// stored list. A list that needs a second operator is stored, and waits: the error is
// issuing.ErrNeedsApproval. A new report replaces a waiting list that differs. If the stored list
// does not wait, numbers that belong to cards only since then must be reported alone.
func (s *Service) ReportCompromise(
	ctx context.Context, who issuing.Operator, list compromise.List, numbers []pan.Number,
) (_ compromise.List, repeated bool, err error) {
	list.Actor = who.Actor
	wrong := problem.Check(list)
	if len(numbers) == 0 {
		wrong.Add("numbers", "a value is required")
	}
	if len(wrong) == 0 {
		_, err = s.ProgramInScope(ctx, who, list.ProgramID)
		if errors.Is(err, store.ErrNotFound) {
			wrong.Add("programId", "there is no program %d", list.ProgramID)
			err = nil
		}
	}
	if err := errors.Join(wrong.Err(), err); err != nil {
		return list, false, err
	}
	numbers = slices.Clone(numbers)
	slices.SortFunc(numbers, func(a, b pan.Number) int {
		return strings.Compare(a.Reveal(), b.Reveal())
	})
	numbers = slices.Compact(numbers)
	list.Numbers, list.Digest = len(numbers), s.digestOf(numbers)
	numberedCards, err := s.findCompromised(ctx, list, numbers)
	if err != nil {
		return list, false, err
	}
	list.Cards, list.Statuses = len(numberedCards), make(map[string]int)
	for _, numberedCard := range numberedCards {
		list.Statuses[string(numberedCard.Status)]++
	}
	kept, repeated, err := s.keepCompromise(ctx, who, list, numberedCards, compromise.Running)
	if errors.Is(err, issuing.ErrNeedsApproval) {
		waiting, _, failed := s.keepCompromise(ctx, who, list, numberedCards, compromise.Waiting)
		if failed != nil {
			err = failed
		}
		return waiting, false, err
	}
	return kept, repeated, err
}

// digestOf returns the keyed digest of sorted numbers. The key of the keyset lasts as long as the
// database, whichever keys digest the numbers of cards.
func (s *Service) digestOf(numbers []pan.Number) string {
	sum := sha256.New()
	for _, number := range numbers {
		sum.Write(s.Vault.DigestNumber(number))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// lookupBatch is the number of card numbers that are looked up in one snapshot.
const lookupBatch = 1024

// findCompromised returns the cards with the numbers: first those whose creator paid most recently.
func (s *Service) findCompromised(
	ctx context.Context, list compromise.List, numbers []pan.Number,
) ([]store.NumberedCard, error) {
	var numberedCards []store.NumberedCard
	for some := range slices.Chunk(numbers, lookupBatch) {
		cards, err := store.ViewOf(ctx, s.Store, func(r store.Tx) ([]store.NumberedCard, error) {
			state, err := keys.ReadDigestState(s.Service, r)
			if err != nil {
				return nil, err
			}
			all := make([]digests.Number, len(some))
			for i, number := range some {
				all[i], err = keys.DigestUnder(s.Service, state, number)
				if err != nil {
					return nil, err
				}
			}
			return r.CardNumbers().FindCards(list.ProgramID, all)
		})
		if err != nil {
			return nil, err
		}
		numberedCards = append(numberedCards, cards...)
	}
	slices.SortStableFunc(numberedCards, func(a, b store.NumberedCard) int { return b.Used - a.Used })
	return numberedCards, nil
}

// keepCompromise stores a list with its cards, unless it is stored. A waiting list is started.
func (s *Service) keepCompromise(
	ctx context.Context, who issuing.Operator, list compromise.List, numberedCards []store.NumberedCard,
	as compromise.State,
) (kept compromise.List, repeated bool, err error) {
	err = s.Act(ctx, who, issuing.InProgram(list.ProgramID), reportCompromiseAct,
		func(tx *issuing.Tx) error {
			l, err := findReported(tx, list)
			kept, repeated = l, err == nil
			switch {
			case repeated && l.State == compromise.Waiting && as == compromise.Running:
				kept, err = startList(tx, l)
				return err
			case repeated && l.State == compromise.Waiting:
				l.Changed = tx.Now() // its new approval lapses a day from now
				err = tx.Compromises().Put(&l)
				kept = l
				return err
			case repeated:
				return nil
			case !errors.Is(err, store.ErrNotFound):
				return err
			}
			l = list
			l.State, l.Made, l.Changed = as, tx.Now(), tx.Now()
			l.End()
			if as == compromise.Running {
				if err := tx.Guard(); err != nil {
					return err
				}
			}
			kept = l
			if who.DryRun {
				return nil
			}
			if err := putCompromise(tx, &l, numberedCards); err != nil {
				return err
			}
			kept = l
			return tx.PutEntry(entryOf(l))
		})
	if err == nil && who.DryRun {
		// The response reveals how many of the numbers are cards, so the read is in the audit.
		read := entryOf(kept)
		read.Actor, read.Act, read.ProgramID = who.Actor, reportCompromiseAct, kept.ProgramID
		read.Outcome = issuing.OutcomeRead + ": " + read.Outcome
		err = s.PutEntry(ctx, read)
	}
	return kept, repeated, err
}

// findReported returns the stored list of the same numbers. It refuses a new list with more cards.
// A list that the new one supersedes is deleted, and not changed: an approval of it must not start
// what its second operator has not seen.
func findReported(tx *issuing.Tx, list compromise.List) (compromise.List, error) {
	l, err := tx.Compromises().FindSame(list.ProgramID, list.Act, list.Digest)
	if err != nil {
		return l, err
	}
	if !list.Supersedes(l) {
		if list.Cards > l.Cards {
			err = issuing.Refuse(fmt.Sprintf("List %d has %d cards with these numbers, and there are "+
				"%d now. Report the numbers of the others alone.", l.ID, l.Cards, list.Cards))
		}
		return l, err
	}
	if err := tx.Compromises().Delete(l); err != nil {
		return l, err
	}
	entry := entryOf(l)
	entry.Outcome += ", replaced by a new report"
	if err := tx.PutEntry(entry); err != nil {
		return l, err
	}
	return l, store.ErrNotFound
}

func putCompromise(tx *issuing.Tx, l *compromise.List, numberedCards []store.NumberedCard) error {
	if err := tx.Compromises().Put(l); err != nil {
		return err
	}
	place := 0
	for some := range slices.Chunk(numberedCards, compromise.Batch) {
		cards := make([]compromise.Card, len(some))
		for i, numberedCard := range some {
			cards[i].ID = numberedCard.ID
		}
		if err := tx.Compromises().PutCards(l.ID, place, cards); err != nil {
			return err
		}
		place += len(some)
	}
	return nil
}

// entryOf returns the audit entry of a list. A list of a dry run has no ID.
func entryOf(l compromise.List) audit.Entry {
	entry := audit.Entry{
		Outcome: fmt.Sprintf("%s %s: %d numbers of digest %s, %d cards, %s", l.Act, l.Name, l.Numbers,
			l.Digest, l.Cards, l.State),
	}
	if l.ID != 0 {
		entry.Subject = audit.Of(audit.Compromise, l.ID)
	}
	return entry
}

// startList starts a waiting list on behalf of the caller.
func startList(tx *issuing.Tx, l compromise.List) (compromise.List, error) {
	if err := tx.Guard(); err != nil {
		return l, err
	}
	l.State, l.Actor, l.Changed = compromise.Running, tx.Caller.Actor, tx.Now()
	l.End()
	err := tx.Compromises().Put(&l)
	if err == nil {
		err = tx.PutEntry(entryOf(l))
	}
	return l, err
}

// BeginCompromise starts a list that a second operator has approved.
func (s *Service) BeginCompromise(
	ctx context.Context, who issuing.Operator, id int,
) (compromise.List, error) {
	return s.changeCompromise(ctx, who, id, reportCompromiseAct,
		func(tx *issuing.Tx, l compromise.List) (compromise.List, error) {
			if l.State != compromise.Waiting {
				return l, issuing.Refuse("The list has been begun already.")
			}
			return startList(tx, l)
		})
}

// PauseCompromise stops the handling of a list until it is resumed. Pausing one that locks needs a
// second operator, as holding a lock order does: cards with known numbers stay open.
func (s *Service) PauseCompromise(
	ctx context.Context, who issuing.Operator, id int,
) (compromise.List, error) {
	return s.setCompromise(ctx, who, id, pauseCompromiseAct, compromise.Running, compromise.Paused)
}

// ResumeCompromise resumes a paused list.
func (s *Service) ResumeCompromise(
	ctx context.Context, who issuing.Operator, id int,
) (compromise.List, error) {
	return s.setCompromise(ctx, who, id, resumeCompromiseAct, compromise.Paused, compromise.Running)
}

func (s *Service) setCompromise(
	ctx context.Context, who issuing.Operator, id int, act string, from, to compromise.State,
) (compromise.List, error) {
	return s.changeCompromise(ctx, who, id, act,
		func(tx *issuing.Tx, l compromise.List) (compromise.List, error) {
			if l.State != from {
				return l, issuing.Refuse(fmt.Sprintf("The list is %s, and not %s.", l.State, from))
			}
			if to == compromise.Paused && l.Act == compromise.Lock {
				if err := tx.Guard(); err != nil {
					return l, err
				}
			}
			l.State, l.Changed = to, tx.Now()
			err := tx.Compromises().Put(&l)
			if err == nil {
				err = tx.PutEntry(entryOf(l))
			}
			return l, err
		})
}

func (s *Service) changeCompromise(
	ctx context.Context, who issuing.Operator, id int, act string,
	change func(*issuing.Tx, compromise.List) (compromise.List, error),
) (kept compromise.List, err error) {
	list, err := s.FindCompromise(ctx, who, id)
	if err != nil {
		return list, err
	}
	err = s.Act(ctx, who, issuing.InProgram(list.ProgramID), act, func(tx *issuing.Tx) error {
		l, err := tx.Compromises().Find(id)
		if err == nil {
			kept, err = change(tx, l)
		}
		return err
	})
	return kept, err
}

// ListCompromises returns the lists that an operator may see, newest first.
func (s *Service) ListCompromises(
	ctx context.Context, who issuing.Operator, programID int, page issuing.Page,
) (lists []compromise.List, last string, err error) {
	number := func(l compromise.List) int { return l.ID }
	return issuing.PageOf(ctx, s.Service, who, programID, page, number, func(
		r store.Tx, programs []int, before, limit int,
	) ([]compromise.List, error) {
		return r.Compromises().List(store.CompromiseQuery{
			Programs: programs, Before: before, Limit: limit,
		})
	})
}

// FindCompromise returns a list in the operator's scope.
func (s *Service) FindCompromise(
	ctx context.Context, who issuing.Operator, id int,
) (compromise.List, error) {
	programOf := func(list compromise.List) int { return list.ProgramID }
	return issuing.FindInScope(ctx, s.Service, who, programOf,
		func(r store.Tx) (compromise.List, error) { return r.Compromises().Find(id) })
}

// CompromisedCards returns the cards of a list in the operator's scope, in the order in which they
// are handled.
func (s *Service) CompromisedCards(
	ctx context.Context, who issuing.Operator, id int,
) (cards []compromise.Card, err error) {
	list, err := s.FindCompromise(ctx, who, id)
	if err != nil {
		return nil, err
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) ([]compromise.Card, error) {
		cards := make([]compromise.Card, 0, list.Cards)
		for len(cards) < list.Cards {
			some, err := r.Compromises().ListCards(id, len(cards))
			if err != nil {
				return nil, err
			}
			cards = append(cards, some...)
		}
		return cards, nil
	})
}

// HandleCompromises locks or replaces the cards of running lists, as many as may be handled today,
// and returns how many. Lists take turns. It is a background job, and idempotent.
func (s *Service) HandleCompromises(ctx context.Context) (int, error) {
	total := 0
	failed := make(map[int]error)
	for {
		ids, err := store.ViewOf(ctx, s.Store, func(r store.Tx) ([]int, error) {
			return r.Compromises().ListRunning()
		})
		if err != nil {
			return total, err
		}
		handled := 0
		for _, id := range ids {
			if failed[id] != nil {
				continue
			}
			count, err := s.handleBatch(ctx, id)
			if err != nil {
				failed[id] = fmt.Errorf("compromise %d: %w", id, err)
			}
			handled += count
		}
		total += handled
		if handled == 0 {
			break
		}
	}
	return total, errors.Join(slices.Collect(maps.Values(failed))...)
}

// handleBatch handles the next cards of a list in one transaction, which also stores their
// outcomes. A refusal by a rule, or the lack of a BIN for the replacement, is an outcome. Any other
// error, such as a bank without an encryption key, leaves the list unchanged.
func (s *Service) handleBatch(ctx context.Context, id int) (handled int, err error) {
	list, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (compromise.List, error) {
		return r.Compromises().Find(id)
	})
	if err != nil {
		return 0, err
	}
	if s.CheckFence(list.ProgramID) != nil {
		return 0, nil // it continues if the program does not move after all
	}
	caller := issuing.Caller{
		Actor: list.Actor, ProgramID: list.ProgramID, Route: lockCardAct,
	}
	caller.Reason = fmt.Sprintf("%s (compromise %d, %s)", caller.Reason, id, list.Name)
	if list.Act == compromise.Replace {
		caller.Route = reissueCardAct
	}
	err = s.Update(ctx, caller, func(tx *issuing.Tx) error {
		handled = 0
		l, err := tx.Compromises().Find(id)
		if err != nil {
			return err
		}
		day := tx.LocalNow().Format(time.DateOnly)
		if !l.MayContinue(day) {
			return nil
		}
		at := l.Next() % compromise.Batch
		place := l.Next() - at
		cards, err := tx.Compromises().ListCards(id, place)
		if err != nil {
			return err
		}
		for i := at; i < len(cards) && l.MayContinue(day); i++ {
			if err := s.handleCard(tx, l.Act, &cards[i]); err != nil {
				return err
			}
			l.Record(cards[i].Outcome, day)
			handled++
		}
		if err := tx.Compromises().PutCards(id, place, cards); err != nil {
			return err
		}
		l.Changed = tx.Now()
		return tx.Compromises().Put(&l)
	})
	if err != nil {
		return 0, err
	}
	return handled, nil
}

// handleCard locks or replaces a card, unless its number is dead already. A card that cannot be
// replaced is locked.
func (s *Service) handleCard(tx *issuing.Tx, act compromise.Act, c *compromise.Card) error {
	before, err := tx.Cards().Find(tx.Caller.ProgramID, c.ID)
	if err != nil {
		return err
	}
	if before.Status == card.Reissued || act == compromise.Lock && before.Lock.Permanent() {
		c.Outcome = compromise.Left
		return nil
	}
	after := before
	if act == compromise.Lock {
		after, err = s.lockForOperator(tx, before, card.SuspectedFraud)
	} else {
		after, err = s.reissueForOperator(tx, before, card.ReissueNewPAN, card.SuspectedFraud)
	}
	if why, refused := refusalOf(err); refused {
		c.Outcome, c.Why = compromise.Refused, why
		if act == compromise.Replace {
			return s.lockUnreplaced(tx, before, c)
		}
		return nil
	}
	if err != nil {
		return err
	}
	c.Outcome = compromise.Handled
	if act == compromise.Replace {
		c.Replacement = after.ID
	}
	return nil
}

// lockUnreplaced locks a card that cannot be replaced: its number stays known to others. A card
// that is archived or permanently locked stays unchanged.
func (s *Service) lockUnreplaced(tx *issuing.Tx, before card.Card, c *compromise.Card) error {
	_, err := s.lockForOperator(tx, before, card.SuspectedFraud)
	if refusal := (*card.Refusal)(nil); errors.As(err, &refusal) {
		return nil
	}
	if err == nil {
		c.Why += " The card is locked."
	}
	return err
}

// refusalOf returns why an act on a card is refused: by a rule, or for lack of a BIN. BINs belong
// to a vendor, so the cards that follow may have one. A refused act has written nothing.
func refusalOf(err error) (why string, refused bool) {
	if refusal := (*card.Refusal)(nil); errors.As(err, &refusal) {
		return refusal.Why, true
	}
	if lack := (*fault.Fault)(nil); errors.As(err, &lack) &&
		(lack.Kind == fault.BinMissing || lack.Kind == fault.NumbersUsedUp) {
		return lack.Message(), true
	}
	return "", false
}
