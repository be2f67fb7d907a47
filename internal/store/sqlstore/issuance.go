package sqlstore

import (
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// issuance implements store.Issuance: it reads what an order for a new card needs from several
// tables.
type issuance struct{ *tx }

// The columns of a missing holder or account are NULL, and are read as zero values. No card has an
// empty tag. The statuses are those of the partial index on nicknames.
const (
	findIssuance = `SELECT ` + customerColumns + `,
			h.customer_id, h.program_id, h.status, h.access_type, h.is_active, h.is_locked,
			h.deceased_on, h.born_on,
			` + accountColumns + `, COALESCE(x.type, 'NONE')
		FROM customers u
		LEFT JOIN customers h ON h.program_id = $1 AND h.customer_id = $3
		LEFT JOIN accounts a ON a.program_id = $1 AND a.account_id = $4
		LEFT JOIN account_access x ON x.customer_id = $2 AND x.account_id = $4
		WHERE u.program_id = $1 AND u.customer_id = $2`
	findNamesTaken = `SELECT
		EXISTS (SELECT 1 FROM cards WHERE program_id = $1 AND tag = $2),
		EXISTS (SELECT 1 FROM cards WHERE customer_id = $3 AND nick_key = $4
			AND status NOT IN ('Archived', 'Reissued', 'Denied'))`
	findTaken = `SELECT COALESCE((SELECT program_id FROM cards WHERE card_id = $1), 0),
		EXISTS (SELECT 1 FROM cards WHERE program_id = $2 AND tag = $3),
		EXISTS (SELECT 1 FROM cards WHERE customer_id = $4 AND nick_key = $5
			AND status NOT IN ('Archived', 'Reissued', 'Denied'))`
)

// FindView reads everything in one round trip.
func (t issuance) FindView(of store.IssuanceQuery) (store.IssuanceView, error) {
	var view store.IssuanceView
	var queries []db.Query
	if !of.ProgramKnown {
		queries = issuingQueries(&view.Program, of.ProgramID)
	}
	into := append(customerInto(&view.Creator), standingInto(&view.Holder)...)
	into = append(append(into, accountInto(&view.Account)...), &view.Access)
	queries = append(queries,
		db.Row(into, findIssuance, of.ProgramID, of.CreatorID, of.HolderID, of.AccountID))
	if of.Names {
		queries = append(queries, db.Row([]any{&view.TagTaken, &view.NickNameTaken},
			findNamesTaken, of.ProgramID, of.Tag, of.CreatorID, card.NickKey(of.NickName)))
	}
	err := t.session.Query(queries...)
	if err == nil && view.Creator.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.IssuanceView{}, err
	}
	return view, nil
}

// FindTaken checks all cards in one round trip.
func (t issuance) FindTaken(of []store.UniqueValues) ([]store.Conflicts, error) {
	taken := make([]store.Conflicts, len(of))
	var queries []db.Query
	for i, names := range of {
		into := &taken[i]
		queries = append(queries, db.Row([]any{&into.ProgramID, &into.Tag, &into.NickName}, findTaken,
			names.CardID, names.ProgramID, names.Tag, names.CreatorID, card.NickKey(names.NickName)))
		if names.PAN.First != nil {
			queries = append(queries, queryPAN(&into.PAN, names.PAN))
		}
	}
	return taken, t.session.Query(queries...)
}
