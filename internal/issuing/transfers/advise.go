package transfers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
)

// Advice is the answer to an advice.
type Advice struct {
	ID        string
	AccountID int    // 0 if nothing could be held
	HoldID    string // empty if nothing is held
	WouldHave authorization.Reason
}

// Advise books a decision that was made elsewhere, unchanged: no lock, limit or balance prevents
// that. An earlier request with the same identifier, and reversals, count: the hold is what is
// left. The same advice is booked only once.
func (s *Service) Advise(
	ctx context.Context, from audit.Actor, a authorization.AdviceRequest,
) (Advice, error) {
	name, err := s.nameOf(ctx, from, a.Request)
	if err != nil {
		return Advice{}, err
	}
	booked, err := process(ctx, s, from, name.CardRef,
		func(t *transferTx) (authorization.Authorization, error) { return t.advise(a, name) })
	if err != nil {
		return Advice{}, err
	}
	answer := Advice{ID: booked.ID, WouldHave: booked.Advice.WouldHave}
	if booked.Advice.Approved {
		answer.AccountID = booked.AccountID
	}
	if booked.Booked {
		answer.HoldID = booked.HoldID()
	}
	return answer, nil
}

func (t *transferTx) advise(
	advice authorization.AdviceRequest, name namedCard,
) (authorization.Authorization, error) {
	a := newAuthorization(advice.Request, name, t.tx.Now())
	a.Advice = authorization.Advice{
		Digest: digestOfAdvice(advice, name.CardRef), By: advice.By, Approved: advice.Approved(),
	}
	if advice.Approved() {
		a.Advice.Amount = advice.Amount
	}
	earlier, known, err := findEarlier(t, t.tx.Authorizations().Find, advice.ID)
	if err != nil {
		return a, err
	}
	if known && earlier.Advice.By != "" {
		return earlier, t.checkSameAdvice(advice, name, a, earlier)
	}
	view, err := t.findNamed(name, advice.Kind.Direction())
	if err != nil {
		return a, err
	}
	if name.sealed && view.Card.ID != 0 {
		a.Advice.Digest = digestOfAdvice(advice, store.CardRef{})
	}
	var done settled
	if view.Card.ID != 0 {
		a, done, err = t.book(a.Of(view.Card), earlier.Of(view.Card), view, advice.Decimals)
	} else {
		a, err = withEarlier(a, earlier, authorization.UnknownCard)
	}
	if err != nil {
		return a, err
	}
	put := t.tx.Authorizations().Put
	if known {
		put = t.tx.Authorizations().Change
	}
	if err := put(a); err != nil {
		return a, err
	}
	return a, t.auditAdvice(a, done)
}

// digestOfAdvice returns a digest of the content of an advice. For a known card that is named by
// its number, name is empty: the digest of the number differs under another key.
func digestOfAdvice(a authorization.AdviceRequest, name store.CardRef) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %q %q", digestOf(a.Request, name), a.Decision, a.By))
	return sum[:]
}

// checkSameAdvice refuses an advice with the identifier of another one. Earlier versions included
// the digest of the card number.
func (t *transferTx) checkSameAdvice(
	advice authorization.AdviceRequest, name namedCard, a, earlier authorization.Authorization,
) (err error) {
	kept := earlier.Advice
	same := bytes.Equal(kept.Digest, a.Advice.Digest)
	switch {
	case same || !name.sealed:
	case bytes.Equal(kept.Digest, digestOfAdvice(advice, store.CardRef{})):
		same, err = t.isNamed(name, advice.Kind.Direction(), earlier.CardID)
	case kept.By == advice.By && kept.Approved == advice.Approved():
		same, err = t.sameRequest(advice.Request, name, earlier)
	}
	if err == nil && !same {
		err = conflict("The authorizationId was used with another body.")
	}
	return err
}

// withEarlier adds what is known under its identifier to an advice. For a new identifier, the
// answer is the one that the request would have had.
func withEarlier(
	a, earlier authorization.Authorization, wouldHave authorization.Reason,
) (authorization.Authorization, error) {
	switch {
	case earlier.HasRequest():
		if err := checkAdvised(a, earlier); err != nil {
			return a, err
		}
		earlier.Advice = a.Advice
		a, wouldHave = earlier, earlier.Reason
	case earlier.ID != "":
		a.Book, wouldHave = earlier.Book, authorization.Reversed
	}
	a.Reason, a.Advice.WouldHave = wouldHave, wouldHave
	return a, nil
}

// book adjusts the hold of a known card to an advice.
func (t *transferTx) book(
	a, earlier authorization.Authorization, view authorization.View, decimals int,
) (authorization.Authorization, settled, error) {
	rules, err := t.rulesFor(a, view, decimals, earlier.Amounts()...)
	if err != nil {
		return a, settled{}, err
	}
	root := authorization.Authorization{}
	if a.IncrementOf != "" {
		if root, err = t.root(a, view.Card); err != nil {
			return a, settled{}, err
		}
	}
	now, day := t.today(rules)
	in := rules.rulesFor(a.Kind.Direction())
	today := view
	if _, err := t.rollSums(&today, in.Limits, day); err != nil {
		return a, settled{}, err
	}
	q := authorization.Question{
		Transfer: a.Transfer, Currency: a.Currency, AccountID: root.AccountID,
	}
	if err := t.sumExactly(&today, in.ProgramDaily, q); err != nil {
		return a, settled{}, err
	}
	would, why := authorization.Decide(q, today, in, now)
	a.Why = why
	ends := t.endOf(a, root.ID != "")
	if a, err = withEarlier(a, earlier, would.Reason); err != nil {
		return a, settled{}, err
	}
	a.Root = root.ID
	if a.Advice.Approved && a.AccountID == 0 {
		a.AccountID = root.AccountID
		if a.AccountID == 0 {
			a.AccountID = view.Payer(q)
		}
	}
	if root.ID == "" && a.Ends == nil { // no increment has set it
		a.Ends = ends
	}
	owner := a
	if root.ID != "" {
		if owner, err = t.growRoot(root, earlier, a, ends); err != nil {
			return a, settled{}, err
		}
	}
	if owner.AccountID == 0 {
		return a, settled{}, nil
	}
	done, err := t.settle(owner, view, rules)
	a.Booked = a.Advice.Approved && done.heldAfter.TenThousandths > 0
	return a, done, err
}

// growRoot records in the book of a hold what an advised increment adds. After a final posting
// nothing is held.
func (t *transferTx) growRoot(
	root, earlier, a authorization.Authorization, ends *time.Time,
) (authorization.Authorization, error) {
	root = root.ApplyIncrement(earlier, a, ends)
	if earlier.ID != "" && !earlier.Grows() && a.Grows() {
		_, err := t.tx.Holds().FindEnd(authorization.HoldIDOf(a.CardID, a.ID))
		switch {
		case err == nil:
			root = root.AddPartialPosting(authorization.Everything)
		case !errors.Is(err, store.ErrNotFound):
			return root, err
		}
	}
	return root, t.tx.Authorizations().Change(root)
}

// endOf returns the end that an advice sets for a hold, nil if it sets none.
func (t *transferTx) endOf(a authorization.Authorization, increment bool) *time.Time {
	if !a.Advice.Approved || increment && a.HoldUntil == nil {
		return nil
	}
	ends := a.EndFrom(t.tx.Now())
	return &ends
}

func (t *transferTx) auditAdvice(a authorization.Authorization, done settled) error {
	approved, outcome := a.Advice.Approved, authorization.Decisions[1]
	shown := properties{
		Amount: exact(a.Transfer.Amount), Approved: &approved, AuthorizationID: a.ID,
		By: a.Advice.By, Category: string(a.Category), IncrementOf: a.IncrementOf,
		Kind: string(a.Kind), WouldHave: a.Advice.WouldHave,
	}.balances(done.after).withParticulars(a.Particulars())
	if approved {
		outcome, shown.AccountID = authorization.Decisions[0], a.AccountID
		shown.Amount = exact(a.Advice.Amount)
	}
	if a.Booked {
		shown.HoldID = a.HoldID()
	}
	entry := entryOf(adviseAct, outcome, a.ProgramID, a.CardID)
	return t.auditTransfer(entry, done.before, shown)
}
