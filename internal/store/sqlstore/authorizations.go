package sqlstore

import (
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// On PostgreSQL a transaction must not read index pages that an unrelated one writes to. A transfer
// therefore does not look up an identifier that it is about to insert: the unique index rejects a
// duplicate. It reads only rows that are updated in place.

// authorizations implements store.Authorizations on the table authorizations.
type authorizations struct{ *tx }

// One statement reads a card with its creator, its holder and its accounts: a row for each account,
// or one row for a card without accounts.
const (
	decisionColumns = `c.card_id, c.program_id, c.customer_id, c.holder_id, c.status, c.lock_type,
		c.lock_reason, c.expire_month, c.expire_year, c.primary_category, g.revision`
	creatorColumns = `u.customer_id, u.program_id, u.status, u.access_type, u.is_active,
		u.is_locked, u.deceased_on, u.born_on`
	holderColumns = `h.customer_id, h.program_id, h.status, h.access_type, h.is_active,
		h.is_locked, h.deceased_on, h.born_on`
	findDecision = `SELECT ` + decisionColumns + `, ` + creatorColumns + `, ` + holderColumns + `,
			s.category, s.priority, ` + balanceColumns + `
		FROM cards c JOIN programs g ON g.program_id = c.program_id
		JOIN customers u ON u.customer_id = c.customer_id
		JOIN customers h ON h.customer_id = c.holder_id
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		WHERE c.card_id = `
	findDecisionByID     = findDecision + `$1`
	findDecisionByDigest = findDecision + byDigest + `)`
	findDecisionByEach   = findDecision + byDigest + ` OR second_digest = $2)`
)

// The sums of the creator and of the whole program are looked up separately: with one condition for
// both, PostgreSQL would read those of every user.
const (
	findUserUsage = `SELECT ` + usageColumns + ` FROM cards c
		JOIN usages w ON w.program_id = c.program_id AND w.customer_id = c.customer_id
			AND w.direction = $2
		WHERE c.card_id = `
	findProgramUsage = ` UNION ALL SELECT ` + usageColumns + ` FROM usages w
		WHERE w.customer_id = 0 AND w.direction = $2
			AND w.program_id = (SELECT c.program_id FROM cards c WHERE c.card_id = `
	byDigest           = `(SELECT card_id FROM card_numbers WHERE digest = $1`
	byEach             = byDigest + ` OR second_digest = $3)`
	findUsagesByID     = findUserUsage + `$1` + findProgramUsage + `$1)`
	findUsagesByDigest = findUserUsage + byDigest + `)` + findProgramUsage + byDigest + `))`
	findUsagesByEach   = findUserUsage + byEach + findProgramUsage + byEach + `)`
)

// A share belongs to one lane.
const (
	findShare = `SELECT ` + shareColumns + ` FROM usage_shares s
		WHERE s.lane = $3 AND s.direction = $2
			AND s.program_id = (SELECT c.program_id FROM cards c WHERE c.card_id = `
	findShareByID     = findShare + `$1)`
	findShareByDigest = findShare + byDigest + `))`
	findShareByEach   = findShare + byDigest + ` OR second_digest = $4))`
)

// decisionQueries returns the queries for a card, for its sums and for the share of a lane, with
// the card named by its ID or by the digests of its PAN. During the rotation of a digest key, a PAN
// has two digests.
func decisionQueries(
	of store.CardRef, direction string, lane int,
) (card, usages, share db.Query) {
	id, first, second := of.ID, db.OrEmpty(of.Digest.First), of.Digest.Second
	switch {
	case id != 0:
		return db.Query{Text: findDecisionByID, Args: []any{id}},
			db.Query{Text: findUsagesByID, Args: []any{id, direction}},
			db.Query{Text: findShareByID, Args: []any{id, direction, lane}}
	case second == nil:
		return db.Query{Text: findDecisionByDigest, Args: []any{first}},
			db.Query{Text: findUsagesByDigest, Args: []any{first, direction}},
			db.Query{Text: findShareByDigest, Args: []any{first, direction, lane}}
	}
	return db.Query{Text: findDecisionByEach, Args: []any{first, second}},
		db.Query{Text: findUsagesByEach, Args: []any{first, direction, second}},
		db.Query{Text: findShareByEach, Args: []any{first, direction, lane, second}}
}

func (t authorizations) FindView(
	of store.CardRef, direction authorization.Direction,
) (authorization.View, error) {
	var d decisionRow
	var read sums
	lane := t.session.Lane()
	byCard, ofUsages, ofShare := decisionQueries(of, string(direction), lane)
	queries := []db.Query{d.query(byCard.Text, byCard.Args),
		db.Rows(&read.usages, scanUsage, ofUsages.Text, ofUsages.Args...)}
	if lane != 0 {
		queries = append(queries, db.Rows(&read.shares, scanShare, ofShare.Text, ofShare.Args...))
	}
	err := t.session.Query(queries...)
	if err != nil || d.view.Card.ID == 0 {
		return authorization.View{}, err
	}
	d.view.User, d.view.Program = read.of(d.view.Card.ProgramID, d.view.Card.CreatorID, lane,
		direction)
	return d.view, nil
}

// decisionRow reads the rows of findDecision, which may come in any order.
type decisionRow struct {
	view     authorization.View
	category card.Category
	priority int
	account  authorization.Account
}

func (r *decisionRow) query(text string, args []any) db.Query {
	v := &r.view
	v.Accounts = make(map[int]authorization.Account)
	into := []any{&v.Card.ID, &v.Card.ProgramID, &v.Card.CreatorID, &v.Card.HolderID,
		&v.Card.Status, &v.Card.Lock.Type, &v.Card.Lock.Reason, &v.Card.ExpireMonth,
		&v.Card.ExpireYear, &v.Card.PrimaryCategory, &v.ProgramRevision}
	into = append(into, decisionStandingInto(&v.Creator)...)
	into = append(into, decisionStandingInto(&v.Holder)...)
	into = append(append(into, &r.category, &r.priority), balanceInto(&r.account)...)
	return db.Query{Text: text, Args: args, Each: func(row db.Scan) error {
		if err := row(into...); err != nil {
			return err
		}
		if r.account.ID != 0 {
			r.put()
		}
		return nil
	}}
}

// put stores the latest account in its slot.
func (r *decisionRow) put() {
	at := &r.view.Card.Slots.Checking
	if r.category == customer.Savings {
		at = &r.view.Card.Slots.Savings
	}
	for len(*at) < r.priority {
		*at = append(*at, 0)
	}
	(*at)[r.priority-1] = r.account.ID
	r.view.Accounts[r.account.ID] = r.account
}

func decisionStandingInto(s *customer.Standing) []any {
	return []any{&s.ID, &s.ProgramID, &s.Status, &s.AccessType, &s.IsActive, &s.IsLocked,
		db.Time{To: &s.Deceased}, db.Time{To: &s.Birth}}
}

const authorizationColumns = `authorization_id, request_digest, program_id, card_id, kind, category,
		amount, currency, reason, account_id, happened_at, decided_at, customer_id, approved_amount,
		details, root_id, advice_digest, advised_by, advised_amount, would_have, grown, reversed, posted`

const (
	findAuthorization = `SELECT ` + authorizationColumns + `
	FROM authorizations WHERE authorization_id = $1`
	findAuthorizations = `SELECT ` + authorizationColumns + `
	FROM authorizations WHERE authorization_id IN `
)

func (t authorizations) Find(id string) (authorization.Authorization, error) {
	return db.One(t.session, scanAuthorization, findAuthorization, id)
}

func (t authorizations) FindMany(ids []string) ([]authorization.Authorization, error) {
	return db.FindMany(t.session, scanAuthorization, findAuthorizations, ids)
}

func scanAuthorization(row db.Scan) (authorization.Authorization, error) {
	var a authorization.Authorization
	err := row(&a.ID, &a.Digest, &a.ProgramID, &a.CardID, &a.Kind, &a.Category,
		&a.Transfer.Amount.TenThousandths, &a.Currency, &a.Reason, &a.AccountID,
		db.Time{To: &a.At}, db.Time{To: &a.Decided}, &a.CustomerID,
		&a.Decision.Amount.TenThousandths, db.JSON{To: &a.Details}, &a.Root, &a.Advice.Digest,
		&a.Advice.By, &a.Advice.Amount.TenThousandths, &a.Advice.WouldHave,
		&a.Grown.TenThousandths, &a.Reversed.TenThousandths, &a.Posted.TenThousandths)
	if err != nil {
		return authorization.Authorization{}, err
	}
	a.Digest, a.Advice.Digest = orNil(a.Digest), orNil(a.Advice.Digest)
	a.Advice.Approved = a.Advice.Amount.TenThousandths > 0
	if a.Approved() && a.Decision.Amount.TenThousandths == 0 && a.Advice.By == "" {
		a.Decision.Amount = a.Transfer.Amount // the previous version approved all or nothing
	}
	return a, nil
}

// orNil returns nil for an empty slice.
func orNil(bytes []byte) []byte {
	if len(bytes) == 0 {
		return nil
	}
	return bytes
}

// A plain approval or decline leaves out the columns that only advices, reversals and later
// messages fill.
const putAuthorization = `INSERT INTO authorizations (authorization_id, request_digest, program_id,
		card_id, kind, category, amount, currency, reason, account_id, happened_at, decided_at,
		customer_id, approved_amount, details, root_id)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`

var (
	putAnyAuthorization = `INSERT INTO authorizations (` + authorizationColumns + `)
		VALUES ` + db.Places(authorizationFields)
	changeAuthorization = `UPDATE authorizations SET (` + authorizationColumns + `) =
		` + db.Places(authorizationFields) + ` WHERE authorization_id = $1`
)

const authorizationFields = 23

func (t authorizations) Put(a authorization.Authorization) error {
	args, err := authorizationArgs(a)
	if err != nil {
		return t.session.Fail(err)
	}
	if a.Advice.By == "" && a.Book == (authorization.Book{}) {
		return t.session.Write(putAuthorization, args[:16]...)
	}
	return t.session.Write(putAnyAuthorization, args...)
}

func (t authorizations) Change(a authorization.Authorization) error {
	args, err := authorizationArgs(a)
	if err != nil {
		return t.session.Fail(err)
	}
	return t.session.Change(changeAuthorization, args...)
}

// authorizationArgs returns the values of authorizationColumns.
func authorizationArgs(a authorization.Authorization) ([]any, error) {
	details, err := db.JSONText(a.Details)
	return []any{a.ID, db.OrEmpty(a.Digest), a.ProgramID, a.CardID, string(a.Kind),
		string(a.Category), a.Transfer.Amount.TenThousandths, a.Currency, string(a.Reason),
		a.AccountID, db.Millis(a.At), db.Millis(a.Decided), a.CustomerID,
		a.Decision.Amount.TenThousandths, details, a.Root, db.OrEmpty(a.Advice.Digest),
		string(a.Advice.By), a.Advice.Amount.TenThousandths, string(a.Advice.WouldHave),
		a.Grown.TenThousandths, a.Reversed.TenThousandths, a.Posted.TenThousandths}, err
}
