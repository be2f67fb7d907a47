package ledger

import (
	"strings"

	"mintmark/internal/domain/fault"
)

const initiate = "/card/initiate"

// Parts of messages that many cases share.
const (
	firstNameSet = "must contain only characters A-Z, hyphen, apostrophe, period, comma, " +
		"ampersand, or space."
	notAcceptable = "Value for property '"
	pinText       = notAcceptable + "newPin' is not acceptable. Specifics: A 4-digit PIN, " +
		"encrypted and base64 encoded, is required."
	qualifierText = notAcceptable + "qualifierCode' is not acceptable. Specifics: At most 3 " +
		"alphanumeric characters are allowed."
)

var createCases = []Case{
	{Kind: fault.NamesRequired, Name: "order a card without a first name",
		Path: initiate, Body: NewCard(`"firstName":" "`),
		Want: "Both FirstName and LastName are required."},
	{Kind: fault.NamesRequired, Name: "create a digital card without a last name",
		Path: "/card/createdigital", Body: NewCard(`"lastName":null`),
		Want: "Both FirstName and LastName are required."},
	{Kind: fault.FirstNameCharacters, Name: "order a card with a digit in the first name",
		Path: initiate, Body: NewCard(`"firstName":"R2d2"`),
		Want: "FirstName (R2d2) " + firstNameSet},
	{Kind: fault.MiddleNameCharacters, Name: "order a card with a slash in the middle name",
		Path: initiate, Body: NewCard(`"middleName":"a/b"`),
		Want: "MiddleName (a/b) " + firstNameSet},
	{Kind: fault.LastNameCharacters, Name: "order a card with a space in the last name",
		Path: initiate, Body: NewCard(`"lastName":"van Dam"`),
		Want: "LastName (van Dam) must contain only characters A-Z, hyphen, apostrophe, " +
			"period, comma, or ampersand."},
	{Kind: fault.NameOnCardRequired, Name: "order a card with nothing to print on it",
		Path: initiate, Body: NewCard(`"firstName":"-","lastName":"'"`),
		Want: "NameOnCard is a required field."},
	{Kind: fault.VendorTypeCodeInvalid, Name: "order a card of an unknown vendor",
		Path: initiate, Body: NewCard(`"vendorTypeCode":"AX"`),
		Want: "VendorTypeCode AX is not valid. Must be VS or MC."},
	{Kind: fault.VendorTypeCodeInvalid, Name: "order a card without a vendor",
		Path: initiate, Body: NewCard(`"vendorTypeCode":null`),
		Want: "VendorTypeCode  is not valid. Must be VS or MC."},
	{Kind: fault.TypeCodeInvalid, Name: "order a card of an unknown type",
		Path: initiate, Body: NewCard(`"typeCode":"PRE"`),
		Want: "TypeCode PRE is not valid. Must be DBT or CDT."},
	{Kind: fault.ValueNotAcceptable, Name: "order a card without a nickname",
		Path: initiate, Body: NewCard(`"nickName":""`),
		Want: notAcceptable + "nickName' is not acceptable. Specifics: A value is required."},
	{Kind: fault.ValueNotAcceptable, Name: "order a card with a tag that is too long",
		Path: initiate, Body: NewCard(`"tag":"` + strings.Repeat("é", 51) + `"`),
		Want: notAcceptable + "tag' is not acceptable. Specifics: At most 50 characters are " +
			"allowed."},
	{Kind: fault.ValueNotAcceptable, Name: "order a card with a qualifier that is too long",
		Path: initiate, Body: NewCard(`"qualifierCode":"A1B2"`), Want: qualifierText},
	{Kind: fault.HolderInvalid, Name: "order a card without a holder",
		Path: initiate, Body: NewCard(`"cardHolderCustomerId":null`),
		Want: "Invalid Card Holder CustomerId 0."},
	{Kind: fault.HolderInvalid, Name: "order a card for a holder of another program",
		Path: initiate, Body: NewCard(`"cardHolderCustomerId":9001`),
		Want: "Invalid Card Holder CustomerId 9001."},
	{Kind: fault.HolderStatus, Name: "order a card for a denied holder",
		Path: initiate, Body: NewCard(`"cardHolderCustomerId":1011`),
		Want: "Assigned Customer 1011 status is Denied. Must be Initiated, Manual Review, or " +
			"Verified."},
	{Kind: fault.HolderStatus, Name: "order a card for an inactive holder",
		Path: initiate, Body: NewCard(`"cardHolderCustomerId":1005`),
		Want: "Assigned Customer 1005 status is Inactive. Must be Initiated, Manual Review, or " +
			"Verified."},
	{Kind: fault.HolderStatus, Name: "order a card for a locked holder",
		Path: initiate, Body: NewCard(`"cardHolderCustomerId":1006`),
		Want: "Assigned Customer 1006 status is Locked. Must be Initiated, Manual Review, or " +
			"Verified."},
	{Kind: fault.HolderStatus, Name: "order a card for a deceased holder",
		Path: "/card/createdigital", Body: NewCard(`"cardHolderCustomerId":1007`),
		Want: "Assigned Customer 1007 status is Deceased. Must be Initiated, Manual Review, or " +
			"Verified."},
	{Kind: fault.HolderAccessType, Name: "order a card for a holder without access",
		Path: initiate, Body: NewCard(`"cardHolderCustomerId":1012`),
		Want: "Assigned Customer 1012 access type is NONE. Must be FULL, ACCT, or CARD."},
	{Kind: fault.PhoneRequired, Name: "order a card for a creator without a phone",
		Path: initiate, Body: NewCard(`"customerId":1008,"primaryAccountId":2108`),
		Want: "The primary customer 1008 must have its Mobile or Home phone specified prior to " +
			"creating a card."},
	{Kind: fault.AddressRequired, Name: "order a card for a creator without an address",
		Path: initiate, Body: NewCard(`"customerId":1009,"primaryAccountId":2109`),
		Want: "The primary customer 1009 must have its Mailing or Residence address specified " +
			"prior to creating a card."},
	{Kind: fault.PrimaryAccountRequired, Name: "order a card without an account",
		Path: initiate, Body: NewCard(`"primaryAccountId":null`),
		Want: "A Primary Account must be specified."},
	{Kind: fault.PrimaryAccountInvalid, Name: "order a card on an unknown account",
		Path: initiate, Body: NewCard(`"primaryAccountId":4711`),
		Want: "Invalid Primary AccountId 4711."},
	{Kind: fault.AccountAccess, Name: "order a card on an account that may only be read",
		Path: initiate, Body: NewCard(`"primaryAccountId":2014`),
		Want: "Insufficient access type RDONLY for CustomerId 1001 to Primary AccountId 2014 to " +
			"add a card. FULL is required."},
	{Kind: fault.AccountAccess, Name: "order a card on the account of another customer",
		Path: initiate, Body: NewCard(`"primaryAccountId":2110`),
		Want: "Insufficient access type NONE for CustomerId 1001 to Primary AccountId 2110 to " +
			"add a card. FULL is required."},
	{Kind: fault.AccountAccess, Name: "order a card as a customer without access",
		Path: initiate, Body: NewCard(`"customerId":1012,"primaryAccountId":null`),
		Want: "Insufficient access type NONE for CustomerId 1012 to Primary AccountId 0 to " +
			"add a card. FULL is required."},
	{Kind: fault.PrimaryAccountType, Name: "order a card on a ForBenefitOf account",
		Path: initiate, Body: NewCard(`"primaryAccountId":2013`),
		Want: "Primary AccountId 2013 must be a Checking or Savings account."},
	{Kind: fault.PrimaryAccountStatus, Name: "order a card on a closed account",
		Path: initiate, Body: NewCard(`"primaryAccountId":2012`),
		Want: "Primary AccountId 2012 is in invalid status of Closed. Must be Open or " +
			"PendingOpen."},
	{Kind: fault.TagTaken, Name: "order a card with the tag of another",
		Path: initiate, Body: NewCard(`"tag":"demo-5001"`),
		Want: "Tag demo-5001 is already associated with another card."},
	{Kind: fault.NickNameTaken, Name: "order a card with the nickname of another",
		Path: initiate, Body: NewCard(`"nickName":"DEMO 5001"`),
		Want: "Another card for CustomerId 1001 is using NickName of DEMO 5001. NickName must " +
			"be unique."},
	{Kind: fault.ValueNotAcceptable, Name: "order a card with a PIN that cannot be decrypted",
		Path: initiate, Body: NewCard(`"newPin":"AAAA"`), Want: pinText},
}

var programCases = []Case{
	{Kind: fault.BinInvalid, Name: "order a card under an unknown BIN",
		Path: initiate, Body: NewCard(`"binId":21`), Want: "Card Bin 21 is not valid."},
	{Kind: fault.BinInvalid, Name: "order a card under an inactive BIN",
		Path: initiate, Body: NewCard(`"binId":3`), Want: "Card Bin 3 is not valid."},
	{Kind: fault.BinInvalid, Name: "order a card under the BIN of another vendor",
		Path: initiate, Body: NewCard(`"binId":2`), Want: "Card Bin 2 is not valid."},
	{Kind: fault.BinMissing, Name: "order a card in a program without BINs", Key: "nobins",
		Path: initiate, Body: NewCard(`"customerId":8001,"cardHolderCustomerId":8001,` +
			`"primaryAccountId":8101`),
		Want: "ProgramId 3 does not have a BIN mapped to it."},
	{Kind: fault.PciKeyMissing, Name: "order a card at a bank without keys", Key: "nokeys",
		Path: initiate, Body: NewCard(`"customerId":7001,"cardHolderCustomerId":7001,` +
			`"primaryAccountId":7101`),
		Want: "Could not find PciKeyId for BankId 4, ProgramId 4 in a status of 1 (Encrypt and " +
			"Decrypt allowed)."},
	{Kind: fault.NumbersUsedUp, Name: "order a card under a BIN that is used up",
		Path: initiate, Body: NewCard(`"binId":4`),
		Want: "All card numbers are already allocated for Program 1."},
}
