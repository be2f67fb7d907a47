package transfers

import (
	"errors"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// standing holds what changes with a hold: the sums and accounts of its card, moved on to the day,
// and the hold itself, without an identifier if there is none.
type standing struct {
	view    authorization.View
	before  authorization.ProgramUsage // as read
	limit   *program.Limit             // of the program's day
	counted bool                       // the sum of the whole program is maintained
	hold    authorization.Hold
	account authorization.Account // of the hold
}

// settled holds the state before and after settle.
type settled struct {
	before, after         authorization.Account
	heldBefore, heldAfter value.Amount
}

// settle adjusts the hold of an authorization to its book, whatever its state was.
func (t *transferTx) settle(
	a authorization.Authorization, view authorization.View, rules *transferRules,
) (settled, error) {
	_, day := t.today(rules)
	limits := rules.rulesFor(a.Kind.Direction()).Limits
	s := standing{view: view, before: view.Program, limit: limits.ProgramDaily}
	var err error
	if s.counted, err = t.rollSums(&s.view, limits, day); err != nil {
		return settled{}, err
	}
	t.contention.Sums, t.contention.Account = sumsOf(s.view, s.counted), a.AccountID
	hold, err := t.tx.Holds().FindView(a.HoldID())
	if errors.Is(err, store.ErrNotFound) {
		return t.placeAgain(a, s)
	}
	if err != nil {
		return settled{}, err
	}
	s.hold, s.account = hold.Hold, hold.Account
	if a.Ends != nil && a.Ends.After(t.tx.Now()) {
		s.hold.Ends = *a.Ends
	}
	done := settled{hold.Account, hold.Account, s.hold.Amount, a.Held()}
	switch more := done.heldAfter.TenThousandths - done.heldBefore.TenThousandths; {
	case more > 0:
		done.after, err = t.grow(s, value.Amount{TenThousandths: more})
	case more < 0:
		done.after, err = t.shrink(s, value.Amount{TenThousandths: -more})
	case !s.hold.Ends.Equal(hold.Hold.Ends):
		err = t.tx.Holds().Change(s.hold)
	}
	return done, err
}

// placeAgain places the hold of an authorization without one, unless the hold has ended.
func (t *transferTx) placeAgain(a authorization.Authorization, s standing) (settled, error) {
	account, err := t.tx.Balances().Find(a.AccountID)
	if err != nil {
		return settled{}, err
	}
	none := settled{before: account, after: account}
	end, err := t.tx.Holds().FindEnd(a.HoldID())
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return none, err
	case a.Held().TenThousandths == 0, err == nil && !end.Emptied:
		return none, nil
	case err == nil:
		if err := t.tx.Holds().DeleteEnd(a.HoldID()); err != nil {
			return none, err
		}
	}
	hold := a.Hold(a.CustomerID, s.view.User.Day)
	hold.Amount, hold.Placed = a.Held(), t.tx.Now()
	hold.Ends = a.EndFrom(hold.Placed)
	s.account = account
	after, err := t.placeHold(s, hold)
	return settled{account, after, value.Amount{}, hold.Amount}, err
}

// placeHold places a hold, and returns the account with it.
func (t *transferTx) placeHold(
	s standing, hold authorization.Hold,
) (authorization.Account, error) {
	before := s.account
	if before.ID == 0 {
		before = s.view.Accounts[hold.AccountID]
	}
	after, err := before.Hold(hold)
	if err != nil {
		return after, tooLarge()
	}
	if err := t.tx.Holds().Put(hold); err != nil {
		return after, err
	}
	return after, t.putSums(s, before, after, hold.Amount)
}

// grow increases a hold, and returns the account after that.
func (t *transferTx) grow(s standing, more value.Amount) (authorization.Account, error) {
	before := s.account
	if before.ID == 0 {
		before = s.view.Accounts[s.hold.AccountID]
	}
	after, err := before.Adjust(s.hold.Kind, more.TenThousandths, t.tx.Now())
	if err != nil {
		return after, tooLarge()
	}
	hold := s.hold.Increase(more, s.view.User.Day)
	if err := t.tx.Holds().Change(hold); err != nil {
		return after, err
	}
	return after, t.putSums(s, before, after, more)
}

// putSums stores an account, and the sums increased by an amount.
func (t *transferTx) putSums(
	s standing, before, after authorization.Account, more value.Amount,
) error {
	if err := t.putAccount(before, after); err != nil {
		return err
	}
	err := t.tx.Usages().Put(s.view.User.Add(more))
	if err == nil && s.counted {
		err = t.putProgramUsage(s.before, s.view.Program.Add(more, s.limit))
	}
	return err
}

// shrink releases a part of an active hold. A hold with nothing left ends; it is placed again if
// more turns out to be approved.
func (t *transferTx) shrink(s standing, by value.Amount) (authorization.Account, error) {
	now := t.tx.Now()
	after, err := s.account.Adjust(s.hold.Kind, -by.TenThousandths, now)
	if err != nil {
		return after, err
	}
	left, taken := s.hold.Shrink(by)
	if err := t.putLeft(left, now); err != nil {
		return after, err
	}
	if err := t.putAccount(s.account, after); err != nil {
		return after, err
	}
	if user := s.view.User.TakeParts(taken); user != s.view.User {
		if err := t.tx.Usages().Put(user); err != nil {
			return after, err
		}
	}
	return after, t.putProgramUsage(s.before, s.view.Program.TakeParts(taken))
}

// putLeft stores what is left of a hold, or its end if nothing is left.
func (t *transferTx) putLeft(left authorization.Hold, now time.Time) error {
	if left.Amount.TenThousandths > 0 {
		return t.tx.Holds().Change(left)
	}
	end := left.EndedBy(authorization.Released, "", now)
	end.Emptied = true
	return t.tx.Holds().Delete(end)
}

func tooLarge() error { return conflict("The amount is too large for the account.") }
