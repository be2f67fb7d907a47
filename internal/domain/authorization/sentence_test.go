package authorization

import (
	"slices"
	"testing"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// sentenceOf decides a transfer of a card with a defect, and returns reason and explanation.
func sentenceOf(t Transfer, wrong func(*View, *Rules)) (Reason, string) {
	v, rules := usable(), Rules{Decimals: 2, Limits: Limits{Suffix: withdrawLimit}}
	if t.Kind == Deposit {
		rules.Suffix = depositLimit
	}
	if wrong != nil {
		wrong(&v, &rules)
	}
	a := Authorization{Transfer: t, CardID: 5001, Currency: "EUR"}
	a.Decision, a.Why = Decide(Question{Transfer: t, Currency: "EUR"}, v, rules, now)
	return a.Reason, a.Sentence(2)
}

// TestSentences checks the sentence of each reason, with the values of its decision.
func TestSentences(t *testing.T) {
	t.Parallel()
	deposit := Transfer{Kind: Deposit, Amount: cents(500)}
	savings := Transfer{Kind: Withdrawal, Category: customer.Savings, Amount: cents(500)}
	told := map[Reason]bool{}
	for _, test := range []struct {
		transfer Transfer
		wrong    func(*View, *Rules)
		reason   Reason
		want     string
	}{
		{purchase(500), nil, Approved, "Approved: account 1 had 10.00 available"},
		{deposit, nil, Approved, "Approved: account 1"},
		{purchase(500), func(v *View, _ *Rules) { v.Card = Card{} }, UnknownCard,
			"Declined: there was no card 5001"},
		{purchase(500), func(v *View, _ *Rules) { v.Card.Status = card.Archived }, CardStatus,
			"Declined: the card was Archived, not Verified"},
		{purchase(500), func(v *View, _ *Rules) {
			v.Card.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
		}, Locked, "Declined: the card was locked, temporary (CST/TMP)"},
		{purchase(500), func(v *View, _ *Rules) { v.Card.ExpireMonth = 5 }, Expired,
			"Declined: the last month of the card was 2026-05"},
		{purchase(500), func(v *View, _ *Rules) { v.Holder.IsLocked = true }, Customer,
			"Declined: customer 1002 was locked"},
		{purchase(500), func(v *View, _ *Rules) { v.Creator.Status = customer.Archived }, Customer,
			"Declined: customer 1001 was archived"},
		{purchase(500), func(v *View, _ *Rules) { v.Creator.Deceased = time.Now() }, Customer,
			"Declined: customer 1001 was deceased"},
		{purchase(500), func(v *View, _ *Rules) { v.Holder.IsActive = false }, Customer,
			"Declined: customer 1002 was inactive"},
		{purchase(500), func(v *View, _ *Rules) { v.Holder.Status = customer.Initiated }, Customer,
			"Declined: customer 1002 was not verified"},
		{purchase(500), func(v *View, _ *Rules) { v.Holder.AccessType = "NONE" }, Customer,
			"Declined: customer 1002 was without access to cards"},
		{purchase(500), func(_ *View, r *Rules) { r.Currency = "USD" }, OtherCurrency,
			"Declined: the amount was in EUR, the program's currency was USD"},
		{purchase(2000), func(v *View, r *Rules) {
			r.UserDaily, v.User.OfDay = limit(0, 50000), cents(50000)
		}, OverLimit, "Declined: a total of 520.00 exceeds the daily withdrawal limit of 500.00"},
		{purchase(150_000), func(_ *View, r *Rules) { r.PerTransaction = limit(0, 100_000) }, OverLimit,
			"Declined: 1,500.00 exceeds the per-transaction withdrawal limit of 1,000.00"},
		{purchase(500), func(_ *View, r *Rules) { r.UserMonthly = limit(1000, 5000) }, OverLimit,
			"Declined: a total of 5.00 is below the monthly withdrawal minimum of 10.00"},
		{deposit, func(_ *View, r *Rules) { r.ProgramDaily = limit(0, 1) }, OverLimit,
			"Declined: a total of 5.00 exceeds the program's daily deposit limit of 0.01"},
		{savings, func(v *View, _ *Rules) { v.Card.Slots.Savings = nil }, NoAccount,
			"Declined: the card had no Savings account"},
		{purchase(500), func(v *View, _ *Rules) { v.Card.Slots = card.Slots{} }, NoAccount,
			"Declined: the card had no account"},
		{savings, func(v *View, _ *Rules) { v.close(4) }, NoAccount,
			"Declined: account 4 was PendingClosed"},
		{purchase(500_000), func(v *View, _ *Rules) { v.close(1) }, InsufficientFunds,
			"Declined: 5,000.00 was asked, account 1 was PendingClosed, account 2 had 20.00 available, " +
				"account 3 had 30.00 available"},
	} {
		reason, got := sentenceOf(test.transfer, test.wrong)
		if told[reason] = true; reason != test.reason || got != test.want {
			t.Errorf("%s: %s, want %s: %s", reason, got, test.reason, test.want)
		}
	}
	for _, reason := range Reasons {
		if !told[reason] && reason != Reversed {
			t.Errorf("%s is not tried", reason)
		}
	}
}

// TestSentencesOfOthers checks the sentences for outcomes that no decision of this version
// explains.
func TestSentencesOfOthers(t *testing.T) {
	t.Parallel()
	digest := []byte{1}
	funds := Why{Tried: []ConsideredAccount{{AccountID: 1, Status: customer.Open, Available: cents(30)}}}
	authorization := func(reason Reason) Authorization {
		return Authorization{Digest: digest, Transfer: purchase(500), Decision: Decision{Reason: reason}}
	}
	reversed, part := authorization(Reversed), authorization(Reversed)
	reversed.Reversed, part.Reversed = Everything, cents(30)
	partial := authorization(Approved)
	partial.AccountID, partial.Decision.Amount, partial.Why = 1, cents(30), funds
	standIn := authorization(InsufficientFunds)
	standIn.Why = funds
	standIn.Advice = Advice{By: StandIn, Approved: true, WouldHave: InsufficientFunds}
	alone := standIn
	alone.Digest = nil
	network := authorization(Approved)
	network.Advice = Advice{By: Network, WouldHave: Approved}
	increment := authorization(NoAccount)
	increment.IncrementOf = "first"
	for want, a := range map[string]Authorization{
		"Declined: a reversal arrived before it":                  reversed,
		"Declined: a reversal of 0.30 arrived before it":          part,
		"Declined: no card has the number":                        authorization(UnknownCard),
		"Approved for 0.30 of 5.00: account 1 had 0.30 available": partial,
		"Approved by the card processor; here it was declined: 5.00 was asked, account 1 had 0.30 " +
			"available": standIn,
		"Approved by the card processor; here it would have been declined: 5.00 was asked, account 1 " +
			"had 0.30 available": alone,
		"Declined by the card network; here it was approved":        network,
		"Declined: the account of the hold was not on the card":     increment,
		"Declined: the card was not Verified":                       authorization(CardStatus),
		"Declined: the card was locked":                             authorization(Locked),
		"Declined: the card had expired":                            authorization(Expired),
		"Declined: the customer could not pay":                      authorization(Customer),
		"Declined: the program had another currency":                authorization(OtherCurrency),
		"Declined: a limit of the program did not allow the amount": authorization(OverLimit),
		"Declined: the card had no account":                         authorization(NoAccount),
		"Declined: 5.00 was asked":                                  authorization(InsufficientFunds),
	} {
		if got := a.Sentence(2); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	exact := authorization(InsufficientFunds)
	exact.Transfer.Amount = value.Amount{TenThousandths: 5_0050}
	if got := exact.Sentence(0); got != "Declined: 5.005 was asked" {
		t.Errorf("no digit is left off: %s", got)
	}
	if !slices.Contains(Decisions, exact.Outcome()) {
		t.Error(exact.Outcome())
	}
}
