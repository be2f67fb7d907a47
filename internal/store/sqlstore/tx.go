package sqlstore

import (
	"context"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/store/sqlstore/db"
)

// tx implements store.Tx on a session. Each part of the contract is a view of it, in the file of
// its table.
type tx struct {
	session db.Session
	noTime  error // why the time of the transaction could not be read

	digest func(audit.Entry) []byte // in an Update

	ctx   context.Context // in a Read
	batch *batcher        // in a Read; nil where lookups are not batched
}

var _ store.Tx = (*tx)(nil)

// Reading returns a read-only transaction on a session, for package inspect.
func Reading(s db.Session) store.Tx { return &tx{session: &db.ReadOnly{Session: s}} }

// begin sets the session of a closure. A closure that runs again gets another one.
func (t *tx) begin(s db.Session) { t.session, t.noTime = s, nil }

// end returns the error of a closure. If the time could not be read, it returns that error instead,
// because the closure has decided with the zero time.
func (t *tx) end(err error) error {
	if t.noTime != nil {
		return t.noTime
	}
	return err
}

func (t *tx) Banks() store.Banks         { return banks{t} }
func (t *tx) BankKeys() store.BankKeys   { return bankKeys{t} }
func (t *tx) Programs() store.Programs   { return programs{t} }
func (t *tx) Customers() store.Customers { return customers{t} }
func (t *tx) Accounts() store.Accounts   { return accounts{t} }
func (t *tx) Access() store.Access       { return access{t} }
func (t *tx) Documents() store.Documents { return documents{t} }
func (t *tx) Keys() store.Keys           { return keys{t} }

func (t *tx) CardNumbers() store.CardNumbers { return cardNumbers{t} }
func (t *tx) CardSearch() store.CardSearch   { return cardSearch{t} }
func (t *tx) Issuance() store.Issuance       { return issuance{t} }
func (t *tx) Orders() store.Orders           { return orders{t} }
func (t *tx) Files() store.Files             { return files{t} }
func (t *tx) Reports() store.Reports         { return reports{t} }

func (t *tx) Authorizations() store.Authorizations { return authorizations{t} }
func (t *tx) Holds() store.Holds                   { return holds{t} }
func (t *tx) Reversals() store.Reversals           { return reversals{t} }
func (t *tx) Postings() store.Postings             { return postings{t} }
func (t *tx) Balances() store.Balances             { return balances{t} }
func (t *tx) Usages() store.Usages                 { return usages{t} }

func (t *tx) Audit() store.Audit       { return auditEntries{t} }
func (t *tx) AuditLog() store.AuditLog { return auditLog{t} }
func (t *tx) Trail() store.Trail       { return auditTrail{t} }
func (t *tx) Erasure() store.Erasure   { return erasure{t} }

func (t *tx) CallerAnswers() store.Answers           { return callerAnswers{t} }
func (t *tx) OperatorAnswers() store.OperatorAnswers { return operatorAnswers{t} }
func (t *tx) Approvals() store.Approvals             { return approvals{t} }
func (t *tx) Locations() store.Locations             { return locations{t} }
func (t *tx) Operators() store.Operators             { return operators{t} }
func (t *tx) Tokens() store.Tokens                   { return tokens{t} }
func (t *tx) Sessions() store.Sessions               { return sessions{t} }

func (t *tx) Webhooks() store.Webhooks     { return webhooks{t} }
func (t *tx) Deliveries() store.Deliveries { return deliveries{t} }

func (t *tx) Jobs() store.Jobs                            { return jobs{t} }
func (t *tx) Due() store.Due                              { return due{t} }
func (t *tx) Hourly() store.Hourly                        { return hourly{t} }
func (t *tx) Feeds() store.Feeds                          { return feeds{t} }
func (t *tx) Compromises() store.Compromises              { return compromises{t} }
func (t *tx) Reconciliations() reconciled.Reconciliations { return reconciliations{t} }
func (t *tx) Installation() store.Installation            { return installation{t} }

// Cards batches lookups in a Read, on an engine where batching pays off.
func (t *tx) Cards() store.Cards {
	if t.batch != nil {
		return batchedCards{cards{t}}
	}
	return cards{t}
}

// Now returns the time of the transaction. If the time cannot be read, end returns the error.
func (t *tx) Now() time.Time {
	now, err := t.session.Now()
	if err != nil {
		t.noTime = t.session.Fail(err)
	}
	return now
}

// find runs a query for one row. It returns store.ErrNotFound if there is none.
func (t *tx) find(into []any, text string, args ...any) error {
	ok, err := db.Find(t.session, into, text, args...)
	if err == nil && !ok {
		return store.ErrNotFound
	}
	return err
}
