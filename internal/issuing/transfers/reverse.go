package transfers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Reverse reverses an authorization, wholly or in part. An authorization that has not arrived yet
// gets a mark, by which its request is declined later. The same reversal is made only once.
func (s *Service) Reverse(
	ctx context.Context, from audit.Actor, taking authorization.ReversalRequest,
) (authorization.Reversal, error) {
	return process(ctx, s, from, store.CardRef{},
		func(t *transferTx) (authorization.Reversal, error) { return t.reverse(taking) })
}

func (t *transferTx) reverse(taking authorization.ReversalRequest) (authorization.Reversal, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d", taking.AuthorizationID,
		taking.Amount.TenThousandths))
	r := authorization.Reversal{
		ID: taking.ID, Digest: sum[:], AuthorizationID: taking.AuthorizationID, At: taking.At,
		Done: t.tx.Now(), Result: authorization.NotYetKnown,
	}
	earlier, known, err := findEarlier(t, t.tx.Reversals().Find, taking.ID)
	if err == nil && known && !bytes.Equal(earlier.Digest, r.Digest) {
		err = conflict("The reversalId was used with another body.")
	}
	if err != nil || known {
		return earlier, err
	}
	a, err := t.tx.Authorizations().Find(taking.AuthorizationID)
	var shown properties
	var before authorization.Account
	switch {
	case errors.Is(err, store.ErrNotFound):
		err = t.mark(taking, t.tx.Authorizations().Put, authorization.Authorization{
			ID: taking.AuthorizationID, Decided: t.tx.Now(),
			Decision: authorization.Decision{Reason: authorization.Reversed},
		})
	case err == nil && a.IsMark(): // the mark is stored for as long as a new one
		a.Decided = t.tx.Now()
		err = t.mark(taking, t.tx.Authorizations().Change, a)
	case err == nil:
		r.Result, before, shown, err = t.takeBack(a, taking)
	}
	if err != nil {
		return r, err
	}
	if err := t.tx.Reversals().Put(r); err != nil {
		return r, err
	}
	entry := entryOf(reverseAct, string(r.Result), a.ProgramID, a.CardID)
	shown.ReversalID, shown.AuthorizationID = r.ID, r.AuthorizationID
	return r, t.auditTransfer(entry, before, shown)
}

// mark stores the mark of an authorization that has not arrived. While a program is being moved,
// the authorization may belong to it, and its mark would be left behind, so the reversal must be
// sent again.
func (t *transferTx) mark(
	taking authorization.ReversalRequest, put func(authorization.Authorization) error,
	a authorization.Authorization,
) error {
	fenced, err := t.tx.Programs().ListFenced()
	if err != nil {
		return err
	}
	for _, id := range fenced {
		p, err := t.tx.Programs().Find(id)
		switch {
		case err != nil:
			return err
		case t.from.Kind != audit.Processor || !p.Moves(t.tx.Now()):
		case t.optimistic:
			return issuing.ErrRecheck // it may have been done before
		default:
			return issuing.Fenced()
		}
	}
	return put(a.Reverse(taking.Amount))
}

// takeBack releases what is held of a known authorization.
func (t *transferTx) takeBack(a authorization.Authorization, taking authorization.ReversalRequest) (
	authorization.ReversalResult, authorization.Account, properties, error,
) {
	shown := properties{Kind: string(a.Kind)}.withParticulars(a.Particulars())
	none := authorization.Account{}
	taken := a.Reverse(taking.Amount)
	if err := t.tx.Authorizations().Change(taken); err != nil {
		return "", none, shown, err
	}
	owner, left := taken, taken.Held()
	if a.Root != "" {
		var err error
		if owner, err = t.tx.Authorizations().Find(a.Root); err != nil {
			return "", none, shown, err
		}
		owner, left = owner.ApplyIncrement(a, taken, nil), taken.IncrementAmount()
		if err := t.tx.Authorizations().Change(owner); err != nil {
			return "", none, shown, err
		}
	}
	if owner.AccountID == 0 { // nothing is held yet
		return authorization.NothingHeld, none, shown, nil
	}
	view, err := t.tx.Authorizations().FindView(
		store.CardRef{ID: owner.CardID}, owner.Kind.Direction())
	if err != nil {
		return "", none, shown, err
	}
	rules, err := t.rules(view.Card.ProgramID, view.ProgramRevision)
	if err == nil {
		err = rules.checkDecimals(taking.Amount, taking.Decimals, a.Amounts()...)
	}
	if err != nil {
		return "", none, shown, err
	}
	done, err := t.settle(owner, view, rules)
	if err != nil {
		return "", none, shown, err
	}
	// More may be held than before: the postings of a reversed increment no longer count.
	back := value.Amount{TenThousandths: max(
		0, done.heldBefore.TenThousandths-done.heldAfter.TenThousandths)}
	shown.AccountID, shown.HoldID, shown.Amount = owner.AccountID, owner.HoldID(), exact(back)
	result := authorization.PartlyReversed
	switch {
	case back.TenThousandths == 0:
		result = authorization.NothingHeld
	case left.TenThousandths == 0:
		result = authorization.WholeReversed
	}
	return result, done.before, shown.balances(done.after), nil
}
