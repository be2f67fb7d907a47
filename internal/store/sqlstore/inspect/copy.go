package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/migrations"
)

// Contents describes a copied database.
type Contents struct {
	Schema       int64 // version of the tables
	Installation store.InstallationRecord
	Checkpoint   string // the newest of the audit log; empty before anything is sealed
}

// ErrSchema: the tables are of another version than those of this program.
var ErrSchema = errors.New("schema version differs")

// schemaOf returns the version of the tables in a database, and that of this program.
func schemaOf(s db.Session, database string) (schema, known int64, err error) {
	if known, err = migrations.Newest(database); err != nil {
		return 0, 0, fmt.Errorf("schema: %w", err)
	}
	_, err = db.Find(s, []any{&schema}, newestMigration)
	return schema, known, err
}

func otherSchema(schema, known int64) error {
	return fmt.Errorf("%w: the tables have version %d, and this program knows version %d",
		ErrSchema, schema, known)
}

// read reads the contents of a database, which must have the tables of this program.
func (c *Contents) read(s db.Session, database string) error {
	schema, known, err := schemaOf(s, database)
	if err != nil {
		return err
	}
	if c.Schema = schema; schema != known {
		return otherSchema(schema, known)
	}
	r := sqlstore.Reading(s)
	c.Installation, err = r.Installation().Find()
	if err != nil {
		return err
	}
	head, err := r.AuditLog().FindHead()
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	c.Checkpoint = head.Note
	return err
}

// What a restored database must not remember. A lease or a claim belongs to a process from the time
// of the backup. Sessions and invitations that have ended since would be valid again, and nothing
// would end them. An order that was being sent is sent again. So is an order in a file that was not
// fetched, because the folder may be a different one, unless it sets a PIN: its PIN is gone.
const (
	dropLeases      = `DELETE FROM leases`
	dropSessions    = `DELETE FROM console_sessions`
	dropInvitations = `DELETE FROM invitations`
	freeOrders      = `UPDATE orders SET claimed_by = '', next_try_at = 0, revision = revision + 1
		WHERE claimed_by <> '' AND state = 'waiting' AND done_at IS NULL`
	resendFiles = `UPDATE orders SET state = 'waiting', in_file = NULL, next_try_at = 0,
			revision = revision + 1
		WHERE in_file IS NOT NULL AND done_at IS NULL AND state = 'sent' AND kind <> 'card.pin'`
	freeEndpoints = `UPDATE webhook_endpoints SET node = '', claimed_until = NULL
		WHERE node <> ''`
)

// The card processor accepts an order only if its sequence is greater than that of the newest order
// it has for the card, and it may have orders from the lost period. So the sequences continue after
// those, and after those of an earlier restore of the same backup: no card has more than
// spareOrders orders plus one a second. A value below 0 encodes the number of orders with a
// sequence, see card.Card.
const (
	spareOrders   = 1000
	advanceOrders = `UPDATE cards SET orders = CASE WHEN orders < 0 THEN orders - $1
		ELSE orders + $1 END`
)

// The card processor knows the cards of the lost period, and takes an order to make another card
// with the same ID for one that it has carried out. So the IDs continue after those, and after
// those of an earlier restore of the same backup: no installation creates more than spareCards
// cards plus ten a second.
const (
	spareCards     = 1_000_000
	cardsPerSecond = 10
	findNewest     = `SELECT COALESCE(MAX(card_id), 0) FROM cards`
)

// skipCards keeps IDs that the processor may know from being assigned to other cards.
func skipCards(s db.Session, lost int) error {
	newest := 0
	if _, err := db.Find(s, []any{&newest}, findNewest); err != nil {
		return err
	}
	ids := db.Serial{Table: "cards", Column: "card_id"}
	return s.AdvanceSequence(ids, min(newest+cardsAhead(lost), math.MaxInt32))
}

// cardsAhead returns how far the IDs of cards jump if the given number of seconds has passed since
// the backup.
func cardsAhead(lost int) int { return spareCards + lost*cardsPerSecond }

// PrepareRestored prepares a restored database, which has the newest tables, for processes other
// than those that used it when the backup was made.
func PrepareRestored(ctx context.Context, engine db.Engine, backedUp time.Time) error {
	return engine.Update(ctx, func(s db.Session) error {
		now, err := s.Now()
		if err != nil {
			return s.Fail(err)
		}
		lost := max(0, int(now.Sub(backedUp)/time.Second))
		if err := s.Write(advanceOrders, lost+spareOrders); err != nil {
			return err
		}
		if err := skipCards(s, lost); err != nil {
			return err
		}
		for _, text := range []string{
			dropLeases, dropSessions, dropInvitations, freeOrders, resendFiles, freeEndpoints,
		} {
			if err := s.Write(text); err != nil {
				return err
			}
		}
		return nil
	})
}
