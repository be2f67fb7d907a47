package authorization

import (
	"slices"
	"testing"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
)

func cents(n int64) value.Amount { return value.Amount{TenThousandths: n * 100} }

func limit(least, most int64) *program.Limit {
	l := &program.Limit{}
	if least > 0 {
		amount := cents(least)
		l.MinimumAmount = &amount
	}
	if most > 0 {
		amount := cents(most)
		l.MaximumAmount = &amount
	}
	return l
}

// now is in a zone in which the month differs from that in UTC.
var now = time.Date(2026, time.June, 30, 23, 30, 0, 0, time.FixedZone("", -5*3600))

func fit(id int) customer.Standing {
	return customer.Standing{ID: id, Status: customer.Verified, IsActive: true, AccessType: customer.CardOnly}
}

// usable returns a card that nothing prevents from paying: three checking accounts and one savings
// account.
func usable() View {
	v := View{
		Card: Card{
			ID: 5001, ProgramID: 1, CreatorID: 1001, HolderID: 1002, Status: card.Verified,
			Lock:        card.Lock{Type: card.Unlocked, Reason: card.Unknown},
			ExpireMonth: 6, ExpireYear: 2026,
			Slots:           card.Slots{Checking: []int{1, 2, 3}, Savings: []int{4}},
			PrimaryCategory: customer.Checking,
		},
		Creator: fit(1001), Holder: fit(1002), Accounts: map[int]Account{},
	}
	for id, available := range map[int]int64{1: 1000, 2: 2000, 3: 3000, 4: 4000} {
		v.Accounts[id] = Account{
			ID: id, Status: customer.Open, Balance: cents(available), Available: cents(available),
		}
	}
	return v
}

// decideIn decides in a program that has only limits.
func decideIn(t Transfer, v View, l Limits, at time.Time) Decision {
	d, _ := Decide(Question{Transfer: t}, v, Rules{Limits: l, Decimals: 2}, at)
	return d
}

func purchase(amount int64) Transfer { return Transfer{Kind: Purchase, Amount: cents(amount)} }

// close closes an account of a view.
func (v View) close(ids ...int) {
	for _, id := range ids {
		a := v.Accounts[id]
		a.Status = customer.PendingClosed
		v.Accounts[id] = a
	}
}

func TestChoose(t *testing.T) {
	in := func(category card.Category, amount int64) Transfer {
		return Transfer{Kind: Withdrawal, Category: category, Amount: cents(amount)}
	}
	for name, test := range map[string]struct {
		transfer Transfer
		change   func(*View)
		want     Decision
	}{
		"the first":        {purchase(1000), nil, Decision{Reason: Approved, AccountID: 1}},
		"the second":       {purchase(1001), nil, Decision{Reason: Approved, AccountID: 2}},
		"the third":        {purchase(3000), nil, Decision{Reason: Approved, AccountID: 3}},
		"none":             {purchase(3001), nil, Decision{Reason: InsufficientFunds}},
		"savings":          {in(customer.Savings, 3500), nil, Decision{Reason: Approved, AccountID: 4}},
		"checking":         {in(customer.Checking, 3500), nil, Decision{Reason: InsufficientFunds}},
		"savings, too few": {in(customer.Savings, 4001), nil, Decision{Reason: InsufficientFunds}},
		"primary savings": {purchase(100), func(v *View) {
			v.Card.PrimaryCategory = customer.Savings
		}, Decision{Reason: Approved, AccountID: 4}},
		"the first is closed": {purchase(1), func(v *View) { v.close(1) }, Decision{Reason: Approved, AccountID: 2}},
		"all are closed": {purchase(1), func(v *View) { v.close(1, 2, 3) },
			Decision{Reason: NoAccount}},
		"the open one is too poor": {purchase(2500), func(v *View) { v.close(1, 3) },
			Decision{Reason: InsufficientFunds}},
		"no account of the category": {in(customer.Savings, 1), func(v *View) {
			v.Card.Slots.Savings = nil
		}, Decision{Reason: NoAccount}},
		"no account at all": {purchase(1), func(v *View) { v.Card.Slots = card.Slots{} },
			Decision{Reason: NoAccount}},
		"a deposit needs no balance": {Transfer{Kind: Deposit, Amount: cents(9999)}, nil,
			Decision{Reason: Approved, AccountID: 1}},
		"a deposit needs an open account": {Transfer{Kind: Deposit, Amount: cents(1)},
			func(v *View) { v.close(1, 2, 3) }, Decision{Reason: NoAccount}},
	} {
		v := usable()
		if test.change != nil {
			test.change(&v)
		}
		if test.want.Approved() {
			test.want.Amount = test.transfer.Amount
		}
		if got := decideIn(test.transfer, v, Limits{}, now); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// spoil changes a view so that it declines for a reason, without affecting the other reasons.
var spoil = map[Reason]func(v *View, l *Limits){
	UnknownCard: func(v *View, _ *Limits) { v.Card.ID = 0 },
	CardStatus:  func(v *View, _ *Limits) { v.Card.Status = card.ReissuePendingVerification },
	Locked: func(v *View, _ *Limits) {
		v.Card.Lock = card.Lock{Type: card.System, Reason: card.PinRetries}
	},
	Expired:   func(v *View, _ *Limits) { v.Card.ExpireMonth = 5 },
	Customer:  func(v *View, _ *Limits) { v.Holder.IsLocked = true },
	OverLimit: func(_ *View, l *Limits) { l.PerTransaction = limit(0, 1) },
	NoAccount: func(v *View, _ *Limits) { v.close(1, 2, 3, 4) },
	InsufficientFunds: func(v *View, _ *Limits) {
		for id, a := range v.Accounts {
			a.Available = value.Amount{}
			v.Accounts[id] = a
		}
	},
}

// TestOrderOfReasons tries each pair of reasons: the first in the order is the response.
func TestOrderOfReasons(t *testing.T) {
	declines := Reasons[1 : len(Reasons)-1] // a reversal is checked before anything is read
	for i, first := range declines {
		for _, second := range declines[i:] {
			v, l := usable(), Limits{}
			rules := Rules{Decimals: 2}
			for _, reason := range []Reason{second, first} {
				if reason == OtherCurrency {
					rules.Currency = "EUR"
				} else {
					spoil[reason](&v, &l)
				}
			}
			rules.Limits = l
			q := Question{Transfer: purchase(100), Currency: "USD"}
			if got, _ := Decide(q, v, rules, now); got != (Decision{Reason: first}) {
				t.Errorf("with %s and %s: %v", first, second, got)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, status := range card.Statuses {
		v := usable()
		v.Card.Status = status
		want := CardStatus
		if status == card.Verified {
			want = Approved
		}
		if got := decideIn(purchase(100), v, Limits{}, now); got.Reason != want {
			t.Errorf("%s: %s", status, got.Reason)
		}
	}
	for _, kind := range []card.LockType{card.Customer, card.System} {
		for _, reason := range card.Reasons {
			v := usable()
			v.Card.Lock = card.Lock{Type: kind, Reason: reason}
			if got := decideIn(purchase(100), v, Limits{}, now); got.Reason != Locked {
				t.Errorf("%s/%s: %s", kind, reason, got.Reason)
			}
		}
	}
	for name, change := range map[string]func(*customer.Standing){
		"inactive":     func(s *customer.Standing) { s.IsActive = false },
		"archived":     func(s *customer.Standing) { s.Status = customer.Archived },
		"deceased":     func(s *customer.Standing) { s.Deceased = now },
		"locked":       func(s *customer.Standing) { s.IsLocked = true },
		"not verified": func(s *customer.Standing) { s.Status = customer.ManualReview },
		"no access":    func(s *customer.Standing) { s.AccessType = customer.None },
	} {
		for _, who := range []func(*View) *customer.Standing{
			func(v *View) *customer.Standing { return &v.Creator },
			func(v *View) *customer.Standing { return &v.Holder },
		} {
			v := usable()
			change(who(&v))
			if got := decideIn(purchase(100), v, Limits{}, now); got.Reason != Customer {
				t.Errorf("%s: %s", name, got.Reason)
			}
		}
	}
}

// TestExpiry checks that a card is valid until the end of its month, in the program's time zone.
func TestExpiry(t *testing.T) {
	chicago, err := time.LoadLocation("America/Chicago")
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2026, time.July, 1, 0, 0, 0, 0, chicago)
	for at, want := range map[time.Time]Reason{
		end.Add(-time.Millisecond): Approved, end: Expired,
		end.AddDate(1, -3, 0): Expired, end.AddDate(-1, 3, 0): Approved,
	} {
		if got := decideIn(purchase(100), usable(), Limits{}, at); got.Reason != want {
			t.Errorf("at %s: %s", at, got.Reason)
		}
	}
	december := usable()
	december.Card.ExpireMonth, december.Card.ExpireYear = 12, 2026
	if got := decideIn(purchase(100), december, Limits{},
		time.Date(2027, time.January, 1, 0, 0, 0, 0, chicago)); got.Reason != Expired {
		t.Errorf("in January after December: %s", got.Reason)
	}
}

func TestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		limits Limits
		amount int64
		want   Reason
	}{
		"none set":                 {Limits{}, 1000, Approved},
		"as much as may be":        {Limits{PerTransaction: limit(0, 500)}, 500, Approved},
		"more":                     {Limits{PerTransaction: limit(0, 500)}, 501, OverLimit},
		"as little as may be":      {Limits{PerTransaction: limit(500, 0)}, 500, Approved},
		"less":                     {Limits{PerTransaction: limit(500, 0)}, 499, OverLimit},
		"user's day":               {Limits{UserDaily: limit(0, 150)}, 50, Approved},
		"user's day, over":         {Limits{UserDaily: limit(0, 150)}, 51, OverLimit},
		"user's month":             {Limits{UserMonthly: limit(0, 1050)}, 50, Approved},
		"user's month, over":       {Limits{UserMonthly: limit(0, 1050)}, 51, OverLimit},
		"program's day":            {Limits{ProgramDaily: limit(0, 10_050)}, 50, Approved},
		"program's day, over":      {Limits{ProgramDaily: limit(0, 10_050)}, 51, OverLimit},
		"least of the day":         {Limits{UserDaily: limit(150, 0)}, 50, Approved},
		"below least of the day":   {Limits{UserDaily: limit(150, 0)}, 49, OverLimit},
		"below least of the month": {Limits{UserMonthly: limit(1100, 0)}, 99, OverLimit},
	} {
		v := usable()
		v.User = Usage{OfDay: cents(100), OfMonth: cents(1000)}
		v.Program.Total = Usage{OfDay: cents(10_000)}
		if got := decideIn(purchase(test.amount), v, test.limits, now); got.Reason != test.want {
			t.Errorf("%s: %s", name, got.Reason)
		}
	}
}

func TestLimitsOf(t *testing.T) {
	s := program.Settings{
		PerTransactionDepositLimit: limit(1, 1), PerTransactionWithdrawLimit: limit(2, 2),
		PerUserDailyDepositLimit: limit(3, 3), PerUserDailyWithdrawLimit: limit(4, 4),
		PerUserMonthlyDepositLimit: limit(5, 5), PerUserMonthlyWithdrawLimit: limit(6, 6),
		PerProgramDailyDepositLimit: limit(7, 7), PerProgramDailyWithdrawLimit: limit(8, 8),
	}
	deposits := Limits{s.PerTransactionDepositLimit, s.PerUserDailyDepositLimit,
		s.PerUserMonthlyDepositLimit, s.PerProgramDailyDepositLimit, "DepositLimit"}
	withdraws := Limits{s.PerTransactionWithdrawLimit, s.PerUserDailyWithdrawLimit,
		s.PerUserMonthlyWithdrawLimit, s.PerProgramDailyWithdrawLimit, "WithdrawLimit"}
	for kind, want := range map[Kind]Limits{
		Deposit: deposits, Purchase: withdraws, Withdrawal: withdraws,
	} {
		if got := LimitsOf(&s, kind.Direction()); got != want {
			t.Errorf("a %s has the limits %v", kind, got)
		}
	}
}

// TestPartial checks the approved part of an amount where partial approval is allowed.
func TestPartial(t *testing.T) {
	q := func(amount int64) Question { return Question{Transfer: purchase(amount), Partial: true} }
	for name, test := range map[string]struct {
		asked  int64
		limits Limits
		change func(*View)
		want   Decision
	}{
		"all of it":            {900, Limits{}, nil, Decision{Approved, 1, cents(900)}},
		"of the second":        {1500, Limits{}, nil, Decision{Approved, 2, cents(1500)}},
		"what the richest has": {9000, Limits{}, nil, Decision{Approved, 3, cents(3000)}},
		"in whole cents": {9000, Limits{}, func(v *View) {
			a := v.Accounts[3]
			a.Available.TenThousandths += 99
			v.Accounts[3] = a
		}, Decision{Approved, 3, cents(3000)}},
		"what a limit leaves": {900, Limits{UserDaily: limit(0, 700)}, func(v *View) {
			v.User.OfDay = cents(300)
		}, Decision{Approved, 1, cents(400)}},
		"nothing that a limit leaves": {900, Limits{UserDaily: limit(0, 700)}, func(v *View) {
			v.User.OfDay = cents(700)
		}, Decision{Reason: OverLimit}},
		"less than a limit allows": {900, Limits{PerTransaction: limit(600, 500)}, nil,
			Decision{Reason: OverLimit}},
		"the richest has too little": {9000, Limits{PerTransaction: limit(5000, 0)}, nil,
			Decision{Reason: InsufficientFunds}},
		"nothing": {900, Limits{}, func(v *View) { spoil[InsufficientFunds](v, nil) },
			Decision{Reason: InsufficientFunds}},
	} {
		v := usable()
		if test.change != nil {
			test.change(&v)
		}
		got, _ := Decide(q(test.asked), v, Rules{Limits: test.limits, Decimals: 2}, now)
		if got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestWhy checks the values that explain a decision.
func TestWhy(t *testing.T) {
	v := usable()
	v.User.OfMonth = cents(40_000)
	v.close(1)
	q := Question{Transfer: purchase(2500)}
	_, why := Decide(q, v, Rules{Limits: Limits{UserMonthly: limit(0, 42_499), Suffix: "X"}}, now)
	if why.Limit == nil || why.Limit.Name != "perUserMonthlyX" ||
		why.Limit.Sum.TenThousandths != cents(42_500).TenThousandths ||
		*why.Limit.Most != cents(42_499) || why.Limit.Least != nil || why.Tried != nil {
		t.Errorf("over a limit: %+v", why.Limit)
	}
	_, why = Decide(q, v, Rules{}, now)
	want := []ConsideredAccount{
		{1, customer.PendingClosed, cents(1000)}, {2, customer.Open, cents(2000)},
		{3, customer.Open, cents(3000)},
	}
	for i, tried := range why.Tried {
		if tried.AccountID != want[i].AccountID || tried.Status != want[i].Status ||
			tried.Available.TenThousandths != want[i].Available.TenThousandths {
			t.Errorf("tried %+v, want %+v", tried, want[i])
		}
	}
	if len(why.Tried) != len(want) {
		t.Errorf("%d accounts were tried", len(why.Tried))
	}
}

// TestHoldParts raises a hold on later days, and reduces the latest parts first.
func TestHoldParts(t *testing.T) {
	h := Hold{Amount: cents(100), Day: 20260601}
	h = h.Increase(cents(1), 20260601).Increase(cents(20), 20260602).Increase(cents(5), 20260602).
		Increase(cents(30), 20260605)
	if h.Amount != cents(156) || len(h.Later) != 2 {
		t.Fatalf("the hold is %+v", h)
	}
	before := h
	left, taken := h.Shrink(cents(40))
	want := []Part{{20260605, cents(30).TenThousandths}, {20260602, cents(10).TenThousandths}}
	if left.Amount != cents(116) || !slices.Equal(taken, want) || len(left.Later) != 1 ||
		left.Later[0] != (Part{20260602, cents(15).TenThousandths}) {
		t.Errorf("left is %+v, taken %v", left, taken)
	}
	if !slices.Equal(before.Later, h.Later) {
		t.Errorf("the hold before has changed: %v", h.Later)
	}
	left, taken = left.Shrink(Everything)
	want = []Part{{20260602, cents(15).TenThousandths}, {20260601, cents(101).TenThousandths}}
	if left.Amount != cents(0) || len(left.Later) != 0 || !slices.Equal(taken, want) {
		t.Errorf("left is %+v, taken %v", left, taken)
	}
	u := Usage{Day: 20260602, OfDay: cents(50), OfMonth: cents(200)}.TakeParts(taken)
	if u.OfDay != cents(35) || u.OfMonth != cents(84) {
		t.Errorf("the sums are %v and %v", u.OfDay, u.OfMonth)
	}
}
