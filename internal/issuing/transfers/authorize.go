package transfers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// Authorized is the answer to an authorization.
type Authorized struct {
	ID string
	authorization.Decision
	HoldID string // empty if declined
}

// Authorize decides whether a transfer is approved, and places a hold on the account that pays, or
// increases the hold of an earlier authorization. The same authorization is answered only once:
// with the same identifier and the same body the answer is the first one.
func (s *Service) Authorize(
	ctx context.Context, from audit.Actor, a authorization.Request,
) (Authorized, error) {
	name, err := s.nameOf(ctx, from, a)
	if err != nil {
		return Authorized{}, err
	}
	answer, err := process(ctx, s, from, name.CardRef,
		func(t *transferTx) (authorization.Authorization, error) { return t.authorize(a, name) })
	if err != nil {
		return Authorized{}, err
	}
	authorized := Authorized{ID: answer.ID, Decision: authorization.Decision{Reason: answer.Reason}}
	if answer.Approved() {
		authorized.Decision, authorized.HoldID = answer.Decision, answer.HoldID()
	}
	return authorized, nil
}

// digestOf returns a digest of the content of an authorization. It excludes the time of the
// processor, because some processors send the time of the message. A request without the members
// that were added later has the digest that it had before.
func digestOf(a authorization.Request, name store.CardRef) []byte {
	text := fmt.Appendf(nil, "%d %x %q %q %d %q", name.ID, name.Digest.First,
		a.Kind, a.Category, a.Amount.TenThousandths, a.Currency)
	later := struct {
		Partial     bool
		HoldUntil   int64
		IncrementOf string
		Original    string
		Merchant    authorization.Merchant
	}{Partial: a.Partial, IncrementOf: a.IncrementOf}
	if !a.HoldUntil.IsZero() {
		later.HoldUntil = a.HoldUntil.UnixMilli()
	}
	if o := a.Original; o != nil {
		later.Original = fmt.Sprint(o.Amount.TenThousandths, o.Currency)
	}
	if a.Merchant != nil {
		later.Merchant = *a.Merchant
	}
	if later.Partial || later.HoldUntil != 0 || later.IncrementOf != "" || later.Original != "" ||
		a.Merchant != nil {
		text = fmt.Appendf(text, " %q", fmt.Sprintf("%+v", later))
	}
	sum := sha256.Sum256(text)
	return sum[:]
}

// newAuthorization returns the content of a message, before the card is known.
func newAuthorization(
	request authorization.Request, name namedCard, now time.Time,
) authorization.Authorization {
	a := authorization.Authorization{
		ID: request.ID, Transfer: request.Transfer, CardID: name.ID, Currency: request.Currency,
		At: request.At, Decided: now,
		Decision: authorization.Decision{Reason: authorization.UnknownCard},
		Details: authorization.Details{
			Partial: request.Partial, IncrementOf: request.IncrementOf, Original: request.Original,
			Merchant: request.Merchant,
		},
	}
	if !request.HoldUntil.IsZero() {
		until := request.HoldUntil.UTC().Truncate(time.Millisecond)
		a.HoldUntil = &until
	}
	return a
}

func (t *transferTx) authorize(
	request authorization.Request, name namedCard,
) (authorization.Authorization, error) {
	a := newAuthorization(request, name, t.tx.Now())
	a.Digest = digestOf(request, name.CardRef)
	earlier, known, err := findEarlier(t, t.tx.Authorizations().Find, request.ID)
	if err != nil {
		return a, err
	}
	if known && earlier.HasRequest() {
		return earlier, t.checkSame(request, name, a, earlier)
	}
	view, err := t.findNamed(name, request.Kind.Direction())
	if err != nil {
		return a, err
	}
	if known {
		return t.answerLate(a, earlier, view)
	}
	var after authorization.Account
	if view.Card.ID != 0 {
		if a, after, err = t.decide(a.Of(view.Card), view, request.Decimals); err != nil {
			return a, err
		}
	}
	if err := t.tx.Authorizations().Put(a); err != nil {
		return a, err
	}
	return a, t.auditAuthorization(a, view.Accounts[a.AccountID], after)
}

// checkSame refuses a request with the identifier of another one.
func (t *transferTx) checkSame(
	request authorization.Request, name namedCard, a, earlier authorization.Authorization,
) error {
	if bytes.Equal(earlier.Digest, a.Digest) {
		return nil
	}
	same, err := t.sameRequest(request, name, earlier)
	if err == nil && !same {
		err = conflict("The authorizationId was used with another body.")
	}
	return err
}

// answerLate answers a request that arrives after its reversal or advice. It changes no balance.
func (t *transferTx) answerLate(
	a, earlier authorization.Authorization, view authorization.View,
) (authorization.Authorization, error) {
	if view.Card.ID != 0 {
		a, earlier = a.Of(view.Card), earlier.Of(view.Card)
	}
	if earlier.Advice.By == "" {
		a.Reason, a.Book = authorization.Reversed, earlier.Book
		if err := t.findRoot(&a, view.Card); err != nil {
			return a, err
		}
		if err := t.tx.Authorizations().Change(a); err != nil {
			return a, err
		}
		return a, t.auditAuthorization(a, authorization.Account{}, authorization.Account{})
	}
	if err := checkAdvised(a, earlier); err != nil {
		return a, err
	}
	earlier.Digest, earlier.Reason = a.Digest, earlier.Advice.Answer(earlier.AccountID)
	if earlier.Approved() {
		earlier.Decision.Amount = earlier.Advice.Amount
	}
	if err := t.tx.Authorizations().Change(earlier); err != nil {
		return a, err
	}
	return earlier, t.auditUnchanged(authorizeAct, earlier.ProgramID, earlier.CardID, properties{
		AuthorizationID: earlier.ID, Kind: string(earlier.Kind), Reason: string(earlier.Reason),
	})
}

// findRoot records whose hold a late increment would have increased, if that is known.
func (t *transferTx) findRoot(a *authorization.Authorization, of authorization.Card) error {
	if a.IncrementOf == "" || of.ID == 0 {
		return nil
	}
	root, err := t.root(*a, of)
	if wrong := (*TransferError)(nil); errors.As(err, &wrong) && wrong.Missing {
		return nil
	}
	a.Root = root.ID
	return err
}

// checkAdvised returns an error if a request and an advice with the same identifier contradict each
// other.
func checkAdvised(a, earlier authorization.Authorization) error {
	switch {
	case a.CardID != earlier.CardID:
		return conflict("The authorization is of another card.")
	case a.Kind != earlier.Kind:
		return conflict("The authorization is for a " + string(earlier.Kind) + ".")
	case a.IncrementOf != earlier.IncrementOf:
		return conflict("The authorization is an increment of another one.")
	}
	return nil
}

// decide decides about a known card, and places or increases the hold of an approval. It returns
// the account with the hold.
func (t *transferTx) decide(
	a authorization.Authorization, view authorization.View, decimals int,
) (authorization.Authorization, authorization.Account, error) {
	none := authorization.Account{}
	rules, err := t.rulesFor(a, view, decimals)
	if err != nil {
		return a, none, err
	}
	now, day := t.today(rules)
	in := rules.rulesFor(a.Kind.Direction())
	s := standing{before: view.Program, limit: in.ProgramDaily}
	if s.counted, err = t.rollSums(&view, in.Limits, day); err != nil {
		return a, none, err
	}
	t.contention.Sums = sumsOf(view, s.counted)
	q := authorization.Question{Transfer: a.Transfer, Currency: a.Currency, Partial: a.Partial}
	if err := t.sumExactly(&view, in.ProgramDaily, q); err != nil {
		return a, none, err
	}
	var root authorization.Authorization
	var grows authorization.HoldView
	if a.IncrementOf != "" {
		if root, grows, err = t.growing(a, view.Card); err != nil {
			return a, none, err
		}
		a.Root, q.AccountID = root.ID, grows.Hold.AccountID
	}
	a.Decision, a.Why = authorization.Decide(q, view, in, now)
	if !a.Approved() {
		return a, none, nil
	}
	t.contention.Account = a.AccountID
	s.view, s.hold = view, grows.Hold
	if a.Root != "" {
		if a.HoldUntil != nil {
			s.hold.Ends = *a.HoldUntil
		}
		after, err := t.grow(s, a.Decision.Amount)
		if err == nil {
			root = root.ApplyIncrement(authorization.Authorization{}, a, a.HoldUntil)
			err = t.tx.Authorizations().Change(root)
		}
		return a, after, err
	}
	after, err := t.placeHold(s, a.Hold(view.Card.CreatorID, view.User.Day))
	return a, after, err
}

// rulesFor returns the rules of the card's program, once the message complies with those about its
// form.
func (t *transferTx) rulesFor(
	a authorization.Authorization, view authorization.View, decimals int, earlier ...value.Amount,
) (*transferRules, error) {
	rules, err := t.rules(view.Card.ProgramID, view.ProgramRevision)
	if err == nil {
		err = rules.checkDecimals(a.Transfer.Amount, decimals, earlier...)
	}
	if err != nil || a.HoldUntil == nil {
		return rules, err
	}
	// An advice may come after the time that it names.
	now, isPast := t.tx.Now(), !a.HoldUntil.After(t.tx.Now()) && a.Advice.By == ""
	if isPast || a.HoldUntil.After(now.Add(authorization.MaxHoldLife)) {
		err = &TransferError{Member: "holdUntil", Detail: "must be within the next 60 days"}
	}
	return rules, err
}

// growing returns the authorization whose hold an increment increases, and that hold.
func (t *transferTx) growing(
	a authorization.Authorization, of authorization.Card,
) (authorization.Authorization, authorization.HoldView, error) {
	root, err := t.root(a, of)
	if err != nil {
		return root, authorization.HoldView{}, err
	}
	hold, err := t.tx.Holds().FindView(root.HoldID())
	if errors.Is(err, store.ErrNotFound) {
		err = conflict("The hold has ended.")
	}
	return root, hold, err
}

// root returns the authorization whose hold an increment increases. An increment of an increment
// increases the same hold.
func (t *transferTx) root(
	a authorization.Authorization, of authorization.Card,
) (authorization.Authorization, error) {
	root, err := t.tx.Authorizations().Find(a.IncrementOf)
	if err == nil && root.Root != "" {
		root, err = t.tx.Authorizations().Find(root.Root)
	}
	root = root.Of(of)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && root.IsMark():
		return root, missing("There is no such authorization.")
	case err != nil:
		return root, err
	case root.CardID != a.CardID:
		return root, conflict("The authorization is of another card.")
	case root.Kind != a.Kind:
		return root, conflict("The authorization is for a " + string(root.Kind) + ".")
	}
	return root, nil
}

// rollSums moves the sums of the view on to a day. The sum of the whole program is maintained only
// on days on which the program has a limit for it, and begins with the sum of all users. kept
// reports whether it is maintained.
func (t *transferTx) rollSums(
	view *authorization.View, limits authorization.Limits, day authorization.Day,
) (kept bool, err error) {
	view.User = view.User.At(day)
	if total := view.Program.Total; total.Revision != 0 && total.Counts(day) {
		return true, nil
	}
	if limits.ProgramDaily == nil {
		return false, nil
	}
	programID, direction := view.Card.ProgramID, view.Program.Total.Direction
	used, err := t.tx.Usages().Sum(programID, direction, day)
	if err != nil {
		return false, err
	}
	shares, err := t.tx.Usages().ListShares(programID, direction, day)
	view.Program = view.Program.Begin(used, shares)
	return true, err
}

// sumExactly takes back what is left of a program's shares, unless the limit allows the transfer in
// any case. The shares are read only then, because reading them conflicts with every transfer that
// draws on them.
func (t *transferTx) sumExactly(
	view *authorization.View, limit *program.Limit, q authorization.Question,
) error {
	if view.Program.AllowsWorstCase(limit, q) {
		return nil
	}
	total := view.Program.Total
	shares, err := t.tx.Usages().ListShares(total.ProgramID, total.Direction, total.Day)
	view.Program = view.Program.ReclaimShares(shares)
	return err
}

func (t *transferTx) auditAuthorization(
	a authorization.Authorization, before, after authorization.Account,
) error {
	approved, outcome := a.Approved(), "declined"
	shown := properties{
		AccountID: a.AccountID, Amount: exact(a.Transfer.Amount), Approved: &approved,
		AuthorizationID: a.ID, Category: string(a.Category), IncrementOf: a.IncrementOf,
		Kind: string(a.Kind), Reason: string(a.Reason),
	}.balances(after).withParticulars(a.Particulars())
	if approved {
		outcome, shown.HoldID = "approved", a.HoldID()
		shown.Amount = exact(a.Decision.Amount)
		if a.Decision.Amount.TenThousandths != a.Transfer.Amount.TenThousandths {
			shown.RequestedAmount = exact(a.Transfer.Amount)
		}
	}
	entry := entryOf(authorizeAct, outcome, a.ProgramID, a.CardID)
	return t.auditTransfer(entry, before, shown)
}

// ProcessorKeySet returns the key to which the processor encrypts card numbers, as a JSON Web Key
// Set.
func (s *Service) ProcessorKeySet() ([]byte, error) { return s.Vault.ProcessorKeySet() }
