package ledger

import (
	"fmt"
	"slices"

	"mintmark/internal/domain/fault"
)

const (
	add          = "/card/addAccount"
	remove       = "/card/removeAccount"
	reprioritize = "/card/reprioritizeAccount"
)

// account returns the body of an act that names an account for the card.
func account(id int, more string) string {
	return act("$card", fmt.Sprintf(`"accountId":%d%s`, id, more))
}

// full creates a card with four checking accounts.
var full = slices.Concat(Verified, []Step{
	perform(add, `"accountId":2002,"cardPriority":2`),
	perform(add, `"accountId":2003,"cardPriority":3`),
	perform(add, `"accountId":2004,"cardPriority":4`),
})

// HeldByAnother creates a card of customer 1001 whose holder is customer 1002, who may not manage
// accounts.
var HeldByAnother = []Step{{Path: initiate, CreatesCard: true, Body: NewCard(
	`"cardHolderCustomerId":1002,"nickName":"Held by another $unique"`)}}

// sharedWithAnother creates a card of customer 1001 with two accounts. Its holder is customer 1010,
// who may manage accounts but has no access to these.
var sharedWithAnother = []Step{
	{Path: initiate, CreatesCard: true, Body: NewCard(
		`"cardHolderCustomerId":1010,"nickName":"Shared $unique"`)},
	perform(add, `"accountId":2002,"cardPriority":2`),
}

const notCard4711 = "Invalid CardId 4711 or CustomerId 1001 is not associated with the card."

var accountCases = []Case{
	{Kind: fault.AddAccountCardInvalid, Name: "add an account to an unknown card",
		Path: add, Body: Act(4711, `"accountId":2002,"cardPriority":1`), Want: notCard4711},
	{Kind: fault.CardAccess, Name: "add an account as a customer who may not", Given: HeldByAnother,
		Path: add,
		Body: `{"customerId":1002,"cardId":$card,"accountId":2002,"cardPriority":1}`,
		Want: "CustomerId 1002 does not have access to CardId $card."},
	{Kind: fault.AddAccountLocked, Name: "add an account to a locked card",
		Given: after(Verified, "/card/lock", `"lockReasonTypeCode":"TMP"`),
		Path:  add, Body: account(2002, `,"cardPriority":1`),
		Want: "CardId $card must be unlocked to add an account."},
	{Kind: fault.AddAccountLocked, Name: "add an account to a card that the system has locked",
		Given: pinTriesExceeded,
		Path:  add, Body: account(2002, `,"cardPriority":1`),
		Want: "CardId $card must be unlocked to add an account."},
	{Kind: fault.ValueNotAcceptable, Name: "add an unknown account", Given: Verified,
		Path: add, Body: account(4711, `,"cardPriority":1`),
		Want: notAcceptable + "accountId' is not acceptable. Specifics: The account is not " +
			"known for the customer."},
	{Kind: fault.AccountAccess, Name: "add an account that may only be read", Given: Verified,
		Path: add, Body: account(2014, `,"cardPriority":1`),
		Want: "Insufficient access type RDONLY for CustomerId 1001 to Primary AccountId 2014 to " +
			"add a card. FULL is required."},
	{Kind: fault.AddAccountType, Name: "add a ForBenefitOf account", Given: Verified,
		Path: add, Body: account(2013, `,"cardPriority":1`),
		Want: "AccountId 2013 must be a Checking or Savings account."},
	{Kind: fault.AddAccountStatus, Name: "add an account that is not open yet",
		Given: Verified, Path: add, Body: account(2011, `,"cardPriority":1`),
		Want: "AccountId 2011 is in a status of PendingOpen. Must be Open to add it to a card."},
	{Kind: fault.AddAccountTied, Name: "add an account twice", Given: Verified,
		Path: add, Body: account(2001, `,"cardPriority":1`),
		Want: "AccountId 2001 is already tied to CardId $card with a priority of 1."},
	{Kind: fault.AddAccountFull, Name: "add a fifth account", Given: full,
		Path: add, Body: account(2005, `,"cardPriority":1`),
		Want: "CardId $card already has the maximum of 4 Checking accounts."},
	{Kind: fault.AddAccountPriority, Name: "add an account behind a gap", Given: Verified,
		Path: add, Body: account(2002, `,"cardPriority":3`),
		Want: "New priority of 3 must be between 1 and 2."},
	{Kind: fault.AddAccountPriority, Name: "add an account without a priority",
		Given: Verified, Path: add, Body: account(2006, ""),
		Want: "New priority of 0 must be between 1 and 1."},

	{Kind: fault.RemoveAccountCardInvalid, Name: "remove an account from an unknown card",
		Path: remove, Body: Act(4711, `"accountId":2002`), Want: notCard4711},
	{Kind: fault.CardAccess, Name: "remove an account as a customer who may not",
		Given: HeldByAnother, Path: remove,
		Body: `{"customerId":1002,"cardId":$card,"accountId":2001}`,
		Want: "CustomerId 1002 does not have access to CardId $card."},
	{Kind: fault.ValueNotAcceptable, Name: "remove an account that is not on the card",
		Given: Verified, Path: remove, Body: account(2002, ""),
		Want: notAcceptable + "accountId' is not acceptable. Specifics: The account is not on " +
			"the card."},
	{Kind: fault.AccountAccess, Name: "remove an account that somebody else may use",
		Given: sharedWithAnother, Path: remove,
		Body: `{"customerId":1010,"cardId":$card,"accountId":2002}`,
		Want: "Insufficient access type NONE for CustomerId 1010 to Primary AccountId 2002 to " +
			"add a card. FULL is required."},
	{Kind: fault.RemoveAccountPrimary, Name: "remove the primary account", Given: Verified,
		Path: remove, Body: account(2001, ""),
		Want: "Cannot remove primaryAccountId 2001 from cardId $card. First reassign a new " +
			"primary account to the card, then try again."},

	{Kind: fault.ReprioritizeCardInvalid, Name: "reprioritize on an unknown card",
		Path: reprioritize, Body: Act(4711, `"accountId":2002,"cardPriority":1`),
		Want: notCard4711},
	{Kind: fault.ValueNotAcceptable, Name: "reprioritize an account that is not on the card",
		Given: Verified, Path: reprioritize, Body: account(2002, `,"priority":1`),
		Want: notAcceptable + "accountId' is not acceptable. Specifics: The account is not on " +
			"the card."},
	{Kind: fault.ReprioritizePriority, Name: "reprioritize beyond the last account",
		Given: Verified, Path: reprioritize, Body: account(2001, `,"priority":2`),
		Want: "New Priority 2 for CardId $card, AccountId 2001 must be between 1 and 1."},
}
