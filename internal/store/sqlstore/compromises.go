package sqlstore

import (
	"math"
	"slices"

	"mintmark/internal/domain/compromise"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// compromises implements store.Compromises on the tables compromises and compromised_cards.
type compromises struct{ *tx }

var _ store.Compromises = compromises{}

const (
	compromiseColumns = `compromise_id, program_id, name, act, per_day, digest, made_at,
			actor_kind, actor_id, actor_name, reason, numbers, cards, statuses, state, outcomes,
			day, of_day, changed_at, revision`

	findCompromise     = `SELECT ` + compromiseColumns + ` FROM compromises WHERE compromise_id = $1`
	findSameCompromise = `SELECT ` + compromiseColumns + ` FROM compromises
		WHERE program_id = $1 AND act = $2 AND digest = $3`
	listCompromises = `SELECT ` + compromiseColumns + ` FROM compromises
		WHERE compromise_id < $1 ORDER BY compromise_id DESC LIMIT 0 + $2`
	listCompromisesOfProgram = `SELECT ` + compromiseColumns + ` FROM compromises
		WHERE program_id = $3 AND compromise_id < $1 ORDER BY compromise_id DESC LIMIT 0 + $2`
	listOpenCompromises = `SELECT ` + compromiseColumns + ` FROM compromises
		WHERE state <> 'done' ORDER BY compromise_id`
	listRunningCompromises = `SELECT compromise_id FROM compromises WHERE state = 'running'
		ORDER BY compromise_id`
)

func scanCompromise(row db.Scan) (compromise.List, error) {
	var l compromise.List
	err := row(&l.ID, &l.ProgramID, &l.Name, &l.Act, &l.PerDay, &l.Digest, db.Time{To: &l.Made},
		&l.Actor.Kind, &l.Actor.ID, &l.Actor.Name, &l.Actor.Reason, &l.Numbers, &l.Cards,
		db.JSON{To: &l.Statuses}, &l.State, db.JSON{To: &l.Outcomes}, &l.Day, &l.OfDay,
		db.Time{To: &l.Changed}, &l.Revision)
	return l, err
}

func (t compromises) Find(id int) (compromise.List, error) {
	return db.One(t.session, scanCompromise, findCompromise, id)
}

// FindSame returns the list with the same card numbers, found by their digest.
func (t compromises) FindSame(
	programID int, act compromise.Act, digest string,
) (compromise.List, error) {
	return db.One(t.session, scanCompromise, findSameCompromise, programID, string(act), digest)
}

// List returns lists, newest first.
func (t compromises) List(of store.CompromiseQuery) ([]compromise.List, error) {
	before := of.Before
	if before == 0 {
		before = math.MaxInt32 + 1
	}
	if of.Programs == nil {
		return db.List(t.session, scanCompromise, listCompromises, before, of.Limit)
	}
	var lists []compromise.List
	var queries []db.Query
	for _, id := range of.Programs {
		queries = append(queries, db.Rows(&lists, scanCompromise, listCompromisesOfProgram, before,
			of.Limit, id))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(lists, func(a, b compromise.List) int { return b.ID - a.ID })
	return lists[:min(len(lists), of.Limit)], nil
}

// ListOpen returns the lists that are not done, oldest first. There are few lists, even over all
// time.
func (t compromises) ListOpen() ([]compromise.List, error) {
	return db.List(t.session, scanCompromise, listOpenCompromises)
}

// ListRunning returns the IDs of the running lists, oldest first.
func (t compromises) ListRunning() ([]int, error) {
	return db.List(t.session, scanNumber, listRunningCompromises)
}

const (
	insertCompromise = `INSERT INTO compromises (program_id, name, act, per_day, digest, made_at,
			actor_kind, actor_id, actor_name, reason, numbers, cards, statuses, state, outcomes,
			day, of_day, changed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`
	updateCompromise = `UPDATE compromises SET actor_kind = $1, actor_id = $2, actor_name = $3,
			reason = $4, state = $5, outcomes = $6, day = $7, of_day = $8, changed_at = $9,
			revision = revision + 1
		WHERE compromise_id = $10 AND revision = $11`
)

var compromiseID = db.Serial{Table: "compromises", Column: "compromise_id"}

// Put inserts a list, or updates its progress and the actor for whom it is processed.
func (t compromises) Put(l *compromise.List) error {
	texts, err := db.JSONTexts(l.Statuses, l.Outcomes)
	if err != nil {
		return t.session.Fail(err)
	}
	who := l.Actor
	if l.Revision != 0 {
		err := t.session.Change(updateCompromise, string(who.Kind), who.ID, who.Name, who.Reason,
			string(l.State), texts[1], l.Day, l.OfDay, l.Changed.UnixMilli(), l.ID, l.Revision)
		if err == nil {
			l.Revision++
		}
		return err
	}
	id, err := t.session.Insert(compromiseID, insertCompromise, l.ProgramID, l.Name, string(l.Act),
		l.PerDay, l.Digest, l.Made.UnixMilli(), string(who.Kind), who.ID, who.Name, who.Reason,
		l.Numbers, l.Cards, texts[0], string(l.State), texts[1], l.Day, l.OfDay,
		l.Changed.UnixMilli())
	if err == nil {
		l.ID, l.Revision = id, 1
	}
	return err
}

const (
	deleteCompromisedCards = `DELETE FROM compromised_cards WHERE compromise_id = $1`
	deleteCompromise       = `DELETE FROM compromises WHERE compromise_id = $1 AND revision = $2`
)

// Delete deletes a list and its cards.
func (t compromises) Delete(l compromise.List) error {
	if err := t.session.Write(deleteCompromisedCards, l.ID); err != nil {
		return err
	}
	return t.session.Change(deleteCompromise, l.ID, l.Revision)
}

const (
	findCompromisedCards = `SELECT cards FROM compromised_cards
		WHERE compromise_id = $1 AND place = $2`
	putCompromisedCards = `INSERT INTO compromised_cards (compromise_id, place, cards)
		VALUES ($1, $2, $3)
		ON CONFLICT (compromise_id, place) DO UPDATE SET cards = excluded.cards`
)

// ListCards returns one batch of cards.
func (t compromises) ListCards(id, place int) (cards []compromise.Card, err error) {
	err = t.find([]any{db.JSON{To: &cards}}, findCompromisedCards, id, place)
	return cards, err
}

// PutCards inserts or replaces one batch of cards.
func (t compromises) PutCards(id, place int, cards []compromise.Card) error {
	text, err := db.JSONText(cards)
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Write(putCompromisedCards, id, place, text)
}
