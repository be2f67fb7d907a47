package transfers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Post moves the balance of an account and ends the hold that the posting belongs to. What the
// processor says has moved has moved: no limit, lock or balance keeps a posting from being made.
// The same posting is made once.
func (s *Service) Post(
	ctx context.Context, from audit.Actor, asked authorization.Movement,
) (authorization.Posting, error) {
	var posted authorization.Posting
	name := store.CardName{ID: asked.CardID}
	err := s.transfer(ctx, from, name, func(t *transferTx) error {
		var err error
		posted, err = t.post(asked)
		return err
	})
	if err != nil {
		return authorization.Posting{}, err
	}
	return posted, nil
}

func digestOfMovement(asked authorization.Movement) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %q %d", asked.HoldID, asked.CardID,
		asked.AccountID, asked.Kind, asked.Amount.TenThousandths))
	return sum[:]
}

func (t *transferTx) post(asked authorization.Movement) (authorization.Posting, error) {
	p := authorization.Posting{
		ID: asked.ID, Digest: digestOfMovement(asked), HoldID: asked.HoldID, CardID: asked.CardID,
		Kind: asked.Kind, Amount: asked.Amount,
	}
	earlier, known, err := again(t, func() (authorization.Posting, error) {
		return t.tx.Postings().Find(asked.ID)
	})
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
		store.CardName{ID: asked.CardID}, asked.Kind.Direction())
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
	if err := rules.checkDecimals(asked.Decimals); err != nil {
		return p, err
	}
	hold, before, err := t.postedOn(asked, view)
	if err != nil {
		return p, err
	}
	p.ProgramID, p.CustomerID = view.Card.ProgramID, view.Card.CreatorID
	p.AccountID, p.Posted = before.ID, t.tx.Now()
	return p, t.move(p, hold, before, view, rules)
}

// postedOn returns the account that a posting moves, and the hold that it ends, whose ID is empty
// when there is none that stands. A hold that has ended still says which account.
func (t *transferTx) postedOn(
	asked authorization.Movement, view authorization.View,
) (authorization.Hold, authorization.Account, error) {
	none := authorization.Hold{}
	if asked.HoldID == "" {
		account, err := accountOf(asked, view)
		return none, account, err
	}
	found, err := t.tx.Holds().FindView(asked.HoldID)
	if err == nil {
		h := found.Hold
		return h, found.Account, checkHold(asked, h.CardID, h.AccountID, h.Kind)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return none, authorization.Account{}, err
	}
	end, err := t.tx.Holds().FindEnd(asked.HoldID)
	if errors.Is(err, store.ErrNotFound) {
		return none, authorization.Account{}, missing("There is no such hold.")
	}
	if err == nil {
		err = checkHold(asked, end.CardID, end.AccountID, end.Kind)
	}
	if err != nil {
		return none, authorization.Account{}, err
	}
	account, err := t.tx.Balances().Find(end.AccountID)
	return none, account, err
}

// checkHold compares a posting with its hold.
func checkHold(
	asked authorization.Movement, cardID, accountID int, kind authorization.Kind,
) error {
	switch {
	case cardID != asked.CardID:
		return conflict("The hold is on another card.")
	case asked.AccountID != 0 && asked.AccountID != accountID:
		return conflict("The hold is on another account.")
	case kind.Direction() != asked.Kind.Direction():
		return conflict("The hold is for a " + string(kind) + ".")
	}
	return nil
}

// accountOf returns the account of a posting without a hold: the one that it names, which must be
// on the card, or the primary account.
func accountOf(
	asked authorization.Movement, view authorization.View,
) (authorization.Account, error) {
	id := asked.AccountID
	if first := view.Card.Slots.Of(view.Card.PrimaryCategory); id == 0 && len(first) > 0 {
		id = first[0]
	}
	account, on := view.Accounts[id]
	if !on {
		return account, conflict("The account is not on the card.")
	}
	return account, nil
}

// move stores a posting with everything that it changes.
func (t *transferTx) move(
	p authorization.Posting, hold authorization.Hold, before authorization.Account,
	view authorization.View, rules *transferRules,
) error {
	now, day := t.today(rules)
	after, err := before.Release(hold, p.Posted)
	if err == nil {
		after, err = after.Post(p.Kind, p.Amount, p.Posted)
	}
	if err != nil {
		return conflict("The amount is too large for the account.")
	}
	user := view.User.Take(hold.Amount, hold.Day).At(day).Add(p.Amount)
	all := view.Program.Take(hold.Amount, hold.Day)
	t.orderingKey = orderingKeyOf(view, all.Counts(day))
	if all.Counts(day) {
		all = all.Add(p.Amount)
	}
	if hold.ID != "" {
		end := hold.EndedBy(authorization.Posted, p.ID, now.UTC())
		if err := t.tx.Holds().Delete(end); err != nil {
			return err
		}
	}
	entry := audit.Entry{
		Act: postAct, ProgramID: p.ProgramID, Outcome: issuing.Created,
		Subject: audit.Of(audit.Card, p.CardID),
	}
	if err := t.tx.Postings().Put(p); err != nil {
		return err
	}
	if err := t.putAccount(before, after); err != nil {
		return err
	}
	if err := t.tx.Usages().Put(user); err != nil {
		return err
	}
	if err := t.putProgramUsage(view.Program, all); err != nil {
		return err
	}
	return t.auditTransfer(entry, before, properties{
		AccountID: p.AccountID, Amount: exact(p.Amount), HoldID: p.HoldID,
		Kind: string(p.Kind), PostingID: p.ID,
	}.balances(after))
}
