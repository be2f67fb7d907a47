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
	"mintmark/internal/vault"
)

// Authorized is the answer to an authorization.
type Authorized struct {
	ID string
	authorization.Decision
	HoldID string // empty when declined
}

// Authorize answers whether a transfer may be made, and places a hold on the account that pays. The
// same authorization is answered once: with the same identifier and the same body the answer is the
// first one.
func (s *Service) Authorize(
	ctx context.Context, from audit.Actor, asked authorization.Asked,
) (Authorized, error) {
	name := namedCard{CardName: store.CardName{ID: asked.CardID}}
	if asked.CardID == 0 {
		number, err := s.Vault.OpenProcessorNumber(ctx, from.Name, asked.Sealed)
		switch {
		case err == nil:
			if name, err = s.byNumber(ctx, number); err != nil {
				return Authorized{}, issuing.FaultOf(err)
			}
		case !errors.Is(err, vault.ErrNotANumber): // such a card is unknown
			return Authorized{}, toSealedError(err)
		}
	}
	var answer authorization.Authorization
	err := s.transfer(ctx, from, name.CardName, func(t *transferTx) error {
		var err error
		answer, err = t.authorize(asked, name)
		return err
	})
	if err != nil {
		return Authorized{}, err
	}
	made := Authorized{ID: answer.ID, Decision: answer.Decision}
	if answer.Approved() {
		made.HoldID = answer.HoldID()
	}
	return made, nil
}

// toSealedError is the error of a card number that cannot be opened.
func toSealedError(err error) error {
	if errors.Is(err, vault.ErrSealedNumber) {
		return &TransferError{
			Member: "sealed", Detail: "holds no card number encrypted to the key of this service",
		}
	}
	return issuing.FaultOf(err)
}

// digestOf is a digest of what an authorization asks. The time of the processor is not part of it,
// because some processors send the time of the message.
func digestOf(asked authorization.Asked, name store.CardName) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %x %q %q %d %q", name.ID, name.Digest.First,
		asked.Kind, asked.Category, asked.Amount.TenThousandths, asked.Currency))
	return sum[:]
}

func (t *transferTx) authorize(
	asked authorization.Asked, name namedCard,
) (authorization.Authorization, error) {
	a := authorization.Authorization{
		ID: asked.ID, Digest: digestOf(asked, name.CardName), Transfer: asked.Transfer,
		CardID: name.ID, Currency: asked.Currency, At: asked.At,
		Decision: authorization.Decision{Reason: authorization.UnknownCard},
	}
	earlier, known, err := again(t, func() (authorization.Authorization, error) {
		return t.tx.Authorizations().Find(asked.ID)
	})
	if err != nil {
		return a, err
	}
	same := known && bytes.Equal(earlier.Digest, a.Digest)
	if known && !same {
		if same, err = t.sameRequest(asked, name, earlier); err != nil {
			return a, err
		}
	}
	if known && !same {
		return a, conflict("The authorizationId was used with another body.")
	}
	if known {
		return earlier, nil
	}
	view, err := t.findNamed(name, asked.Kind.Direction())
	if err != nil {
		return a, err
	}
	a.Decided = t.tx.Now()
	var after authorization.Account
	if view.Card.ID != 0 {
		a.ProgramID, a.CardID = view.Card.ProgramID, view.Card.ID
		if a.Decision, after, err = t.decide(a, view, asked.Decimals); err != nil {
			return a, err
		}
	}
	if err := t.tx.Authorizations().Put(a); err != nil {
		return a, err
	}
	return a, t.auditAuthorization(a, view.Accounts[a.AccountID], after)
}

// decide decides about a known card, and places the hold of an approval. It returns the account as
// the hold leaves it.
func (t *transferTx) decide(
	a authorization.Authorization, view authorization.View, decimals int,
) (authorization.Decision, authorization.Account, error) {
	none := authorization.Account{}
	rules, err := t.rules(view.Card.ProgramID, view.ProgramRevision)
	if err != nil {
		return a.Decision, none, err
	}
	if err := rules.checkDecimals(decimals); err != nil {
		return a.Decision, none, err
	}
	now, day := t.today(rules)
	limits := rules.limits(a.Kind.Direction())
	counted, err := t.sums(&view, limits, day)
	if err != nil {
		return a.Decision, none, err
	}
	t.orderingKey = orderingKeyOf(view, counted)
	a.Decision = authorization.Decide(a.Transfer, view, limits, now)
	if !a.Approved() {
		return a.Decision, none, nil
	}
	hold := a.Hold(view.Card.CreatorID, view.User.Day)
	before := view.Accounts[a.AccountID]
	after, err := before.Hold(hold)
	if err != nil {
		return a.Decision, none, conflict("The amount is too large for the account.")
	}
	if err := t.tx.Holds().Put(hold); err != nil {
		return a.Decision, none, err
	}
	if err := t.putAccount(before, after); err != nil {
		return a.Decision, none, err
	}
	if err := t.tx.Usages().Put(view.User.Add(a.Amount)); err != nil {
		return a.Decision, none, err
	}
	if counted {
		err = t.tx.Usages().Put(view.Program.Add(a.Amount))
	}
	return a.Decision, after, err
}

// sums brings the sums of the view to a day. Those of the whole program are one row, which every
// transfer of the program would have to wait for: they are kept only on days on which the program
// has a limit for them, and begin with the sum of all users. The result is whether they are kept.
func (t *transferTx) sums(
	view *authorization.View, limits authorization.Limits, day authorization.Day,
) (kept bool, err error) {
	view.User = view.User.At(day)
	if view.Program.Revision != 0 && view.Program.Counts(day) {
		return true, nil
	}
	if limits.ProgramDaily == nil {
		return false, nil
	}
	sum, err := t.tx.Usages().Sum(view.Card.ProgramID, view.Program.Direction, day)
	if err != nil {
		return false, err
	}
	sum.Revision = view.Program.Revision
	view.Program = sum
	return true, nil
}

func (t *transferTx) auditAuthorization(
	a authorization.Authorization, before, after authorization.Account,
) error {
	approved, outcome := a.Approved(), "declined"
	shown := properties{
		AccountID: a.AccountID, Amount: exact(a.Amount), Approved: &approved,
		AuthorizationID: a.ID, Category: string(a.Category), Currency: a.Currency,
		Kind: string(a.Kind), Reason: string(a.Reason),
	}.balances(after)
	if approved {
		outcome, shown.HoldID = "approved", a.HoldID()
	}
	entry := audit.Entry{Act: authorizeAct, ProgramID: a.ProgramID, Outcome: outcome}
	if a.CardID != 0 {
		entry.Subject = audit.Of(audit.Card, a.CardID)
	}
	return t.auditTransfer(entry, before, shown)
}

// ProcessorKeySet returns the key that the processor encrypts card numbers to, as a JSON Web Key
// Set.
func (s *Service) ProcessorKeySet() ([]byte, error) { return s.Vault.ProcessorKeySet() }
