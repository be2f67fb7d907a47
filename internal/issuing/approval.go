package issuing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"mintmark/internal/audit"
	"mintmark/internal/operator"
	"mintmark/internal/store"
)

// Outcomes of acts on approvals.
const (
	approvalAsked    = "waits for approval"
	approvalApproved = "approved"
	approvalRejected = "rejected"
	approvalRead     = "result read"
)

// subjectOf is an approval in the audit.
func subjectOf(a operator.Approval) audit.Subject { return audit.Of(audit.Approval, a.ID) }

// AskApproval keeps an act until another operator has confirmed it.
func (s *Service) AskApproval(
	ctx context.Context, who Operator, asked operator.Approval,
) (operator.Approval, error) {
	kept := asked
	err := s.updateIn(ctx, who.caller(""), nil, func(w *writeTx) error {
		a := asked
		a.State, a.Reason, a.Asked = operator.Waiting, who.Reason, w.tx.Now()
		a.Lapses = a.Asked.Add(operator.ApprovalLasts)
		if err := w.tx.Approvals().Put(&a); err != nil {
			return err
		}
		kept = a
		return w.auditApproval(a, "ask for approval", approvalAsked)
	})
	return kept, toFault(err)
}

// auditApproval stores the entry of an act on an approval, which says what it is about.
func (w *writeTx) auditApproval(a operator.Approval, act, outcome string) error {
	text, err := json.Marshal(struct {
		Act     string `json:"act"`
		Method  string `json:"method"`
		Path    string `json:"path"`
		Subject string `json:"subject,omitempty"`
		AskedBy string `json:"askedBy"`
		EndedBy string `json:"endedBy,omitempty"`
	}{a.Act, a.Method, a.Path, a.Subject, a.AskedBy.Name, a.EndedBy})
	if err != nil {
		return err
	}
	at := inAudit(a.Place)
	return w.tx.Audit().Put(audit.Entry{
		At: w.tx.Now(), Actor: w.caller.Actor, Act: act,
		ProgramID: at.ProgramID, BankID: at.BankID,
		Subject: subjectOf(a), Outcome: outcome, After: string(text),
	})
}

// Approval is an approval as an operator may see it.
type Approval struct {
	operator.Approval
	Mine, MayEnd, HasResult bool
}

// FindApproval finds an approval that an operator may know of.
func (s *Service) FindApproval(
	ctx context.Context, who operator.Identity, id int,
) (found Approval, err error) {
	err = s.store.View(ctx, func(r store.Tx) error {
		a, err := r.Approvals().Find(id)
		found = approvalFor(r, a, who)
		return err
	})
	if err == nil && !found.IsSeenBy(who) {
		err = store.ErrNotFound
	}
	if err != nil {
		return Approval{}, fmt.Errorf("approval %d: %w", id, toFault(err))
	}
	return found, nil
}

func approvalFor(r store.Tx, a operator.Approval, who operator.Identity) Approval {
	now := r.Now()
	shown := Approval{
		Approval: a, Mine: a.IsOf(who), MayEnd: a.MayEnd(who, now), HasResult: a.HasResult(now),
	}
	shown.State = a.StateAt(now)
	return shown
}

// ApprovalFilter says which approvals are listed.
type ApprovalFilter struct {
	State     operator.ApprovalState // empty for any
	ProgramID int                    // 0 for any
	Mine      bool                   // those that the operator has asked for
}

func (f ApprovalFilter) takes(a Approval, who operator.Identity) bool {
	return a.IsSeenBy(who) && (f.State == "" || a.State == f.State) &&
		(f.ProgramID == 0 || a.ProgramID == f.ProgramID) && (!f.Mine || a.Mine)
}

// ListApprovals lists the approvals that an operator may know of, newest first.
func (s *Service) ListApprovals(
	ctx context.Context, who operator.Identity, filter ApprovalFilter, page Page,
) (items []Approval, last string, err error) {
	const chunk = 500
	below, err := approvalKey(page.After)
	if err != nil {
		return nil, "", err
	}
	err = s.store.View(ctx, func(r store.Tx) error {
		items, last = nil, ""
		for {
			found, err := r.Approvals().List(below, chunk)
			if err != nil {
				return err
			}
			for _, a := range found {
				below = a.ID
				shown := approvalFor(r, a, who)
				if !filter.takes(shown, who) {
					continue
				}
				if len(items) == page.Limit {
					last = strconv.Itoa(items[len(items)-1].ID)
					return nil
				}
				items = append(items, shown)
			}
			if len(found) < chunk {
				return nil
			}
		}
	})
	return items, last, toFault(err)
}

func approvalKey(after string) (int, error) {
	if after == "" {
		return 0, nil
	}
	number, err := strconv.Atoi(after)
	if err != nil {
		return 0, store.ErrNotFound
	}
	return number, nil
}

// CountApprovals counts the approvals that wait and that an operator may know of.
func (s *Service) CountApprovals(
	ctx context.Context, who operator.Identity,
) (count int, err error) {
	err = s.store.View(ctx, func(r store.Tx) error {
		waiting, err := r.Approvals().ListWaiting(r.Now())
		count = 0
		for _, a := range waiting {
			if a.IsSeenBy(who) {
				count++
			}
		}
		return err
	})
	return count, toFault(err)
}

// Errors of an operator who may not end an approval.
var (
	ErrOwnApproval   = errors.New("issuing: who has asked cannot confirm it")
	ErrApprovalRole  = errors.New("issuing: the operator has none of the roles that it needs")
	ErrApprovalEnded = errors.New("issuing: the approval has ended")
)

// EndApproval approves or rejects an act of another operator. An approved act is then carried out
// by the caller, who stores its result. One that was approved and has no result yet, because the
// process ended in between, may be approved again.
func (s *Service) EndApproval(
	ctx context.Context, who Operator, identity operator.Identity, id int, approve bool,
) (done operator.Approval, err error) {
	act, state, outcome := "reject", operator.Rejected, approvalRejected
	if approve {
		act, state, outcome = "approve", operator.Approved, approvalApproved
	}
	err = s.runOrTry(ctx, who, who.caller(""), nil, func(w *writeTx) error {
		a, err := w.tx.Approvals().Find(id)
		if err == nil && !a.IsSeenBy(identity) {
			err = store.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("approval %d: %w", id, err)
		}
		switch {
		case a.IsOf(identity):
			return ErrOwnApproval
		case !a.IsOpen(w.tx.Now()) || a.State == operator.Approved && !approve:
			return ErrApprovalEnded
		case !a.MayEnd(identity, w.tx.Now()):
			return ErrApprovalRole
		}
		a.State, a.EndedBy, a.Ended, a.Why = state, who.Name, w.tx.Now(), who.Reason
		if err := w.tx.Approvals().Put(&a); err != nil {
			return err
		}
		done = a
		return w.auditApproval(a, act, outcome)
	})
	return done, toFault(err)
}

// PutResult stores the answer to an approved act for who has asked.
func (s *Service) PutResult(
	ctx context.Context, approved operator.Approval, result Encoded,
) (operator.Approval, error) {
	sealed, err := s.vault.SealApprovalResult(result.Body, approved.ID)
	if err != nil {
		return operator.Approval{}, err
	}
	var kept operator.Approval
	err = s.store.Update(ctx, func(tx store.Tx) error {
		a, err := tx.Approvals().Find(approved.ID)
		if err != nil {
			return err
		}
		a.Status, a.Result = result.Status, sealed
		if err := tx.Approvals().Put(&a); err != nil {
			return err
		}
		kept = a
		return nil
	})
	return kept, toFault(err)
}

// TakeResult returns the answer to an approved act to who has asked, once.
func (s *Service) TakeResult(
	ctx context.Context, who Operator, identity operator.Identity, id int,
) (Encoded, error) {
	var taken operator.Approval
	err := s.updateIn(ctx, who.caller(""), nil, func(w *writeTx) error {
		a, err := w.tx.Approvals().Find(id)
		if err == nil && (!a.IsOf(identity) || !a.HasResult(w.tx.Now())) {
			err = store.ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("approval %d: %w", id, err)
		}
		taken = a
		a.Result = nil
		if err := w.tx.Approvals().Put(&a); err != nil {
			return err
		}
		return w.auditApproval(a, "read the result", approvalRead)
	})
	if err != nil {
		return Encoded{}, toFault(err)
	}
	text, err := s.vault.OpenApprovalResult(taken.Result, id)
	return Encoded{taken.Status, text}, err
}
