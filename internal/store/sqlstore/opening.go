package sqlstore

import (
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// The holder and the account may be missing, and read as nobody and nothing then.
const (
	findOpening      = openingColumns + openingRows
	findOpeningNames = openingColumns + namesTaken + openingRows

	openingColumns = `SELECT ` + customerColumns + `,
		h.customer_id, h.program_id, h.status, h.access_type, h.is_active, h.is_locked,
		h.deceased_on, h.born_on,
		` + accountColumns + `, COALESCE(x.type, 'NONE')`

	// A tag that is empty is nobody's. The statuses are those of the index on nicknames.
	namesTaken = `,
		EXISTS (SELECT 1 FROM cards WHERE program_id = $1 AND tag = $5),
		EXISTS (SELECT 1 FROM cards WHERE customer_id = $2 AND nick_key = $6
			AND status NOT IN ('Archived', 'Reissued', 'Denied'))`

	openingRows = `
	FROM customers u
	LEFT JOIN customers h ON h.program_id = $1 AND h.customer_id = $3
	LEFT JOIN accounts a ON a.program_id = $1 AND a.account_id = $4
	LEFT JOIN account_access x ON x.customer_id = $2 AND x.account_id = $4 ` + whereCustomer
)

// FindOpening asks for everything at once: an order for a card is to wait for the database as
// rarely as any other act.
func (r *reader) FindOpening(of store.OpeningKey) (store.Opening, error) {
	return r.findOpening(of, nil)
}

// FindOpening takes the program from memory when nobody has written one since the last commit, as
// FindStanding does with cards.
func (t *tx) FindOpening(of store.OpeningKey) (store.Opening, error) {
	if t.cache == nil || t.touched.more || t.failure != nil {
		return t.reader.FindOpening(of)
	}
	known := t.cache.findProgram(of.ProgramID)
	found, err := t.findOpening(of, known)
	if err == nil && known == nil {
		t.cache.putProgram(t.cache.begin(), found.Program)
	}
	return found, err
}

// findOpening leaves out what is known of the program already.
func (r *reader) findOpening(of store.OpeningKey, known *program.Program) (store.Opening, error) {
	var found store.Opening
	var questions []question
	if known != nil {
		found.Program = *known
	} else {
		questions = programQuestions(&found.Program, of.ProgramID, findMaking)
	}
	into := append(customerInto(&found.Creator), briefInto(&found.Holder)...)
	into = append(into, accountInto(&found.Account)...)
	into = append(into, &found.Access)
	text, args := findOpening, []any{of.ProgramID, of.CreatorID, of.HolderID, of.AccountID}
	if of.Names {
		into = append(into, &found.TagTaken, &found.NickNameTaken)
		text, args = findOpeningNames, append(args, of.Tag, nickKey(of.NickName))
	}
	err := r.together(append(questions, one(into, text, args...))...)
	if err == nil && found.Creator.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Opening{}, err
	}
	return found, nil
}
