package fault

// spellName is the cure for a name that cannot be printed.
const spellName = "Spell the name with the characters in the message, without accents."

// Faults of /card/initiate and /card/createdigital (interface §8.5 and §8.6). /card/reissue and
// /card/addAccount share some of the checks and therefore return some of the same faults.
var createEntries = []Entry{
	{Kind: TypeCodeInvalid, Code: 150201, HTTP: 400,
		Message: "TypeCode {typeCode} is not valid. Must be DBT or CDT.",
		Meaning: "typeCode is given and is neither DBT nor CDT.",
		Cure:    "Send DBT or CDT, or leave typeCode out, which means DBT.",
	},
	{Kind: VendorTypeCodeInvalid, Code: 150202, HTTP: 400,
		Message: "VendorTypeCode {vendorTypeCode} is not valid. Must be VS or MC.",
		Meaning: "vendorTypeCode is missing, or is neither VS nor MC.",
		Cure:    "Send VS or MC.",
	},
	{Kind: NameOnCardRequired, Code: 150203, HTTP: 400,
		Message: "NameOnCard is a required field.",
		Meaning: "The printed name holds no letter A to Z.",
		Cure:    "Send names with at least one letter A to Z.",
	},
	{Kind: TagTaken, Code: 150204, HTTP: 400,
		Message: "Tag {tag} is already associated with another card.",
		Meaning: "Another card of the program has the tag. Archiving a card does not free its " +
			"tag.",
		Cure: "Choose a tag that no card of the program has.",
	},
	{Kind: HolderInvalid, Code: 150205, HTTP: 400,
		Message: "Invalid Card Holder CustomerId {customerId}.",
		Meaning: "cardHolderCustomerId is unknown in the program of the API key. Where it is " +
			"missing, only a key that is compatible with earlier clients takes the creator.",
		Cure: "Send the customerId of a customer of the program who will hold the card.",
	},
	{Kind: HolderStatus, Code: 150206, HTTP: 400,
		Message: "Assigned Customer {customerId} status is {status}. " +
			"Must be Initiated, Manual Review, or Verified.",
		Meaning: "The status of the card holder is none of Initiated, Manual Review and " +
			"Verified, or the card holder is inactive, deceased or locked, which the message " +
			"then names as the status.",
		Cure: "Name another holder, or have the status of this one changed.",
	},
	{Kind: HolderAccessType, Code: 150207, HTTP: 400,
		Message: "Assigned Customer {customerId} access type is {accessType}. " +
			"Must be FULL, ACCT, or CARD.",
		Meaning: "The access type of the card holder is none of FULL, ACCT and CARD.",
		Cure:    "Name another holder, or ask the operator to change the access type of this one.",
	},
	{Kind: PrimaryAccountInvalid, Code: 150208, HTTP: 400,
		Message: "Invalid Primary AccountId {accountId}.",
		Meaning: "No account of the program has the id in primaryAccountId.",
		Cure:    "Send the accountId of an account of the customer.",
	},
	{Kind: PrimaryAccountStatus, Code: 150209, HTTP: 400,
		Message: "Primary AccountId {accountId} is in invalid status of {status}. " +
			"Must be Open or PendingOpen.",
		Meaning: "The primary account is neither Open nor PendingOpen.",
		Cure:    "Choose an account that is open or about to open.",
	},
	{Kind: PrimaryAccountType, Code: 150210, HTTP: 400,
		Message: "Primary AccountId {accountId} must be a Checking or Savings account.",
		Meaning: "The primary account is neither a Checking nor a Savings account.",
		Cure:    "Choose a checking or savings account.",
	},
	{Kind: AccountAccess, Code: 150211, HTTP: 400,
		Message: "Insufficient access type {accessType} for CustomerId {customerId} to Primary " +
			"AccountId {accountId} to add a card. FULL is required.",
		Meaning: "The customer has less than FULL access to the account that a card is to draw " +
			"on, or its own access type is none of FULL, ACCT and CARD and stands in the " +
			"message. /card/addAccount and /card/removeAccount also answer this code, for their " +
			"account.",
		Cure: "Choose an account to which the customer has FULL access, or ask the operator to " +
			"change the customer's access.",
	},
	{Kind: PrimaryAccountRequired, Code: 150212, HTTP: 400,
		Message: "A Primary Account must be specified.",
		Meaning: "primaryAccountId is missing.",
		Cure:    "Send the accountId of the account that the card draws on.",
	},
	{Kind: NamesRequired, Code: 150213, HTTP: 400,
		Message: "Both FirstName and LastName are required.",
		Meaning: "firstName or lastName is missing or blank.",
		Cure:    "Send both names.",
	},
	{Kind: NickNameTaken, Code: 150230, HTTP: 400,
		Message: "Another card for CustomerId {customerId} is using NickName of {nickName}. " +
			"NickName must be unique.",
		Meaning: "A card of the customer that is not Archived, Reissued or Denied has the same " +
			"nickName, in any letter case.",
		Cure: "Choose a nickName that is not in use.",
	},
	{Kind: PhoneRequired, Code: 150231, HTTP: 400,
		Message: "The primary customer {customerId} must have its Mobile or Home phone " +
			"specified prior to creating a card.",
		Meaning: "The customer who creates the card has neither a mobile nor a home phone on " +
			"file.",
		Cure: "Have a phone number put on file for the customer.",
	},
	{Kind: AddressRequired, Code: 150232, HTTP: 400,
		Message: "The primary customer {customerId} must have its Mailing or Residence address " +
			"specified prior to creating a card.",
		Meaning: "The customer who creates the card has neither a mailing nor a residence " +
			"address on file.",
		Cure: "Have an address put on file for the customer.",
	},
	{Kind: FirstNameCharacters, Code: 150240, HTTP: 400,
		Message: "FirstName ({firstName}) must contain only characters A-Z, hyphen, " +
			"apostrophe, period, comma, ampersand, or space.",
		Meaning: "firstName, in capitals, holds a character that is not on the list in the " +
			"message.",
		Cure: spellName,
	},
	{Kind: MiddleNameCharacters, Code: 150241, HTTP: 400,
		Message: "MiddleName ({middleName}) must contain only characters A-Z, hyphen, " +
			"apostrophe, period, comma, ampersand, or space.",
		Meaning: "middleName, in capitals, holds a character that is not on the list in the " +
			"message.",
		Cure: spellName,
	},
	{Kind: LastNameCharacters, Code: 150242, HTTP: 400,
		Message: "LastName ({lastName}) must contain only characters A-Z, hyphen, apostrophe, " +
			"period, comma, or ampersand.",
		Meaning: "lastName, in capitals, holds a character that is not on the list in the " +
			"message. Unlike the other names, a last name holds no space.",
		Cure: spellName,
	},
	{Kind: BinInvalid, Code: 150243, HTTP: 400,
		Message: "Card Bin {binId} is not valid.",
		Meaning: "binId names no active BIN of the vendor of the card in the program.",
		Cure: "Send the binId of an active bin of that vendor that /program/get shows, or " +
			"leave binId out.",
	},
}
