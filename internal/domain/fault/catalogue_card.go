package fault

// The interface gives each operation a separate code for a card that is not the customer's, mostly
// with the same message. Some operations hide an archived card in the same way.
const (
	cardNotAssociated = "Invalid CardId {cardId} or CustomerId {customerId} is not associated " +
		"with the card."

	notOfCustomer = "The card is unknown, or the customer is neither its creator nor its holder."

	notOfCustomerOrArchived = "The card is unknown or archived, or the customer is neither its " +
		"creator nor its holder."

	sendOwnCard = "Send a cardId with the customerId of its creator or holder."
)

// Faults of the remaining card operations: verification, PIN, reissue, archiving and reading
// (interface §8).
var cardEntries = []Entry{
	{Kind: VerifyCardInvalid, Code: 150301, HTTP: 400,
		Message: cardNotAssociated,
		Meaning: notOfCustomer,
		Cure:    sendOwnCard,
	},
	{Kind: VerifyStatus, Code: 150302, HTTP: 400,
		Message: "CardId {cardId} must be in a PendingVerification status to be verified. " +
			"Current status is {status}.",
		Meaning: "The status of the card is neither PendingVerification nor " +
			"ReissuePendingVerification.",
		Cure: "Verify a card once, after it was shipped and before it expires.",
	},
	{Kind: VerifyMismatch, Code: 150303, HTTP: 400,
		Message: "Provided values do not match those on file.",
		Meaning: "birthDate is not that of the customer who created the card, or the last four " +
			"digits are not those of the card. After five failures on a card in a day every " +
			"attempt has this answer.",
		Cure: "Ask for the values again; after five failures wait for the next day.",
	},
	{Kind: PinRequired, Code: 150901, HTTP: 400,
		Message: "New PIN must be an integer value between 1 and 9999.",
		Meaning: "newPin is missing, or cannot be decrypted by the key and the algorithms of " +
			"the program.",
		Cure: "Encrypt the PIN with the public key of the service and an algorithm of " +
			"publicKeyAlgorithms, then encode it in base64.",
	},
	{Kind: PinOutOfRange, Code: 150903, HTTP: 400,
		Message: "New PIN must be an integer value between 1 and 9999.",
		Meaning: "newPin decrypts to a text that is not four digits from 0001 to 9999.",
		Cure:    "Encrypt exactly four digits, not all of them 0.",
	},
	{Kind: ReissueReason, Code: 153001, HTTP: 400,
		Message: "Invalid Reissue Reason Type {reissueReasonTypeCode}. " +
			"Must be LST, STL, FRD, or DMG.",
		Meaning: "reissueReasonTypeCode is missing, or is none of LST, STL, FRD and DMG.",
		Cure:    "Send LST, STL or FRD for a card with a new number, or DMG to keep the number.",
	},
	{Kind: ReissueCardInvalid, Code: 153002, HTTP: 400,
		Message: "CardId {cardId} is not associated with CustomerId {customerId}.",
		Meaning: "The card is unknown, or the customer is not its creator. A key that is " +
			"compatible with earlier clients may also name the holder.",
		Cure: "Send a cardId with the customerId of its creator.",
	},
	{Kind: ReissueStatus, Code: 153003, HTTP: 400,
		Message: "CardId {cardId} status is {status}. " +
			"Must be Verified, Expired, or PendingVerification.",
		Meaning: "The status of the card is none of Verified, Expired and PendingVerification. " +
			"The sandbox also takes ReissuePendingVerification.",
		Cure: "Wait until an Initiated card has been shipped; ask the operator to reissue one in " +
			"ReissuePendingVerification; for another one use its replacement, or create a new card.",
	},
	{Kind: ArchiveCardInvalid, Code: 153101, HTTP: 400,
		Message: cardNotAssociated,
		Meaning: notOfCustomer,
		Cure:    sendOwnCard,
	},
	{Kind: ArchiveStatus, Code: 153102, HTTP: 400,
		Message: "CardId {cardId} is in a status of {status} and cannot be archived.",
		Meaning: "The card is Initiated, or Archived already.",
		Cure: "Wait until the processor has taken or refused the card; " +
			"an archived card needs nothing more.",
	},
	{Kind: TagUnknown, Code: 154002, HTTP: 400,
		Message: "No card exists with Tag={tag}.",
		Meaning: "No card has the tag, or the card is not one of the customer's.",
		Cure: "Send the tag as it was given at creation, in the same letter case, with the " +
			"customerId of the creator or holder.",
	},
	{Kind: GetCardInvalid, Code: 154101, HTTP: 400,
		Message: cardNotAssociated,
		Meaning: "The card is unknown, the customer is neither its creator nor its holder, or " +
			"the cardId in the path is missing or not a positive 32-bit integer.",
		Cure: sendOwnCard,
	},
}
