package authorization

import (
	"fmt"
	"strings"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// Outcome returns the final decision, one of Decisions: that of the advice if there is one.
func (a Authorization) Outcome() string {
	if a.Advice.By != "" {
		return decision(a.Advice.Approved)
	}
	return decision(a.Approved())
}

func decision(approved bool) string {
	if approved {
		return Decisions[0]
	}
	return Decisions[1]
}

// Sentence returns a sentence for people that says what was decided and why, with the figures as of
// the decision. Amounts have at least digits decimal places.
func (a Authorization) Sentence(digits int) string {
	text := a.Outcome()
	if a.Advice.By == "" {
		text += a.because(a.Reason, digits)
	} else {
		here := "would have been "
		if a.HasRequest() && a.Reason == a.Advice.WouldHave {
			here = "was "
		}
		text += " by the " + a.Advice.By.Words() + "; here it " + here +
			decision(a.Advice.WouldHave == Approved) + a.because(a.Advice.WouldHave, digits)
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Words returns the decider in words.
func (b Decider) Words() string {
	if b == Network {
		return "card network"
	}
	return "card processor"
}

// because returns the end of a sentence about a decision. Older rows have fewer details.
func (a Authorization) because(reason Reason, digits int) string {
	var text string
	switch reason {
	case Approved:
		return a.paid(digits)
	case Reversed:
		text = "a reversal arrived before it"
		if by := a.Reversed; by.TenThousandths > 0 && by != Everything {
			text = "a reversal of " + amountText(by, digits) + " arrived before it"
		}
	case UnknownCard:
		text = "no card has the number"
		if a.CardID != 0 {
			text = fmt.Sprintf("there was no card %d", a.CardID)
		}
	case OverLimit:
		text = a.Limit.sentence(digits)
	case NoAccount:
		text = a.withoutAccount(digits)
	case InsufficientFunds:
		text = amountText(a.Transfer.Amount, digits) + " was asked"
		if len(a.Tried) > 0 {
			text += ", " + triedText(a.Tried, digits)
		}
	default:
		text = a.obstacleText(reason)
	}
	return ": " + text
}

// paid names the account that pays, and the approved amount if only part was approved.
func (a Authorization) paid(digits int) string {
	text := ""
	if approved := a.Decision.Amount; approved.TenThousandths > 0 &&
		approved.TenThousandths < a.Transfer.Amount.TenThousandths {
		text = " for " + amountText(approved, digits) + " of " + amountText(a.Transfer.Amount, digits)
	}
	for _, t := range a.Tried {
		if t.AccountID == a.AccountID && a.Kind != Deposit {
			return text + ": " + triedText([]ConsideredAccount{t}, digits)
		}
	}
	if a.AccountID != 0 {
		return text + fmt.Sprintf(": account %d", a.AccountID)
	}
	return text
}

func (a Authorization) withoutAccount(digits int) string {
	switch {
	case len(a.Tried) > 0:
		return triedText(a.Tried, digits)
	case a.IncrementOf != "":
		return "the account of the hold was not on the card"
	case a.Category != "":
		return "the card had no " + string(a.Category) + " account"
	}
	return "the card had no account"
}

// obstacleText describes what declined a transfer before any amount counted.
func (a Authorization) obstacleText(reason Reason) string {
	obstacle := Obstacle{}
	if a.Obstacle != nil {
		obstacle = *a.Obstacle
	}
	switch {
	case reason == CardStatus && obstacle.CardStatus != "":
		return "the card was " + string(obstacle.CardStatus) + ", not Verified"
	case reason == CardStatus:
		return "the card was not Verified"
	case reason == Locked && obstacle.LockType != "":
		return fmt.Sprintf("the card was locked, %s (%s/%s)", obstacle.LockReason.Words(),
			obstacle.LockType, obstacle.LockReason)
	case reason == Locked:
		return "the card was locked"
	case reason == Expired && obstacle.LastMonth != "":
		return "the last month of the card was " + obstacle.LastMonth
	case reason == Expired:
		return "the card had expired"
	case reason == Customer && obstacle.Customer != "":
		return fmt.Sprintf("customer %d was %s", obstacle.CustomerID, obstacle.Customer)
	case reason == Customer:
		return "the customer could not pay"
	case reason == OtherCurrency && obstacle.Currency != "":
		return "the amount was in " + a.Currency + ", the program's currency was " + obstacle.Currency
	case reason == OtherCurrency:
		return "the program had another currency"
	}
	return string(reason)
}

// limitWords holds the words for limits, by their names without the direction.
var limitWords = map[string]string{
	"perTransaction": "the per-transaction %s", "perUserDaily": "the daily %s",
	"perUserMonthly": "the monthly %s", "perProgramDaily": "the program's daily %s",
}

// sentence describes the limit and the sum that was compared with it.
func (e *Exceeded) sentence(digits int) string {
	if e == nil {
		return "a limit of the program did not allow the amount"
	}
	direction := "deposit"
	name, ok := strings.CutSuffix(e.Name, depositLimit)
	if !ok {
		name, direction = strings.TrimSuffix(e.Name, withdrawLimit), "withdrawal"
	}
	sum, limit := amountText(e.Sum, digits), fmt.Sprintf(limitWords[name], direction)
	if name != "perTransaction" {
		sum = "a total of " + sum
	}
	if e.Least != nil && e.Sum.TenThousandths < e.Least.TenThousandths {
		return sum + " is below " + limit + " minimum of " + amountText(*e.Least, digits)
	}
	text := sum + " exceeds " + limit + " limit"
	if e.Most != nil {
		text += " of " + amountText(*e.Most, digits)
	}
	return text
}

// triedText describes the available balances of the accounts.
func triedText(tried []ConsideredAccount, digits int) string {
	var all []string
	for _, t := range tried {
		text := fmt.Sprintf("account %d ", t.AccountID)
		if t.Status == customer.Open {
			text += "had " + amountText(t.Available, digits) + " available"
		} else {
			text += "was " + string(t.Status)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// amountText formats an amount with all of its decimal places, and at least digits of them.
func amountText(a value.Amount, digits int) string {
	return value.Grouped(a.Fixed(max(digits, a.Digits())).String())
}
