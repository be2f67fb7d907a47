package sqlstore

import (
	"errors"
	"strings"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/store"
)

const storedColumns = `c.card_id, c.program_id, c.customer_id, c.holder_id, c.type, c.vendor,
		c.bin_id, c.status, c.lock_type, c.lock_reason, c.tag, c.nickname,
		c.first_name, c.middle_name, c.last_name, c.qualifier, c.last_four,
		c.expire_month, c.expire_year, c.is_digital_only, c.primary_category,
		c.created_at, c.requested_at, c.verified_at, c.reissued_at, c.denied_at, c.expired_at,
		c.archived_at, c.modified_at, c.revision`

// cardInto are where the values of storedColumns go.
func cardInto(c *card.Card) []any {
	return []any{&c.ID, &c.ProgramID, &c.CustomerID, &c.HolderID, &c.Type, &c.Vendor, &c.BinID,
		&c.Status, &c.Lock.Type, &c.Lock.Reason, &c.Tag, &c.NickName,
		&c.Name.First, &c.Name.Middle, &c.Name.Last, &c.Qualifier, &c.LastFour,
		&c.ExpireMonth, &c.ExpireYear, &c.DigitalOnly, &c.PrimaryCategory,
		timeColumn{&c.Created}, timeColumn{&c.Requested}, timeColumn{&c.Verified},
		timeColumn{&c.Reissued}, timeColumn{&c.Denied}, timeColumn{&c.Expired},
		timeColumn{&c.Archived}, timeColumn{&c.Modified}, &c.Revision}
}

const selectCards = `SELECT ` + storedColumns + ` FROM cards c `

func scanCard(row scan) (card.Card, error) {
	var c card.Card
	err := row(cardInto(&c)...)
	return c, err
}

// nickKey is what two nicknames share that differ in letter case only. It is made here, because
// databases do not agree on the lower case of letters beyond ASCII.
func nickKey(nickName string) string { return strings.ToLower(nickName) }

const whereCard = `WHERE program_id = $1 AND card_id = $2`

func (r *reader) FindCard(programID, cardID int) (card.Card, error) {
	cards, err := r.listCards(whereCard, programID, cardID)
	if err != nil {
		return card.Card{}, err
	}
	if len(cards) == 0 {
		return card.Card{}, store.ErrNotFound
	}
	r.remember(cards...)
	return cards[0], nil
}

const whereOwn = `WHERE program_id = $1 AND (customer_id = $2 OR holder_id = $2)
	ORDER BY card_id`

func (r *reader) ListCards(programID, customerID int) ([]card.Card, error) {
	return r.listCards(whereOwn, programID, customerID)
}

// A card that was made anew waits since then. The statuses are written out, because only then
// does the index on cards that wait serve the query.
const whereUnverified = `WHERE program_id = $1
		AND status IN ('PendingVerification', 'ReissuePendingVerification')
		AND created_at < $2 AND COALESCE(reissued_at, created_at) < $2
	ORDER BY COALESCE(reissued_at, created_at), card_id LIMIT $3`

func (r *reader) ListUnverified(
	programID int, before time.Time, limit int,
) ([]card.Card, error) {
	return r.listCards(whereUnverified, programID, before.UnixMilli(), limit)
}

// listCards reads the slots of all cards at once, and not those of one card after the other.
func (r *reader) listCards(where string, args ...any) ([]card.Card, error) {
	var cards []card.Card
	var rows []slot
	err := r.together(
		listing(&cards, scanCard, selectCards+where, args...),
		listing(&rows, scanSlot, slotsOf(where), args...))
	if err != nil {
		return nil, err
	}
	slots := gather(rows)
	for i, c := range cards {
		cards[i].Slots = slots[c.ID]
	}
	return cards, nil
}

// PutCard leaves the card that it is given as it is until everything is written.
func (t *tx) PutCard(c *card.Card) error {
	next := *c
	next.Revision++
	var err error
	if c.ID == 0 || c.Revision == 0 {
		next.ID, err = t.putNewCard(&next)
	} else {
		err = t.changeCard(next, c.Revision)
	}
	if err == nil {
		err = t.putSlots(next.ID, next.Slots)
	}
	if err != nil {
		return t.failed(err)
	}
	written := asStored(next)
	t.remember(written)
	t.touched.card(written)
	c.ID, c.Revision = next.ID, next.Revision
	return nil
}

// putNewCard inserts a card under its number, or under the next when it has none, and returns that.
func (t *tx) putNewCard(c *card.Card) (int, error) {
	text, args := insertCard, cardArgs(c)
	if c.ID != 0 {
		text, args = insertCardAs, append(args, c.ID)
	}
	number, err := t.session.insert(t.ctx, "card_id", text, args...)
	if err == nil {
		t.remember(card.Card{ID: number}) // no accounts are on it yet
	}
	return number, err
}

// asStored returns a card that was written as it will be read.
func asStored(c card.Card) card.Card {
	for _, at := range []*time.Time{&c.Created, &c.Requested, &c.Verified, &c.Reissued, &c.Denied,
		&c.Expired, &c.Archived, &c.Modified} {
		if !at.IsZero() {
			*at = time.UnixMilli(at.UnixMilli()).UTC()
		}
	}
	return c
}

// changeCard changes a card that is still as it was at a revision. Which of its fields an act has
// changed is the business of the act, and the revision sees to it that no other change is lost.
// Columns that stay as they were read are not written: most of them are in an index or refer to
// another table, and would be checked again.
func (t *tx) changeCard(c card.Card, revision int) error {
	before, known := t.sighted(c.ID)
	if !known || before.CustomerID != c.CustomerID || before.HolderID != c.HolderID {
		t.touched.more = true // it may have been somebody else's
	}
	read := known && before.Revision == revision
	text, args := updateCard(before, &c, !read)
	err := t.session.change(t.ctx, text, append(args, c.ID, revision)...)
	if read && errors.Is(err, store.ErrLostUpdate) {
		// No other transaction can have changed it under this one: the cache was wrong.
		t.cache.distrust()
	}
	return err
}

// ListCardAccounts goes by the slots of the cards that are given, stored or not.
func (r *reader) ListCardAccounts(cards ...card.Card) (map[int]customer.Account, error) {
	var accountIDs []int
	for _, c := range cards {
		accountIDs = append(accountIDs, c.Slots.All()...)
	}
	return r.listAccounts(accountIDs)
}
