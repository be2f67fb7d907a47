package sqlstore

import (
	"context"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/digesting"
	"mintmark/internal/store/sqlstore/drafts"
	"mintmark/internal/store/sqlstore/exchange"
	"mintmark/internal/store/sqlstore/feeding"
	"mintmark/internal/store/sqlstore/gate"
	"mintmark/internal/store/sqlstore/jobs"
	"mintmark/internal/store/sqlstore/keyuse"
	"mintmark/internal/store/sqlstore/listing"
	"mintmark/internal/store/sqlstore/money"
	"mintmark/internal/store/sqlstore/outbox"
	"mintmark/internal/store/sqlstore/people"
	"mintmark/internal/store/sqlstore/privacy"
	"mintmark/internal/store/sqlstore/reconciling"
	"mintmark/internal/store/sqlstore/reports"
	"mintmark/internal/store/sqlstore/resealing"
	"mintmark/internal/store/sqlstore/sealing"
	"mintmark/internal/store/sqlstore/webhooks"
)

// tx is a store.Tx on a session. The parts of the contract are views of it, each in the file of its
// table.
type tx struct {
	session db.Session
	fn      func(store.Tx) error // the closure
	reads   *db.ReadOnly         // stands between a Read or View and its session; nil in an Update
	noTime  error                // why the time of the transaction could not be had

	digest func(audit.Entry) []byte // of an Update

	ctx   context.Context // of a Read
	batch *batcher        // of a Read; nil where lookups are not batched
}

var _ store.Tx = (*tx)(nil)

// Reading returns a read-only transaction on a session, for package examine.
func Reading(s db.Session) store.Tx { return &tx{session: &db.ReadOnly{Session: s}} }

// runClosure runs the closure in a session, another one when it runs again. When no time could be
// read, that is the error, because the closure has decided with a zero time.
func (t *tx) runClosure(s db.Session) error {
	t.session, t.noTime = s, nil
	if t.reads != nil {
		t.reads.Session = s
		t.session = t.reads
	}
	err := t.fn(t)
	if t.noTime != nil {
		return t.noTime
	}
	return err
}

func (t *tx) Banks() store.Banks               { return banks{t} }
func (t *tx) BankKeys() store.BankKeys         { return resealing.Keys{Session: t.session} }
func (t *tx) SealedTexts() store.SealedTexts   { return resealing.Texts{Session: t.session} }
func (t *tx) Programs() store.Programs         { return programs{t} }
func (t *tx) Customers() store.Customers       { return customers{t} }
func (t *tx) Accounts() store.Accounts         { return accounts{t} }
func (t *tx) Access() store.Access             { return access{t} }
func (t *tx) Documents() store.Documents       { return documents{t} }
func (t *tx) Drafts() store.Drafts             { return drafts.Drafts{Session: t.session} }
func (t *tx) Keys() store.Keys                 { return keys{t} }
func (t *tx) KeyUses() store.KeyUses           { return keyuse.Uses{Session: t.session} }
func (t *tx) Issuance() store.Issuance         { return issuance{t} }
func (t *tx) PANs() store.PANs                 { return pans{t} }
func (t *tx) Digests() digests.Digests         { return digesting.Rows{Session: t.session} }
func (t *tx) Attempts() store.Attempts         { return attempts{t} }
func (t *tx) Orders() store.Orders             { return outbox.Orders{Session: t.session} }
func (t *tx) Files() store.Files               { return exchange.Files{Session: t.session} }
func (t *tx) Reports() store.Reports           { return reports.New(t.session) }
func (t *tx) Log() store.Log                   { return sealing.Log{Session: t.session} }
func (t *tx) Trail() store.Trail               { return sealing.Trail{Session: t.session} }
func (t *tx) Batches() store.Batches           { return sealing.Batches{Session: t.session} }
func (t *tx) Idempotency() store.Idempotency   { return idempotency{t} }
func (t *tx) Leases() store.Leases             { return jobs.Leases{Session: t.session} }
func (t *tx) Jobs() store.Jobs                 { return jobs.Jobs{Session: t.session} }
func (t *tx) Due() store.Due                   { return jobs.Due{Session: t.session} }
func (t *tx) Agenda() store.Agenda             { return jobs.Agenda{Session: t.session} }
func (t *tx) Installation() store.Installation { return installation{t} }
func (t *tx) Approvals() store.Approvals       { return gate.Approvals{Session: t.session} }
func (t *tx) Answers() store.Answers           { return gate.Answers{Session: t.session} }
func (t *tx) PersonKeys() store.PersonKeys     { return privacy.Keys{Session: t.session} }
func (t *tx) Traces() store.Traces             { return privacy.Traces{Session: t.session} }
func (t *tx) OldTraces() store.OldTraces       { return privacy.Traces{Session: t.session} }
func (t *tx) Places() store.Places             { return gate.Places{Session: t.session} }
func (t *tx) Feeds() store.Feeds               { return feeding.Feeds{Session: t.session} }

func (t *tx) Authorizations() store.Authorizations { return money.Of(t.session).Authorizations() }
func (t *tx) Holds() store.Holds                   { return money.Of(t.session).Holds() }
func (t *tx) Postings() store.Postings             { return money.Of(t.session).Postings() }
func (t *tx) Balances() store.Balances             { return money.Of(t.session).Balances() }
func (t *tx) Usages() store.Usages                 { return money.Of(t.session).Usages() }
func (t *tx) Webhooks() store.Webhooks             { return webhooks.Webhooks{Session: t.session} }

func (t *tx) Endpoints() store.Endpoints   { return webhooks.Endpoints{Session: t.session} }
func (t *tx) Deliveries() store.Deliveries { return webhooks.Deliveries{Session: t.session} }
func (t *tx) Lanes() store.Lanes           { return webhooks.Lanes{Session: t.session} }

func (t *tx) DeliveryAttempts() store.DeliveryAttempts {
	return webhooks.Attempts{Session: t.session}
}
func (t *tx) Reconciliations() reconciled.Reconciliations { return reconciling.Of(t.session) }

func (t *tx) Replays() store.Replays             { return webhooks.Replays{Session: t.session} }
func (t *tx) CardIndex() store.CardIndex         { return listing.Cards{Session: t.session} }
func (t *tx) CardTexts() store.CardTexts         { return listing.Texts{Session: t.session} }
func (t *tx) CustomerIndex() store.CustomerIndex { return listing.Customers{Session: t.session} }
func (t *tx) Histories() store.Histories         { return sealing.Histories{Session: t.session} }
func (t *tx) Operators() store.Operators         { return people.Operators{Session: t.session} }
func (t *tx) Credentials() store.Credentials     { return people.Credentials{Session: t.session} }
func (t *tx) Invitations() store.Invitations     { return people.Invitations{Session: t.session} }
func (t *tx) Tokens() store.Tokens               { return people.Tokens{Session: t.session} }
func (t *tx) Sessions() store.Sessions           { return people.Sessions{Session: t.session} }
func (t *tx) SignIns() store.SignIns             { return people.SignIns{Session: t.session} }

// Audit digests what is put.
func (t *tx) Audit() store.Audit {
	return sealing.Audit{Session: t.session, Digest: t.digest}
}

// Cards are batched in a Read on an engine whose lookups are worth batching.
func (t *tx) Cards() store.Cards {
	if t.batch != nil {
		return batchedCards{cards{t}}
	}
	return cards{t}
}

// Now is the time of the transaction.
func (t *tx) Now() time.Time {
	now, err := t.session.Now()
	if err != nil {
		t.noTime = t.session.Fail(err)
	}
	return now
}

// find runs a query for one row, and is store.ErrNotFound without one.
func (t *tx) find(into []any, text string, args ...any) error {
	found, err := db.Find(t.session, into, text, args...)
	if err == nil && !found {
		return store.ErrNotFound
	}
	return err
}
