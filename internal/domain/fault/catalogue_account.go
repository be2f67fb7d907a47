package fault

// Faults of the operations that change the accounts of a card (interface §8.14 to §8.16).
var accountEntries = []Entry{
	{Kind: AddAccountCardInvalid, Code: 150601, HTTP: 400,
		Message: cardNotAssociated,
		Meaning: notOfCustomerOrArchived,
		Cure:    sendOwnCard,
	},
	{Kind: AddAccountLocked, Code: 150602, HTTP: 400,
		Message: "CardId {cardId} must be unlocked to add an account.",
		Meaning: "The card is locked.",
		Cure:    "Unlock the card first.",
	},
	{Kind: AddAccountType, Code: 150603, HTTP: 400,
		Message: "AccountId {accountId} must be a Checking or Savings account.",
		Meaning: "The account is neither a Checking nor a Savings account.",
		Cure:    "Choose a checking or savings account.",
	},
	{Kind: AddAccountFull, Code: 150604, HTTP: 400,
		Message: "CardId {cardId} already has the maximum of 4 {category} accounts.",
		Meaning: "All 4 slots that the card has for accounts of this category are taken.",
		Cure:    "Remove an account of the category from the card first.",
	},
	{Kind: AddAccountStatus, Code: 150605, HTTP: 400,
		Message: "AccountId {accountId} is in a status of {status}. " +
			"Must be Open to add it to a card.",
		Meaning: "The account is not Open.",
		Cure:    "Wait until the account is open, or choose another one.",
	},
	{Kind: AddAccountTied, Code: 150606, HTTP: 400,
		Message: "AccountId {accountId} is already tied to CardId {cardId} with a priority of " +
			"{priority}.",
		Meaning: "The account is on the card already.",
		Cure:    "Call /card/reprioritizeAccount to change its priority.",
	},
	{Kind: AddAccountPriority, Code: 150607, HTTP: 400,
		Message: "New priority of {priority} must be between 1 and {bound}.",
		Meaning: "cardPriority is missing, below 1, or above the number of accounts of the " +
			"same category on the card plus 1.",
		Cure: "Send a priority within the bounds in the message.",
	},
	{Kind: RemoveAccountCardInvalid, Code: 150701, HTTP: 400,
		Message: cardNotAssociated,
		Meaning: notOfCustomerOrArchived,
		Cure:    sendOwnCard,
	},
	{Kind: RemoveAccountPrimary, Code: 150702, HTTP: 400,
		Message: "Cannot remove primaryAccountId {accountId} from cardId {cardId}. " +
			"First reassign a new primary account to the card, then try again.",
		Meaning: "The account to be removed is the primary account of the card.",
		Cure: "Move another account of the same type to priority 1 by " +
			"/card/reprioritizeAccount, then try again; add one by /card/addAccount where " +
			"there is none. At priority 1 a Checking account also replaces a Savings account.",
	},
	{Kind: ReprioritizeCardInvalid, Code: 150801, HTTP: 400,
		Message: cardNotAssociated,
		Meaning: "/card/reprioritizeAccount was called for a card that is unknown or archived, " +
			"or by a customer who is neither its creator nor its holder.",
		Cure: sendOwnCard,
	},
	{Kind: ReprioritizePriority, Code: 150802, HTTP: 400,
		Message: "New Priority {priority} for CardId {cardId}, AccountId {accountId} must be " +
			"between 1 and {bound}.",
		Meaning: "The priority is missing, below 1, or above the number of accounts of the " +
			"same category on the card.",
		Cure: "Send a priority within the bounds in the message.",
	},
}
