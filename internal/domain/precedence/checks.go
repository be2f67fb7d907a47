package precedence

import (
	"slices"

	"mintmark/internal/domain/fault"
)

// Check is a reason to reject a request: the fault, and the condition for it.
type Check struct {
	Kind fault.Kind
	When string
}

// Stage holds the checks of one step. All of them are made, and all faults are reported in this
// order. A stage with a fault ends the request.
type Stage []Check

// alone returns a stage of one check.
func alone(kind fault.Kind, when string) Stage { return Stage{{kind, when}} }

// Request lists the checks of every request, before the operation starts.
var Request = []Stage{
	alone(fault.BodyUnreadable, "the request is not HTTP, or breaks its rules"),
	alone(fault.HTTPVersion, "the HTTP version is not 1.1"),
	alone(fault.AddressNotTrusted, "no API key allows the address"),
	alone(fault.Unauthorized, "the credentials are absent, malformed, unknown, wrong or expired"),
	alone(fault.AddressNotTrusted, "the key does not allow the address"),
	alone(fault.RateExceeded, "the key has used up its rate"),
	alone(fault.NotImplemented, "HTTP defines no such method"),
	alone(fault.RouteUnknown, "the version of the key has no such path"),
	alone(fault.MethodNotAllowed, "the path takes another method"),
}

// Customer lists the checks of the customer of the request.
var Customer = []Stage{
	alone(fault.CustomerInvalid, "customerId names no customer of the program"),
	alone(fault.CustomerInactive, "the customer is inactive or archived"),
	alone(fault.CustomerDeceased, "the customer is deceased"),
	alone(fault.CustomerLocked, "the customer is locked"),
	alone(fault.CustomerNotVerified, "the customer is not Verified"),
}

// theCustomer, a stage without checks, marks the place of Customer between the stages of an
// operation.
var theCustomer = Stage{}

// Texts that several operations share.
const (
	notOwn        = "the card is unknown, or the customer neither created nor holds it"
	notOwnOrGone  = "the card is unknown or archived, or the customer neither created nor holds it"
	bySystem      = "the card is locked by the system (SYS)"
	noKey         = "the bank of the program has no usable encryption key"
	noBin         = "the program has no active BIN of the card's vendor"
	usedUp        = "the BIN has no card number left"
	tooManyPins   = "five PINs were taken for the card within the last hour"
	pinUnreadable = "newPin is given and decrypts to anything but four digits from 0001 to 9999"
	qualifierLong = "qualifierCode is not at most 3 letters and digits"
	noCards       = "the access type of the customer is none of FULL, ACCT and CARD"
	accessType    = "the access type of the customer is neither FULL nor ACCT"
	notOnCard     = "the account is not on the card"
	noFullAccess  = "the customer lacks FULL access to the account"
	reasonUnknown = "lockReasonTypeCode is none of the eight reasons"
)

// Operations lists the checks of each operation, by its path. Tests in package issuing verify the
// order. A stage without checks stands for those of Customer.
var Operations = map[string][]Stage{
	"/program/get": nil,
	"/card/get/{customerId}/{cardId}": {
		theCustomer,
		alone(fault.GetCardInvalid, notOwn),
	},
	"/card/getbytag/{customerId}/{tag}": {
		theCustomer,
		alone(fault.TagUnknown, "no card of the customer carries the tag"),
	},
	"/card/list/{customerId}": {
		theCustomer,
		alone(fault.ValueNotAcceptable, "status names no status or group, or is given twice"),
	},
	"/bankdocument/list/{culture}/{documentType}": nil,
	"/bankdocument/download/{culture}/{documentId}": {
		alone(fault.DownloadPartMissing, "the path lacks the culture or the documentId"),
		alone(fault.DocumentInvalid, "documentId is not a positive 32-bit integer"),
		alone(fault.DocumentUnknown,
			"the document is unknown, of another culture, or not in force yet"),
		alone(fault.DocumentMisconfigured, "the document has no PDF form"),
	},

	"/card/initiate": slices.Concat(applicationStages, []Stage{
		alone(fault.ValueNotAcceptable, pinUnreadable),
	}, uniqueStages),
	"/card/createdigital": slices.Concat(applicationStages, uniqueStages),
	"/card/verify": {
		{
			{fault.ValueNotAcceptable, "birthDate is not given"},
			{fault.ValueNotAcceptable, "cardNumberMasked is not given"},
		},
		theCustomer,
		alone(fault.CardAccess, noCards),
		alone(fault.VerifyCardInvalid, notOwn),
		alone(fault.VerifyStatus,
			"the status is neither PendingVerification nor ReissuePendingVerification"),
		alone(fault.VerifyMismatch,
			"birth date or digits are wrong, or were wrong five times within a day"),
	},
	"/card/lock": {
		{
			{fault.UseHotlist, "lockReasonTypeCode is LST or STL"},
			{fault.LockReasonInvalid, reasonUnknown},
			{fault.LockReasonRequired, "lockReasonTypeCode is not given, or PIN"},
		},
		theCustomer,
		alone(fault.CardAccess, noCards),
		alone(fault.CardAccess, notOwnOrGone),
		alone(fault.LockedBySystem, bySystem),
	},
	"/card/hotlist":      hotlistStages,
	"/card/lostOrStolen": hotlistStages,
	"/card/unlock": {
		theCustomer,
		alone(fault.CardAccess, noCards),
		alone(fault.UnlockCardInvalid, notOwnOrGone),
		alone(fault.UnlockPermanent, "the reason of the lock is LST, STL or FRD"),
		alone(fault.UnlockSystem, bySystem),
	},
	"/card/archive": {
		theCustomer,
		alone(fault.CardAccess, noCards),
		alone(fault.ArchiveCardInvalid, notOwn),
		alone(fault.ArchiveStatus, "the card is Initiated or Archived"),
	},
	"/card/reissue": {
		{
			{fault.ReissueReason, "reissueReasonTypeCode is not LST, STL, FRD or DMG"},
			{fault.ValueNotAcceptable, qualifierLong},
		},
		theCustomer,
		alone(fault.CardAccess, noCards),
		alone(fault.ReissueCardInvalid, "the card is unknown, or the customer did not create it "+
			"(with earlier-clients: neither created nor holds it)"),
		alone(fault.ReissueStatus,
			"the status is not Verified, Expired or PendingVerification (in the sandbox "+
				"ReissuePendingVerification passes, too)"),
		alone(fault.LockedBySystem, bySystem),
		alone(fault.BinMissing, noBin),
		alone(fault.PciKeyMissing, noKey),
		alone(fault.RateExceeded, "newPin is given, and "+tooManyPins),
		alone(fault.ValueNotAcceptable, pinUnreadable),
		alone(fault.NumbersUsedUp, "the card is replaced, and "+usedUp),
	},
	"/card/addAccount": {
		theCustomer,
		alone(fault.AddAccountCardInvalid, notOwnOrGone),
		alone(fault.CardAccess, accessType),
		alone(fault.AddAccountLocked, "the card is locked"),
		alone(fault.ValueNotAcceptable,
			"accountId names no account, or one to which the customer has no access"),
		alone(fault.AccountAccess, noFullAccess),
		alone(fault.AddAccountType, "the account is neither Checking nor Savings"),
		alone(fault.AddAccountStatus, "the account is not Open"),
		alone(fault.AddAccountTied, "the account is on the card already"),
		alone(fault.AddAccountFull, "the card has four accounts of this type"),
		alone(fault.AddAccountPriority,
			"cardPriority is not between 1 and the number of accounts of this type plus 1"),
	},
	"/card/removeAccount": {
		theCustomer,
		alone(fault.RemoveAccountCardInvalid, notOwnOrGone),
		alone(fault.CardAccess, accessType),
		alone(fault.ValueNotAcceptable, notOnCard),
		alone(fault.AccountAccess, noFullAccess),
		alone(fault.RemoveAccountPrimary, "the account is the primary one"),
	},
	"/card/reprioritizeAccount": {
		theCustomer,
		alone(fault.ReprioritizeCardInvalid, notOwnOrGone),
		alone(fault.CardAccess, accessType),
		alone(fault.ValueNotAcceptable, notOnCard),
		alone(fault.ReprioritizePriority,
			"cardPriority is not between 1 and the number of accounts of this type"),
	},
	"/card/resetpin": {
		alone(fault.PinRequired, "newPin is not given"),
		theCustomer,
		alone(fault.CardAccess, noCards),
		alone(fault.CardAccess, notOwn+", or it is Archived, Denied or Reissued"),
		alone(fault.PciKeyMissing, noKey),
		alone(fault.RateExceeded, tooManyPins),
		{
			{fault.PinRequired, "newPin cannot be decrypted"},
			{fault.PinOutOfRange, "newPin decrypts to anything but four digits from 0001 to 9999"},
		},
	},
}

// applicationStages lists the checks of a new card before those of its PIN.
var applicationStages = []Stage{
	{
		{fault.NamesRequired, "firstName or lastName is not given"},
		{fault.FirstNameCharacters, "firstName has a character that cannot be printed"},
		{fault.MiddleNameCharacters, "middleName has a character that cannot be printed"},
		{fault.LastNameCharacters, "lastName has a character that cannot be printed"},
		{fault.NameOnCardRequired, "the name to print has no letter from A to Z"},
		{fault.VendorTypeCodeInvalid, "vendorTypeCode is not VS or MC"},
		{fault.TypeCodeInvalid, "typeCode is given and not DBT or CDT"},
		{fault.ValueNotAcceptable, "nickName is not given"},
		{fault.ValueNotAcceptable, "a name, nickName or tag is too long"},
		{fault.ValueNotAcceptable, qualifierLong},
	},
	theCustomer,
	alone(fault.AccountAccess, noCards),
	alone(fault.HolderInvalid, "cardHolderCustomerId is not given or names no customer"),
	alone(fault.HolderStatus,
		"the holder is not Initiated, Manual Review or Verified, or is inactive, deceased or "+
			"locked"),
	alone(fault.HolderAccessType, "the access type of the holder is not FULL, ACCT or CARD"),
	alone(fault.PhoneRequired, "the creator has neither a mobile nor a home phone"),
	alone(fault.AddressRequired, "the creator has neither a mailing nor a residence address"),
	alone(fault.PrimaryAccountRequired, "primaryAccountId is not given"),
	alone(fault.PrimaryAccountInvalid, "primaryAccountId names no account of the program"),
	alone(fault.AccountAccess, "the creator lacks FULL access to the account"),
	alone(fault.PrimaryAccountType, "the account is neither Checking nor Savings"),
	alone(fault.PrimaryAccountStatus, "the account is neither Open nor PendingOpen"),
	alone(fault.BinMissing, noBin),
	alone(fault.BinInvalid, "binId is given and names no such BIN"),
	alone(fault.PciKeyMissing, noKey),
}

// uniqueStages lists the checks of a new card after those of its PIN.
var uniqueStages = []Stage{
	{
		{fault.TagTaken, "another card carries the tag, or carried it"},
		{fault.NickNameTaken, "another card of the creator that is in use has the nickName"},
	},
	alone(fault.NumbersUsedUp, usedUp),
}

// hotlistStages lists the checks of /card/hotlist and of the route that it replaces.
var hotlistStages = []Stage{
	{
		{fault.LockReasonInvalid, reasonUnknown},
		{fault.HotlistReason, "lockReasonTypeCode is not given, or not FRD, LST or STL"},
	},
	theCustomer,
	alone(fault.CardAccess, noCards),
	alone(fault.CardAccess, notOwnOrGone),
	alone(fault.LockedBySystem, bySystem),
}
