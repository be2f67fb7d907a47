package transfers

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of the acts of card-based transfers.
const (
	authorizeAct   = "authorize"
	adviseAct      = "advise"
	reverseAct     = "reverse"
	postAct        = "post"
	releaseAct     = "release"
	holdExpiredAct = "hold expired"
)

// TransferError is the reason why a message about a card-based transfer cannot be processed.
// Declining a transfer is not an error.
type TransferError struct {
	Member  string // the invalid member of the body; empty if the message contradicts stored data
	Missing bool   // the message names something that does not exist
	Detail  string
}

// Error returns the detail, after the member that it is about.
func (e *TransferError) Error() string {
	if e.Member == "" {
		return e.Detail
	}
	return e.Member + " " + e.Detail
}

// conflict returns the error of a message that contradicts stored data.
func conflict(detail string) error { return &TransferError{Detail: detail} }

// missing returns the error of a message that names something that does not exist.
func missing(detail string) error { return &TransferError{Missing: true, Detail: detail} }

// transferTx is the transaction of one message about a transfer. Unlike a caller, the processor
// does not act in a program: the card determines it.
type transferTx struct {
	tx      store.Tx
	service *Service
	from    audit.Actor

	optimistic bool  // the first attempt: see optimistic.go
	generation int64 // of the service when the transaction began
	learned    *transferRules
	contention *store.Contention // of the transfer, as far as known
}

// process runs the act of a message, retries it after a lost race, and returns its answer. name is
// that of the card, if the message has one.
func process[T any](
	ctx context.Context, s *Service, from audit.Actor, name store.CardRef,
	act func(*transferTx) (T, error),
) (T, error) {
	var answer, none T
	contention := s.orderingKeys.contentionOf(name)
	ctx = store.WithContention(ctx, &contention)
	var err error
	for number := range issuing.MaxActAttempts {
		var last *transferTx
		generation := s.Generation.Number()
		err = s.Store.Update(ctx, func(tx store.Tx) (err error) {
			last = &transferTx{
				tx: tx, service: s, from: from, optimistic: number == 0, generation: generation,
				contention: &contention,
			}
			answer, err = act(last)
			return err
		})
		if err == nil {
			if last.learned != nil {
				s.rules.Store(last.learned.programID, last.learned)
			}
			s.orderingKeys.note(name, contention)
			return answer, nil
		}
		// A message that contradicts the store now may have been processed when it first came.
		var wrong *TransferError
		if !issuing.IsRetryable(err) && (number > 0 || !errors.As(err, &wrong)) {
			break
		}
	}
	return none, issuing.FaultOf(err) // the answer of a failed attempt is dropped
}

// transferRules holds the settings of a program that transfers need.
type transferRules struct {
	programID, revision int
	generation          int64
	zone                *time.Location
	decimals            int
	withdraw, deposit   authorization.Rules
}

// rulesFor returns the rules of a direction.
func (r *transferRules) rulesFor(d authorization.Direction) authorization.Rules {
	if d == authorization.Deposits {
		return r.deposit
	}
	return r.withdraw
}

// rulesByProgram caches the newest rules of each program. They are used while the program has the
// revision at which they were read, so a limit that an operator changes counts immediately.
type rulesByProgram struct{ sync.Map }

// rules returns the rules of a program at a revision.
func (t *transferTx) rules(programID, revision int) (*transferRules, error) {
	known, _ := t.service.rules.Load(programID)
	if rules, same := known.(*transferRules); same && rules.revision == revision &&
		rules.generation == t.generation {
		return rules, nil
	}
	p, err := t.tx.Programs().Find(programID)
	if err != nil {
		return nil, err
	}
	in := func(d authorization.Direction) authorization.Rules {
		return authorization.Rules{
			Limits: authorization.LimitsOf(&p.Settings, d), Currency: p.Currency,
			Decimals: p.Settings.DecimalCount,
		}
	}
	t.learned = &transferRules{
		programID: programID, revision: p.Revision, generation: t.generation, zone: p.Location(),
		decimals: p.Settings.DecimalCount,
		withdraw: in(authorization.Withdraws), deposit: in(authorization.Deposits),
	}
	return t.learned, nil
}

// checkDecimals refuses an amount that is written with more digits than the program has. An amount
// that refers to an earlier one, from before decimalCount was lowered, may have as many digits as
// that.
func (r *transferRules) checkDecimals(
	amount value.Amount, written int, earlier ...value.Amount,
) error {
	if written <= r.decimals {
		return nil
	}
	for _, e := range earlier {
		if e != authorization.Nothing && amount.Digits() <= max(r.decimals, e.Digits()) {
			return nil
		}
	}
	return &TransferError{
		Member: "amount",
		Detail: "has more decimal digits than the program's " + strconv.Itoa(r.decimals),
	}
}

// today returns the time of the transaction in the program's zone, and its day.
func (t *transferTx) today(rules *transferRules) (time.Time, authorization.Day) {
	now := t.tx.Now().In(rules.zone)
	return now, authorization.DayOf(now)
}

// putAccount stores the balances of an account if they have changed.
func (t *transferTx) putAccount(before, after authorization.Account) error {
	if before.Balance == after.Balance && before.Available == after.Available &&
		before.Held == after.Held {
		return nil
	}
	return t.tx.Balances().Change(after)
}

// putProgramUsage stores the changes to the sum of a program.
func (t *transferTx) putProgramUsage(before, after authorization.ProgramUsage) error {
	shares := after.Emptied
	if after.Share != before.Share {
		shares = append(shares, after.Share)
	}
	for _, share := range shares {
		if err := t.tx.Usages().PutShare(share); err != nil {
			return err
		}
	}
	if after.Total == before.Total {
		return nil
	}
	return t.tx.Usages().Put(after.Total)
}

// properties holds what the audit shows of a transfer, in the order of the names.
type properties struct {
	AccountBalance   *value.Amount           `json:"accountBalance,omitempty"`
	AccountID        int                     `json:"accountId,omitempty"`
	Amount           *value.Amount           `json:"amount,omitempty"`
	Approved         *bool                   `json:"approved,omitempty"`
	AuthorizationID  string                  `json:"authorizationId,omitempty"`
	AvailableBalance *value.Amount           `json:"availableBalance,omitempty"`
	By               authorization.Decider   `json:"by,omitempty"`
	Category         string                  `json:"category,omitempty"`
	Currency         string                  `json:"currency,omitempty"`
	Final            *bool                   `json:"final,omitempty"`
	HoldID           string                  `json:"holdId,omitempty"`
	IncrementOf      string                  `json:"incrementOf,omitempty"`
	Kind             string                  `json:"kind,omitempty"`
	Merchant         *authorization.Merchant `json:"merchant,omitempty"`
	Original         *authorization.Original `json:"original,omitempty"`
	PostingID        string                  `json:"postingId,omitempty"`
	Reason           string                  `json:"reason,omitempty"`
	RequestedAmount  *value.Amount           `json:"requestedAmount,omitempty"`
	ReversalID       string                  `json:"reversalId,omitempty"`
	WouldHave        authorization.Reason    `json:"wouldHave,omitempty"`
}

// withParticulars adds what the holder of the card has seen.
func (p properties) withParticulars(by authorization.Particulars) properties {
	p.Currency, p.Original, p.Merchant = by.Currency, by.Original, by.Merchant
	return p
}

// balances adds the balances of an account.
func (p properties) balances(a authorization.Account) properties {
	if a.ID != 0 {
		p.AccountBalance, p.AvailableBalance = exact(a.Balance), exact(a.Available)
	}
	return p
}

// exact returns an amount with all of its digits.
func exact(a value.Amount) *value.Amount {
	a = a.Fixed(a.Digits())
	return &a
}

// entryOf returns the audit entry of a message about a card; cardID is 0 for an unknown card.
func entryOf(act, outcome string, programID, cardID int) audit.Entry {
	entry := audit.Entry{Act: act, ProgramID: programID, Outcome: outcome}
	if cardID != 0 {
		entry.Subject = audit.Of(audit.Card, cardID)
	}
	return entry
}

// auditTransfer stores an entry with the balances of the account before and after.
func (t *transferTx) auditTransfer(
	entry audit.Entry, before authorization.Account, after properties,
) error {
	if t.from.Kind == audit.Processor {
		if err := t.service.CheckFence(entry.ProgramID); err != nil {
			if t.optimistic {
				return issuing.ErrRecheck // it may have been done before
			}
			return err
		}
	}
	was, err := json.Marshal(properties{}.balances(before))
	if err != nil {
		return err
	}
	now, err := json.Marshal(after)
	if err != nil {
		return err
	}
	entry.At, entry.Actor, entry.After = t.tx.Now(), t.from, string(now)
	if before.ID != 0 {
		entry.Before = string(was)
	}
	return t.tx.Audit().Put(entry)
}

// auditUnchanged stores the entry of a message that moves no money.
func (t *transferTx) auditUnchanged(act string, programID, cardID int, shown properties) error {
	entry := entryOf(act, issuing.OutcomeUnchanged, programID, cardID)
	return t.auditTransfer(entry, authorization.Account{}, shown)
}

// findEarlier returns what an earlier message stored under an identifier. The first attempt skips
// the lookup: the unique index rejects an identifier that was used.
func findEarlier[T any](
	t *transferTx, find func(id string) (T, error), id string,
) (stored T, known bool, err error) {
	if t.optimistic {
		return stored, false, nil
	}
	stored, err = find(id)
	if errors.Is(err, store.ErrNotFound) {
		return stored, false, nil
	}
	return stored, err == nil, err
}
