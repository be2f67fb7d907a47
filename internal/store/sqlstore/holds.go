package sqlstore

import (
	"slices"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// holds implements store.Holds on the tables holds and hold_ends.
type holds struct{ *tx }

const holdColumns = `o.hold_id, o.authorization_id, o.program_id, o.customer_id, o.card_id,
		o.account_id, o.kind, o.amount, o.counted_day, o.placed_at, o.ends_at, o.later,
		o.particulars`

// holdInto returns the scan destinations for holdColumns.
func holdInto(h *authorization.Hold) []any {
	return []any{&h.ID, &h.AuthorizationID, &h.ProgramID, &h.CustomerID, &h.CardID, &h.AccountID,
		&h.Kind, &h.Amount.TenThousandths, &h.Day, db.Time{To: &h.Placed}, db.Time{To: &h.Ends},
		db.JSON{To: &h.Later}, db.JSON{To: &h.Particulars}}
}

func scanHold(row db.Scan) (authorization.Hold, error) {
	var h authorization.Hold
	err := row(holdInto(&h)...)
	return h, err
}

// The queries return the sums of both directions: the kind of the hold tells which one applies.
const (
	findHold = `SELECT ` + holdColumns + `, ` + balanceColumns + `
		FROM holds o JOIN accounts a ON a.account_id = o.account_id WHERE o.hold_id = $1`
	findHoldUsages = `SELECT ` + usageColumns + ` FROM holds o
		JOIN usages w ON w.program_id = o.program_id AND w.customer_id = o.customer_id
		WHERE o.hold_id = $1
		UNION ALL SELECT ` + usageColumns + ` FROM usages w WHERE w.customer_id = 0
			AND w.program_id = (SELECT o.program_id FROM holds o WHERE o.hold_id = $1)`
	findHoldShares = `SELECT ` + shareColumns + ` FROM usage_shares s WHERE s.lane = $2
		AND s.program_id = (SELECT o.program_id FROM holds o WHERE o.hold_id = $1)`
)

func (t holds) FindView(id string) (authorization.HoldView, error) {
	var v authorization.HoldView
	var read sums
	lane := t.session.Lane()
	queries := []db.Query{
		db.Row(append(holdInto(&v.Hold), balanceInto(&v.Account)...), findHold, id),
		db.Rows(&read.usages, scanUsage, findHoldUsages, id),
	}
	if lane != 0 {
		queries = append(queries, db.Rows(&read.shares, scanShare, findHoldShares, id, lane))
	}
	err := t.session.Query(queries...)
	if err == nil && v.Hold.ID == "" {
		err = store.ErrNotFound
	}
	if err != nil {
		return authorization.HoldView{}, err
	}
	v.User, v.Program = read.of(v.Hold.ProgramID, v.Hold.CustomerID, lane,
		v.Hold.Kind.Direction())
	return v, nil
}

const (
	selectHoldEnds = `SELECT hold_id, program_id, card_id, account_id, kind, ended_by, posting_id,
		ended_at, emptied, authorization_id
	FROM hold_ends WHERE `
	findHoldEnd  = selectHoldEnds + `hold_id = $1`
	listHoldEnds = selectHoldEnds + `program_id = $1 AND hold_id > $2 ORDER BY hold_id LIMIT 0 + $3`
)

func holdEndInto(e *authorization.HoldEnd) []any {
	return []any{&e.HoldID, &e.ProgramID, &e.CardID, &e.AccountID, &e.Kind, &e.End, &e.PostingID,
		db.Time{To: &e.At}, &e.Emptied, &e.AuthorizationID}
}

func (t holds) FindEnd(id string) (authorization.HoldEnd, error) {
	return db.One(t.session, readInto(holdEndInto), findHoldEnd, id)
}

func (t holds) ListEnds(
	programID int, after string, limit int,
) ([]authorization.HoldEnd, error) {
	return db.List(t.session, readInto(holdEndInto), listHoldEnds, programID, after, limit)
}

const (
	listHolds = `SELECT ` + holdColumns + ` FROM holds o
		WHERE o.hold_id >= $1 AND o.hold_id < $2 ORDER BY o.placed_at, o.hold_id`
	listDueHolds = `SELECT ` + holdColumns + ` FROM holds o
		WHERE o.program_id = $1 AND o.ends_at <= $2 ORDER BY o.ends_at, o.hold_id LIMIT 0 + $3`
)

func (t holds) List(cardID int) ([]authorization.Hold, error) {
	prefix := authorization.HoldPrefix(cardID)
	const behind = "~" // sorts after every character of an identifier
	return db.List(t.session, scanHold, listHolds, prefix, prefix+behind)
}

func (t holds) ListDue(
	programID int, until time.Time, limit int,
) ([]authorization.Hold, error) {
	return db.List(t.session, scanHold, listDueHolds, programID, until.UnixMilli(), limit)
}

// listHoldsOfProgram finds the holds of an account among those of the program, which are few: an
// index on accounts would cost each authorization more than it saves.
const listHoldsOfProgram = `SELECT ` + holdColumns + ` FROM holds o
	WHERE o.program_id = $1 AND (o.ends_at, o.hold_id) < ($2, $3)
		AND ($5 = 0 OR o.account_id = $5)
	ORDER BY o.ends_at DESC, o.hold_id DESC LIMIT 0 + $4`

// ListEnding queries the holds of each program.
func (t holds) ListEnding(of store.HoldQuery) ([]authorization.Hold, error) {
	programs, err := programsOf(t.session, of.Programs)
	if err != nil || len(programs) == 0 {
		return nil, err
	}
	var list []authorization.Hold
	queries := make([]db.Query, len(programs))
	for i, program := range programs {
		queries[i] = db.Rows(&list, scanHold, listHoldsOfProgram,
			program, behind(of.Before.At), of.Before.ID, of.Limit, of.AccountID)
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b authorization.Hold) int {
		return a.ListKey().Compare(b.ListKey())
	})
	return list[:min(len(list), of.Limit)], nil
}

const putHold = `INSERT INTO holds (hold_id, authorization_id, program_id, customer_id, card_id,
		account_id, kind, amount, counted_day, placed_at, ends_at, later, particulars)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

func (t holds) Put(h authorization.Hold) error {
	later, particulars, err := holdTexts(h)
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Write(putHold, h.ID, h.AuthorizationID, h.ProgramID, h.CustomerID, h.CardID,
		h.AccountID, string(h.Kind), h.Amount.TenThousandths, int(h.Day), db.Millis(h.Placed),
		db.Millis(h.Ends), later, particulars)
}

func holdTexts(h authorization.Hold) (later, particulars string, err error) {
	if later, err = db.JSONText(h.Later); err != nil {
		return "", "", err
	}
	particulars, err = db.JSONText(h.Particulars)
	return later, particulars, err
}

const changeHold = `UPDATE holds SET amount = $2, later = $3, ends_at = $4 WHERE hold_id = $1`

func (t holds) Change(h authorization.Hold) error {
	later, _, err := holdTexts(h)
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Change(changeHold, h.ID, h.Amount.TenThousandths, later, db.Millis(h.Ends))
}

const (
	deleteHold = `DELETE FROM holds WHERE hold_id = $1`
	putHoldEnd = `INSERT INTO hold_ends (hold_id, program_id, card_id, account_id, kind, ended_by,
			posting_id, ended_at, emptied, authorization_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (hold_id) DO UPDATE SET program_id = excluded.program_id,
			card_id = excluded.card_id, account_id = excluded.account_id, kind = excluded.kind,
			ended_by = excluded.ended_by, posting_id = excluded.posting_id,
			ended_at = excluded.ended_at, emptied = excluded.emptied,
			authorization_id = excluded.authorization_id`
	deleteHoldEnd = `DELETE FROM hold_ends WHERE hold_id = $1 AND emptied`
	closeHoldEnd  = `UPDATE hold_ends SET emptied = FALSE WHERE hold_id = $1 AND emptied`
)

func (t holds) Delete(e authorization.HoldEnd) error {
	if err := t.session.Change(deleteHold, e.HoldID); err != nil {
		return err
	}
	return t.PutEnd(e)
}

func (t holds) PutEnd(e authorization.HoldEnd) error {
	return t.session.Write(putHoldEnd, e.HoldID, e.ProgramID, e.CardID, e.AccountID, string(e.Kind),
		string(e.End), e.PostingID, db.Millis(e.At), e.Emptied, e.AuthorizationID)
}

func (t holds) DeleteEnd(id string) error { return t.session.Change(deleteHoldEnd, id) }

func (t holds) ChangeEnd(id string) error { return t.session.Write(closeHoldEnd, id) }
