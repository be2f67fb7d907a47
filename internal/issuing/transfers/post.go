package transfers

import (
	"bytes"
	"cmp"
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

// Post moves the balance of an account and ends the hold of the posting. What the processor reports
// as moved has moved: no limit, lock or balance prevents a posting. The same posting is made only
// once.
func (s *Service) Post(
	ctx context.Context, from audit.Actor, m authorization.PostingRequest,
) (authorization.Posting, error) {
	return process(ctx, s, from, store.CardRef{ID: m.CardID},
		func(t *transferTx) (authorization.Posting, error) { return t.post(m) })
}

func digestOfMovement(m authorization.PostingRequest) []byte {
	text := fmt.Appendf(nil, "%q %d %d %q %d", m.HoldID, m.CardID,
		m.AccountID, m.Kind, m.Amount.TenThousandths)
	if m.AuthorizationID != "" || m.NotFinal || m.Merchant != nil {
		merchant := authorization.Merchant{}
		if m.Merchant != nil {
			merchant = *m.Merchant
		}
		text = fmt.Appendf(text, " %q %t %+q", m.AuthorizationID, m.NotFinal,
			fmt.Sprintf("%+v", merchant))
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

func (t *transferTx) post(m authorization.PostingRequest) (authorization.Posting, error) {
	p := authorization.Posting{
		ID: m.ID, Digest: digestOfMovement(m), HoldID: m.HoldID, CardID: m.CardID,
		Kind: m.Kind, Amount: m.Amount,
	}
	earlier, known, err := findEarlier(t, t.tx.Postings().Find, m.ID)
	if err != nil {
		return p, err
	}
	if known && !bytes.Equal(earlier.Digest, p.Digest) {
		return p, conflict("The postingId was used with another body.")
	}
	if known {
		return earlier, nil
	}
	view, err := t.tx.Authorizations().FindView(
		store.CardRef{ID: m.CardID}, m.Kind.Direction())
	if err != nil {
		return p, err
	}
	if view.Card.ID == 0 {
		return p, missing("There is no such card.")
	}
	rules, err := t.rules(view.Card.ProgramID, view.ProgramRevision)
	if err != nil {
		return p, err
	}
	on, err := t.postedOn(m, view)
	if err == nil {
		err = t.checkDigits(m, on, rules)
	}
	if err != nil {
		return p, err
	}
	p.ProgramID, p.CustomerID = view.Card.ProgramID, view.Card.CreatorID
	p.HoldID, p.AccountID, p.Posted = on.holdID, on.account.ID, t.tx.Now()
	return p, t.move(p, m, on, view, rules)
}

// checkDigits checks the digits of a posting. It may have those of the authorization, even if
// nothing is held any more.
func (t *transferTx) checkDigits(
	m authorization.PostingRequest, on posted, rules *transferRules,
) error {
	refused := rules.checkDecimals(m.Amount, m.Decimals, on.hold.Amount)
	if refused == nil || on.authorizationID == "" {
		return refused
	}
	a, err := t.tx.Authorizations().Find(on.authorizationID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return refused
	case err != nil:
		return err
	}
	return rules.checkDecimals(m.Amount, m.Decimals, a.Amounts()...)
}

// posted is the hold and the account of a posting.
type posted struct {
	account authorization.Account
	hold    authorization.Hold // the active hold; without an identifier if there is none
	holdID  string             // of that hold, or of one that has ended; empty without one
	emptied bool               // the hold ended because nothing was left in it

	authorizationID string // whose hold it is or would be; empty if unknown
}

// postedOn returns the hold and the account of a posting. A hold that has ended still names its
// account.
func (t *transferTx) postedOn(
	m authorization.PostingRequest, view authorization.View,
) (posted, error) {
	on := posted{holdID: m.HoldID}
	if m.AuthorizationID != "" {
		on.holdID = authorization.HoldIDOf(m.CardID, m.AuthorizationID)
		on.authorizationID = m.AuthorizationID
	}
	if on.holdID == "" {
		account, err := accountOf(m, view)
		return posted{account: account}, err
	}
	ended, err := t.onHold(m, &on)
	if !errors.Is(err, store.ErrNotFound) || m.AuthorizationID == "" {
		if errors.Is(err, store.ErrNotFound) {
			err = missing("There is no such hold.")
		}
		return ended, err
	}
	// The authorization has no hold of its own: it is an increment, or it was declined.
	a, err := t.tx.Authorizations().Find(m.AuthorizationID)
	if errors.Is(err, store.ErrNotFound) {
		return on, missing("There is no such authorization.")
	}
	if err == nil && !a.IsMark() {
		err = checkHold(m, a.Of(view.Card).CardID, cmp.Or(a.AccountID, m.AccountID), a.Kind)
	}
	if err != nil {
		return on, err
	}
	accountID := a.AccountID
	if a.Root != "" {
		onRoot, err := t.onRoot(m, a)
		if !errors.Is(err, store.ErrNotFound) {
			return onRoot, err
		}
		root, err := t.tx.Authorizations().Find(a.Root)
		if err != nil {
			return on, err
		}
		on.authorizationID, accountID = onRoot.authorizationID, cmp.Or(accountID, root.AccountID)
	}
	on.holdID = ""
	if accountID == 0 { // it was declined
		on.account, err = accountOf(m, view)
	} else {
		on.account, err = t.tx.Balances().Find(accountID)
	}
	return on, err
}

// onRoot returns the hold that an increment increases. A posting of one that adds nothing only uses
// the account of that hold.
func (t *transferTx) onRoot(
	m authorization.PostingRequest, a authorization.Authorization,
) (posted, error) {
	on := posted{authorizationID: a.Root, holdID: authorization.HoldIDOf(m.CardID, a.Root)}
	on, err := t.onHold(m, &on)
	if !a.Grows() {
		on = posted{authorizationID: a.ID, account: on.account}
	}
	return on, err
}

// onHold returns the hold of a posting, or how it has ended.
func (t *transferTx) onHold(m authorization.PostingRequest, on *posted) (posted, error) {
	hold, err := t.tx.Holds().FindView(on.holdID)
	if err == nil {
		h := hold.Hold
		on.hold, on.account, on.authorizationID = h, hold.Account, h.AuthorizationID
		return *on, checkHold(m, h.CardID, h.AccountID, h.Kind)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return *on, err
	}
	end, err := t.tx.Holds().FindEnd(on.holdID)
	if err == nil {
		err = checkHold(m, end.CardID, end.AccountID, end.Kind)
	}
	if err != nil {
		return *on, err
	}
	on.emptied, on.authorizationID = end.Emptied, cmp.Or(end.AuthorizationID, on.authorizationID)
	on.account, err = t.tx.Balances().Find(end.AccountID)
	return *on, err
}

// checkHold returns an error if a posting contradicts its hold.
func checkHold(
	m authorization.PostingRequest, cardID, accountID int, kind authorization.Kind,
) error {
	switch {
	case cardID != m.CardID:
		return conflict("The hold is on another card.")
	case m.AccountID != 0 && m.AccountID != accountID:
		return conflict("The hold is on another account.")
	case kind.Direction() != m.Kind.Direction():
		return conflict("The hold is for a " + string(kind) + ".")
	}
	return nil
}

// accountOf returns the account of a posting without a hold: the one that it names, which must be
// on the card, or the primary account.
func accountOf(
	m authorization.PostingRequest, view authorization.View,
) (authorization.Account, error) {
	id := m.AccountID
	if first := view.Card.Slots.Of(view.Card.PrimaryCategory); id == 0 && len(first) > 0 {
		id = first[0]
	}
	account, on := view.Accounts[id]
	if !on {
		return account, conflict("The account is not on the card.")
	}
	return account, nil
}

// move stores a posting with all of its changes.
func (t *transferTx) move(
	p authorization.Posting, m authorization.PostingRequest, on posted, view authorization.View,
	rules *transferRules,
) error {
	_, day := t.today(rules)
	gives, err := t.endedPart(p, m, on)
	if err != nil {
		return err
	}
	after, err := on.account.Adjust(on.hold.Kind, -gives.TenThousandths, p.Posted)
	if err == nil {
		after, err = after.Post(p.Kind, p.Amount, p.Posted)
	}
	if err != nil {
		return tooLarge()
	}
	left, taken := on.hold.Shrink(gives)
	user := view.User.TakeParts(taken).At(day).Add(p.Amount)
	all := view.Program.TakeParts(taken)
	counted := all.Total.Counts(day)
	t.contention.Sums, t.contention.Account = sumsOf(view, counted), p.AccountID
	if counted {
		all = all.Add(p.Amount, rules.rulesFor(p.Kind.Direction()).ProgramDaily)
	}
	if err := t.endPosted(p, m, on, left); err != nil {
		return err
	}
	if err := t.tx.Postings().Put(p); err != nil {
		return err
	}
	if err := t.putAccount(on.account, after); err != nil {
		return err
	}
	if err := t.tx.Usages().Put(user); err != nil {
		return err
	}
	if err := t.putProgramUsage(view.Program, all); err != nil {
		return err
	}
	return t.auditPosting(p, m, on, after)
}

// endedPart returns how much of the hold a posting ends: all of it or, if more postings follow, as
// much as the book of its authorization requires. The book of an increment records the posting,
// too, because an advice may decline the increment.
func (t *transferTx) endedPart(
	p authorization.Posting, m authorization.PostingRequest, on posted,
) (value.Amount, error) {
	if !m.NotFinal || on.authorizationID == "" {
		return on.hold.Amount, nil
	}
	if m.AuthorizationID != "" && m.AuthorizationID != on.authorizationID {
		if _, err := t.notePosting(m.AuthorizationID, p.Amount); err != nil {
			return value.Amount{}, err
		}
	}
	a, err := t.notePosting(on.authorizationID, p.Amount)
	if err != nil || on.hold.ID == "" {
		return value.Amount{}, err
	}
	more := on.hold.Amount.TenThousandths - a.Held().TenThousandths
	return value.Amount{TenThousandths: more}, nil
}

// notePosting records a posting in the book of an authorization. One that no longer exists was the
// mark of a reversal.
func (t *transferTx) notePosting(
	id string, amount value.Amount,
) (authorization.Authorization, error) {
	a, err := t.tx.Authorizations().Find(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return a, nil
	case err != nil:
		return a, err
	}
	a = a.AddPartialPosting(amount)
	return a, t.tx.Authorizations().Change(a)
}

// endPosted ends the hold of a posting, unless more postings follow. A hold that ended because
// nothing was left in it, or that was never placed, has then ended permanently.
func (t *transferTx) endPosted(
	p authorization.Posting, m authorization.PostingRequest, on posted, left authorization.Hold,
) error {
	end := on.hold.EndedBy(authorization.Posted, p.ID, p.Posted)
	switch {
	case on.hold.ID != "" && m.NotFinal && on.authorizationID != "":
		return t.putLeft(left, p.Posted)
	case on.hold.ID != "":
		return t.tx.Holds().Delete(end)
	case m.NotFinal || on.authorizationID == "" && !on.emptied:
		return nil
	case on.emptied:
		return t.tx.Holds().ChangeEnd(on.holdID)
	case on.holdID != "": // it ended before
		return nil
	}
	end.HoldID = authorization.HoldIDOf(p.CardID, on.authorizationID)
	end.ProgramID, end.CardID, end.AccountID = p.ProgramID, p.CardID, p.AccountID
	end.Kind, end.AuthorizationID = p.Kind, on.authorizationID
	return t.tx.Holds().PutEnd(end)
}

func (t *transferTx) auditPosting(
	p authorization.Posting, m authorization.PostingRequest, on posted, after authorization.Account,
) error {
	shown := properties{
		AccountID: p.AccountID, Amount: exact(p.Amount), AuthorizationID: on.authorizationID,
		HoldID: p.HoldID, Kind: string(p.Kind), PostingID: p.ID,
	}.balances(after).withParticulars(on.hold.Particulars)
	if m.Merchant != nil {
		shown.Merchant = m.Merchant
	}
	if final := false; m.NotFinal {
		shown.Final = &final
	}
	entry := entryOf(postAct, issuing.OutcomeCreated, p.ProgramID, p.CardID)
	return t.auditTransfer(entry, on.account, shown)
}
