package fault

// askForUnlock is the cure for a lock that customers cannot change.
const askForUnlock = "Ask the operator to clear the lock."

// Faults of /card/lock, /card/hotlist and /card/unlock (interface §8.7, §8.8 and §8.10). 150801 is
// also a code of /card/reprioritizeAccount; its row for that is among the faults of a card's
// accounts.
var lockEntries = []Entry{
	{Kind: LockReasonInvalid, Code: 150401, HTTP: 400,
		Message: "Invalid Card Lock Reason Type Code {lockReasonTypeCode}.",
		Meaning: "lockReasonTypeCode is none of the codes UNK, FRD, DMG, ADM, TMP, LST, STL " +
			"and PIN.",
		Cure: "Send a reason that the operation takes.",
	},
	{Kind: LockedBySystem, Code: 150402, HTTP: 400,
		Message: "CardId {cardId} has been locked by the System and cannot be unlocked by a " +
			"customer.",
		Meaning: "The card has a lock of the system (SYS), which a customer can neither change " +
			"nor avoid by a reissue.",
		Cure: askForUnlock,
	},
	{Kind: CardAccess, Code: 150403, HTTP: 400,
		Message: "CustomerId {customerId} does not have access to CardId {cardId}.",
		Meaning: "The card is unknown or archived, or the customer is neither its creator nor " +
			"its holder, or the access type of the customer is none of FULL, ACCT and CARD. " +
			"The operations on the accounts of a card answer it where the access type of the " +
			"customer is neither FULL nor ACCT, and /card/resetpin where the card is Denied or " +
			"Reissued.",
		Cure: "Send a cardId with the customerId of its creator or holder, whose access " +
			"type permits the act. For a Reissued card use its replacement, for a Denied one " +
			"order a new card.",
	},
	{Kind: UseHotlist, Code: 150404, HTTP: 400,
		Message: "Use the /card/hotlist route to report a lost, stolen, or suspected fraud card.",
		Meaning: "The reason sent to /card/lock is LST or STL, which only a permanent lock can " +
			"have.",
		Cure: "Call /card/hotlist.",
	},
	{Kind: LockReasonRequired, Code: 150405, HTTP: 400,
		Message: "Must specify a valid lockReasonTypeCode. " +
			"Values include UNK, FRD, DMG, ADM, TMP.",
		Meaning: "lockReasonTypeCode is missing, or is PIN, which only the system sets.",
		Cure:    "Send UNK, FRD, DMG, ADM or TMP.",
	},
	{Kind: UnlockCardInvalid, Code: 150501, HTTP: 400,
		Message: "Invalid CardId {cardId} or CustomerId {customerId}.",
		Meaning: notOfCustomerOrArchived,
		Cure:    sendOwnCard,
	},
	{Kind: UnlockSystem, Code: 150502, HTTP: 400,
		Message: "CardId {cardId} has been locked by an Administrator or an automated process.",
		Meaning: "The card has a lock of the system (SYS) that is not permanent.",
		Cure:    askForUnlock,
	},
	{Kind: UnlockPermanent, Code: 150503, HTTP: 400,
		Message: "CardId {cardId} has been marked as lost, stolen, suspected fraudulent. " +
			"Cannot unlock.",
		Meaning: "The reason of the lock is LST, STL or FRD: it is permanent, also when the " +
			"system set it.",
		Cure: "Replace the card through /card/reissue; " +
			"where the system set the lock, ask the operator first.",
	},
	{Kind: HotlistReason, Code: 150801, HTTP: 400,
		Message: "Must specify a lockReasonTypeCode of FRD, STL, or LST when hotlisting a card.",
		Meaning: "/card/hotlist or /card/lostOrStolen was called without lockReasonTypeCode, " +
			"or with UNK, DMG, ADM, TMP or PIN.",
		Cure: "Send FRD, LST or STL, or call /card/lock for a lock that can be lifted.",
	},
}
