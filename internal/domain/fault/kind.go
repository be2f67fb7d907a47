package fault

// The kinds, in the order of their codes.
const (
	// Common faults of any request (interface §7.2).
	Unauthorized Kind = iota
	AddressNotTrusted
	RouteUnknown
	MethodNotAllowed
	RateExceeded
	InternalError
	NotImplemented
	BadGateway
	Unavailable
	GatewayTimeout
	HTTPVersion
	Incident
	QualificationService

	// Faults of a program's configuration (interface §10.2).
	BinMissing
	PciKeyMissing
	VerificationFundsAccountMissing
	RetailClearingAccountMissing
	ProgramExternalAccountMissing
	BankIncomeAccountMissing
	RegDFeeMissing
	RegDCountMissing
	InternalTransferDisabled
	AccountTypeMisconfigured
	RecurringContributionsDisabled
	ExternalVerificationNotRequired
	ExternalVerificationRequired
	ProgramReportMissing
	ProgramClearingAccountMissing
	MiscellaneousAccountMissing
	GeneralJournalAccountMissing
	CashAccountMissing
	RetailExternalAccountMissing
	EcodePercentToClientMissing
	EcodePercentToServiceMissing
	AccountTypeDisabled
	ClearingAccountNotLinked
	NumbersUsedUp

	// Faults of a request body (interface §2.7).
	BodyIntegerText
	BodyNameCharacter
	BodyColonExpected
	BodyEqualsSign
	BodyArrayUnexpected
	BodyNaN
	BodySemicolon
	BodySyntax
	BodyUnexpectedEnd
	BodyScalar
	BodyDateTime
	BodyBoolean
	BodyAmount
	BodyRate
	ValueNotAcceptable
	BodyNotClosed
	BodyNotOpened
	BodyUnreadable

	// Faults of the customer in a request (interface §7.3).
	CustomerInvalid
	CustomerInactive
	CustomerNotVerified
	CustomerLocked
	CustomerDeceased

	// Faults of /bankdocument/download (interface §8.19).
	DownloadPartMissing
	DocumentInvalid
	DocumentMisconfigured
	DocumentUnknown

	// Faults of the card operations (interface §8).
	TypeCodeInvalid
	VendorTypeCodeInvalid
	NameOnCardRequired
	TagTaken
	HolderInvalid
	HolderStatus
	HolderAccessType
	PrimaryAccountInvalid
	PrimaryAccountStatus
	PrimaryAccountType
	AccountAccess
	PrimaryAccountRequired
	NamesRequired
	NickNameTaken
	PhoneRequired
	AddressRequired
	FirstNameCharacters
	MiddleNameCharacters
	LastNameCharacters
	BinInvalid
	VerifyCardInvalid
	VerifyStatus
	VerifyMismatch
	LockReasonInvalid
	LockedBySystem
	CardAccess
	UseHotlist
	LockReasonRequired
	UnlockCardInvalid
	UnlockSystem
	UnlockPermanent
	AddAccountCardInvalid
	AddAccountLocked
	AddAccountType
	AddAccountFull
	AddAccountStatus
	AddAccountTied
	AddAccountPriority
	RemoveAccountCardInvalid
	RemoveAccountPrimary
	HotlistReason
	ReprioritizeCardInvalid
	ReprioritizePriority
	PinRequired
	PinOutOfRange
	ReissueReason
	ReissueCardInvalid
	ReissueStatus
	ArchiveCardInvalid
	ArchiveStatus
	TagUnknown
	GetCardInvalid

	numKinds
)
