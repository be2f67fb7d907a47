package issuing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// Outcomes of acts on approvals, in the audit.
const (
	approvalAsked     = "waits for approval"
	approvalApproved  = "approved"
	approvalRejected  = "rejected"
	approvalWithdrawn = "withdrawn"
	approvalRead      = "result read"
)

// ErrNeedsApproval is returned for an act that is allowed but needs a second operator. Its
// transaction is rolled back.
var ErrNeedsApproval = errors.New("issuing: the act needs a second operator")

// Guard marks the act as needing a second operator if its program demands one; for an act outside
// any program, the setting fourEyes decides. It reads the program in the act's transaction
// (decision 9), before the act changes it.
func (tx *Tx) Guard() error {
	demanded := tx.Service.FourEyes != nil && tx.Service.FourEyes()
	if tx.Caller.ProgramID != 0 {
		p, err := tx.Programs().Find(tx.Caller.ProgramID)
		if err != nil {
			return err
		}
		demanded = p.FourEyes
	}
	tx.guarded = tx.guarded || demanded && !tx.Caller.unguarded
	return nil
}

// Guarded returns a function that calls Guard before fn.
func Guarded(fn func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		if err := tx.Guard(); err != nil {
			return err
		}
		return fn(tx)
	}
}

// subjectOf returns the subject of an audit entry about an approval.
func subjectOf(a operator.Approval) audit.Subject { return audit.Of(audit.Approval, a.ID) }

// RequestApproval stores a requested act until another operator confirms it. A token without a
// known owner cannot request one, because any approver might be its holder.
func (s *Service) RequestApproval(
	ctx context.Context, who Operator, approval operator.Approval,
) (operator.Approval, error) {
	if approval.AskedBy.Person() == (operator.Owner{}) {
		return operator.Approval{}, operator.ErrNoOwner
	}
	kept := approval
	err := s.Update(ctx, who.caller(""), func(tx *Tx) error {
		a := approval
		a.State, a.Reason, a.Asked = operator.Waiting, who.Reason, tx.Now()
		a.Lapses = a.Asked.Add(operator.ApprovalLifetime)
		if err := tx.Approvals().Put(&a); err != nil {
			return err
		}
		kept = a
		return auditApproval(tx, who.Actor, a, "ask for approval", approvalAsked)
	})
	return kept, err
}

// auditApproval stores the entry of an act on an approval, with a summary of the approval.
func auditApproval(
	tx store.Tx, actor audit.Actor, a operator.Approval, act, outcome string,
) error {
	text, err := json.Marshal(struct {
		Act     string `json:"act"`
		Method  string `json:"method"`
		Path    string `json:"path"`
		Subject string `json:"subject,omitempty"`
		AskedBy string `json:"askedBy"`
		EndedBy string `json:"endedBy,omitempty"`
	}{a.Act, a.Method, a.Path, a.Subject, a.AskedBy.Name, a.EndedBy.Name})
	if err != nil {
		return err
	}
	at := inAudit(a.Location)
	return tx.Audit().Put(audit.Entry{
		At: tx.Now(), Actor: actor, Act: act, ProgramID: at.ProgramID, BankID: at.BankID,
		Subject: subjectOf(a), Outcome: outcome, After: string(text),
	})
}

// Approval is an approval as shown to an operator.
type Approval struct {
	operator.Approval
	Mine, MayEnd, HasResult bool

	Refusal []byte // the response to an approved act that a rule refused
}

// FindApproval returns an approval that the operator may see.
func (s *Service) FindApproval(
	ctx context.Context, who operator.Identity, id int,
) (Approval, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (Approval, error) {
		a, err := findApproval(r, who, id)
		return s.approvalFor(r, a, who), err
	})
}

func findApproval(r store.Tx, who operator.Identity, id int) (operator.Approval, error) {
	a, err := r.Approvals().Find(id)
	if err == nil && !a.IsSeenBy(who) {
		err = store.ErrNotFound
	}
	if err != nil {
		return operator.Approval{}, fmt.Errorf("approval %d: %w", id, err)
	}
	return a, nil
}

func (s *Service) approvalFor(r store.Tx, a operator.Approval, who operator.Identity) Approval {
	now := r.Now()
	shown := Approval{
		Approval: a, Mine: a.IsOf(who), MayEnd: a.CheckEnd(who, s.tokensApprove(), now) == nil,
		HasResult: a.HasResult(now),
	}
	shown.State = a.StateAt(now)
	if a.IsRefused() && len(a.Result) > 0 {
		// A refusal that cannot be decrypted is left out; its status is shown.
		shown.Refusal, _ = s.Vault.OpenApprovalResult(a.Result, a.ID)
	}
	return shown
}

func (s *Service) tokensApprove() bool { return s.TokensApprove != nil && s.TokensApprove() }

// ApprovalFilter selects approvals to list.
type ApprovalFilter struct {
	State     operator.ApprovalState // empty for any
	ProgramID int                    // 0 for any
	Subject   string                 // such as card:5001; empty for any
	Mine      bool                   // only those that the operator requested
}

func (f ApprovalFilter) matches(a Approval, who operator.Identity) bool {
	return a.IsSeenBy(who) && (f.State == "" || a.State == f.State) &&
		(f.ProgramID == 0 || a.ProgramID == f.ProgramID) &&
		(f.Subject == "" || a.Subject == f.Subject) && (!f.Mine || a.Mine)
}

// approvalRows limits the rows that a list of approvals reads for a page.
const approvalRows = 1000

// ListApprovals returns the approvals that the operator may see, newest first. It reads a bounded
// number of rows, so a page may be short or empty and still have a last key to continue from.
func (s *Service) ListApprovals(
	ctx context.Context, who operator.Identity, filter ApprovalFilter, page Page,
) (items []Approval, last string, err error) {
	below, err := page.Number()
	if err != nil {
		return nil, "", err
	}
	err = s.Store.View(ctx, func(r store.Tx) error {
		items, last = nil, ""
		query := store.ApprovalQuery{Below: below, Limit: approvalRows}
		switch {
		case filter.State == operator.Waiting:
			query.WaitingAt, query.Banks = r.Now(), banksOf(who)
		case filter.Mine:
			owner := who.Person()
			query.Owner = &owner
		}
		approvals, err := r.Approvals().List(query)
		if err != nil {
			return err
		}
		for _, a := range approvals {
			shown := s.approvalFor(r, a, who)
			if !filter.matches(shown, who) {
				continue
			}
			if len(items) == page.Limit {
				last = strconv.Itoa(items[len(items)-1].ID)
				return nil
			}
			items = append(items, shown)
		}
		if len(approvals) == approvalRows {
			last = strconv.Itoa(approvals[len(approvals)-1].ID)
		}
		return nil
	})
	return items, last, err
}

// WaitingApprovals returns the newest waiting approvals that the operator may see.
func (s *Service) WaitingApprovals(r store.Tx, who operator.Identity) ([]Approval, error) {
	approvals, err := r.Approvals().List(store.ApprovalQuery{
		WaitingAt: r.Now(), Banks: banksOf(who), Limit: approvalRows,
	})
	var waiting []Approval
	for _, a := range approvals {
		if a.IsSeenBy(who) {
			waiting = append(waiting, s.approvalFor(r, a, who))
		}
	}
	return waiting, err
}

// banksOf returns the banks whose approvals the operator may see, with 0 for no bank; nil for all.
func banksOf(who operator.Identity) []int {
	if who.Scope.All {
		return nil
	}
	return append([]int{0}, who.Scope.Banks...)
}

// RejectApproval rejects an act that another operator requested.
func (s *Service) RejectApproval(
	ctx context.Context, who Operator, identity operator.Identity, id int,
) (Approval, error) {
	return s.endApproval(ctx, who, identity, id, func(tx store.Tx, a *operator.Approval) error {
		return s.end(tx, who.Actor, identity, a, operator.Rejected)
	})
}

// DryRunApproval dry-runs an approval: it returns the approval as it would end, and stores nothing.
func (s *Service) DryRunApproval(
	ctx context.Context, who Operator, identity operator.Identity, id int,
) (Approval, error) {
	who.DryRun = true
	return s.endApproval(ctx, who, identity, id, func(tx store.Tx, a *operator.Approval) error {
		return s.end(tx, who.Actor, identity, a, operator.Done)
	})
}

// WithdrawApproval withdraws the operator's own request.
func (s *Service) WithdrawApproval(
	ctx context.Context, who Operator, identity operator.Identity, id int,
) (Approval, error) {
	return s.endApproval(ctx, who, identity, id, func(tx store.Tx, a *operator.Approval) error {
		switch {
		case !a.IsOf(identity):
			return errNotAsked
		case !a.IsOpen(tx.Now()):
			return operator.ErrApprovalEnded
		}
		return putEnd(tx, who.Actor, identity, a, operator.Withdrawn)
	})
}

var errNotAsked = &operator.EndError{Detail: "Only the requester of an act can withdraw it."}

func (s *Service) endApproval(
	ctx context.Context, who Operator, identity operator.Identity, id int,
	end func(store.Tx, *operator.Approval) error,
) (ended Approval, err error) {
	err = s.Act(ctx, who, InInstallation, "", func(tx *Tx) error {
		a, err := findApproval(tx, identity, id)
		if err != nil {
			return err
		}
		err = end(tx, &a)
		ended = s.approvalFor(tx, a, identity)
		return err
	})
	if err != nil {
		return Approval{}, err
	}
	return ended, nil
}

// end approves or rejects, if the operator is allowed to.
func (s *Service) end(
	tx store.Tx, actor audit.Actor, identity operator.Identity, a *operator.Approval,
	as operator.ApprovalState,
) error {
	if err := a.CheckEnd(identity, s.tokensApprove(), tx.Now()); err != nil {
		return err
	}
	return putEnd(tx, actor, identity, a, as)
}

func putEnd(
	tx store.Tx, actor audit.Actor, identity operator.Identity, a *operator.Approval,
	as operator.ApprovalState,
) error {
	act, outcome := "approve", approvalApproved
	switch as {
	case operator.Rejected:
		act, outcome = "reject", approvalRejected
	case operator.Withdrawn:
		act, outcome = "withdraw", approvalWithdrawn
	}
	a.State, a.Ended, a.Why = as, tx.Now(), actor.Reason
	a.EndedBy = operator.Identity{Name: identity.Name, IsToken: identity.IsToken, ID: identity.ID}
	if err := tx.Approvals().Put(a); err != nil {
		return err
	}
	return auditApproval(tx, actor, *a, act, outcome)
}

// Confirmation is the approval under which an act runs. The act's first transaction also records
// the approval, so an act starts only once, and never without the approval of the operator whom the
// row names.
type Confirmation struct {
	ID       int
	By       Operator          // the approver
	Identity operator.Identity // the approver's

	kept bool // stored by a transaction of the act
}

// begin records the approval in the first transaction of an act.
func (c *Confirmation) begin(s *Service, tx store.Tx) error {
	if c == nil || c.kept {
		return nil
	}
	a, err := findApproval(tx, c.Identity, c.ID)
	if err != nil {
		return err
	}
	if err := a.CheckEnd(c.Identity, s.tokensApprove(), tx.Now()); err != nil {
		return err
	}
	a.Begun = tx.Now()
	return putEnd(tx, c.By.Actor, c.Identity, &a, operator.Done)
}

// StoreResult stores the response to an approved act for the requester. If a rule refused the act,
// so that none of its transactions was committed, the approval ends with that refusal.
func (s *Service) StoreResult(
	ctx context.Context, c *Confirmation, result Encoded,
) (kept Approval, err error) {
	sealed, err := s.Vault.SealApprovalResult(result.Body, c.ID)
	if err != nil {
		return Approval{}, err
	}
	err = s.Update(ctx, c.By.caller(""), func(tx *Tx) error {
		a, err := findApproval(tx, c.Identity, c.ID)
		if err == nil && !c.kept {
			err = s.end(tx, c.By.Actor, c.Identity, &a, operator.Done)
		}
		if err != nil {
			return err
		}
		a.Status, a.Result = result.Status, sealed
		if err := tx.Approvals().Put(&a); err != nil {
			return err
		}
		kept = s.approvalFor(tx, a, c.Identity)
		return nil
	})
	return kept, err
}

// TakeResult returns the response to an approved act to the requester, once. A refusal stays
// stored, and so does a result that cannot be decrypted.
func (s *Service) TakeResult(
	ctx context.Context, who Operator, identity operator.Identity, id int,
) (taken Encoded, err error) {
	err = s.Act(ctx, who, InInstallation, "", func(tx *Tx) error {
		a, err := tx.Approvals().Find(id)
		if err == nil && !a.GivesResult(identity, tx.Now()) {
			err = store.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("approval %d: %w", id, err)
		}
		text, err := s.Vault.OpenApprovalResult(a.Result, id)
		if err != nil {
			return err
		}
		taken = Encoded{a.Status, text}
		if !a.IsRefused() {
			a.Result = nil
			if err := tx.Approvals().Put(&a); err != nil {
				return err
			}
		}
		return auditApproval(tx, who.Actor, a, "read the result", approvalRead)
	})
	if err != nil {
		return Encoded{}, err
	}
	return taken, nil
}
