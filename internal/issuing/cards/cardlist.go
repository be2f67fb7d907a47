package cards

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/store"
)

// CardFilter selects cards to list. A zero field does not restrict.
type CardFilter struct {
	ProgramID  int
	CustomerID int // the creator or the holder of the card
	Status     string
	Lock       string // a type, such as SYS, or type and reason, such as SYS/ADM
	Tag        string
	LastFour   string
	Text       string // part of ID, tag, nickname, name or last four, or beginnings of words
}

// ListCards returns the cards that an operator may see, newest first.
func (s *Service) ListCards(
	ctx context.Context, who issuing.Operator, filter CardFilter, page issuing.Page,
) (summaries []store.CardSummary, last string, err error) {
	query, err := filter.query()
	if err != nil {
		return nil, "", err
	}
	number := func(c store.CardSummary) int { return c.ID }
	return issuing.PageOf(ctx, s.Service, who, filter.ProgramID, page, number, func(
		r store.Tx, programs []int, before, limit int,
	) ([]store.CardSummary, error) {
		if programs != nil && len(programs) == 0 {
			return nil, nil
		}
		query.Programs, query.Before, query.Limit = programs, before, limit
		return r.CardSearch().List(query)
	})
}

// query returns the filter as a query of the store, or its problems as an error. Commas are
// separators only in a text with a masked number: in any other they may be part of a tag.
func (f CardFilter) query() (store.CardQuery, error) {
	q := store.CardQuery{
		CustomerID: f.CustomerID, Tag: f.Tag, LastFour: f.LastFour, Text: f.Text,
	}
	if masked.MatchString(strings.ReplaceAll(f.Text, ",", " ")) {
		q.Text = needle(f.Text)
	}
	var wrong problem.List
	if f.Status != "" {
		at := slices.IndexFunc(card.Statuses, func(s card.Status) bool {
			return strings.EqualFold(string(s), f.Status)
		})
		if at < 0 {
			wrong.Add("", "the parameter status is not a status of a card")
		} else {
			q.Status = card.Statuses[at]
		}
	}
	lockType, reason, _ := strings.Cut(f.Lock, "/")
	q.LockType, q.LockReason = card.LockType(lockType), card.Reason(reason)
	types := []card.LockType{"", card.Unlocked, card.Customer, card.System}
	if !slices.Contains(types, q.LockType) ||
		reason != "" && !slices.Contains(card.Reasons, q.LockReason) {
		wrong.Add("", "the parameter lock is UNL, CST or SYS, or a type with a reason: SYS/ADM")
	}
	if f.LastFour != "" && (len(f.LastFour) != 4 || strings.Trim(f.LastFour, "0123456789") != "") {
		wrong.Add("", "the parameter lastFour has four digits")
	}
	return q, wrong.Err()
}

// FindCardsByNumber returns the card with a complete card number in an operator's scope: one or
// none. The audit records the result of the search, even if it is empty, and never the number.
func (s *Service) FindCardsByNumber(
	ctx context.Context, who issuing.Operator, number string,
) ([]store.CardSummary, error) {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(number)
	if len(digits) < pan.MinDigits || len(digits) > pan.MaxDigits ||
		strings.Trim(digits, "0123456789") != "" {
		return nil, issuing.Invalid("number", "has 13 to 19 digits")
	}
	var summaries []store.CardSummary
	if whole, err := pan.Parse(digits); err == nil {
		summaries, err = store.ViewOf(ctx, s.Store, func(r store.Tx) ([]store.CardSummary, error) {
			digest, err := keys.DigestAt(s.Service, r, whole)
			if err != nil {
				return nil, err
			}
			return s.findByNumber(r, who, digest)
		})
		if err != nil {
			return nil, err
		}
	}
	entry := audit.Entry{Actor: who.Actor, Act: findCardAct, Outcome: "not found"}
	for _, c := range summaries {
		entry.Subject, entry.ProgramID = audit.Of(audit.Card, c.ID), c.ProgramID
		entry.Outcome = issuing.OutcomeRead
	}
	return summaries, s.PutEntry(ctx, entry)
}

func (s *Service) findByNumber(
	r store.Tx, who issuing.Operator, digest digests.Number,
) ([]store.CardSummary, error) {
	cardID, err := r.CardNumbers().FindCard(digest)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	programs, err := s.VisiblePrograms(r, who, 0)
	if err != nil {
		return nil, err
	}
	return r.CardSearch().List(store.CardQuery{Programs: programs, CardID: cardID, Limit: 1})
}

// PackJob is the name of the job that packs the search texts of cards.
const PackJob = "pack search texts"

// settleTime is an upper bound for a transaction that inserts a card, with a large margin.
const settleTime = 50 * time.Second

// PackCards packs the search texts of cards, until fewer remain than a block holds. It is a
// background job, and idempotent.
func (s *Service) PackCards(ctx context.Context) error {
	for {
		var block store.CardBlock
		var now time.Time
		err := s.Store.View(ctx, func(r store.Tx) error {
			next, err := r.CardSearch().FindNextBlock()
			block, now = next, r.Now()
			return err
		})
		age := now.Sub(block.Marked)
		if err != nil || block.Cards == 0 && age >= 0 && age < settleTime {
			return err
		}
		err = s.Store.Update(ctx, func(tx store.Tx) error {
			put := block
			if block.Cards > 0 {
				// A name in the block may have been erased since.
				again, err := tx.CardSearch().FindNextBlock()
				if err != nil || again.Cards == 0 {
					return err
				}
				put = again
			}
			return tx.CardSearch().PutBlock(put)
		})
		if errors.Is(err, store.ErrExists) {
			return nil // another node is packing
		}
		if err != nil {
			return err
		}
	}
}
