package openapi

// sharedWords has the descriptions of members. A key that is a member's name applies to all types.
// A key of type and member, joined with a dot, is for a type that several resources share or that
// is on no page.
var sharedWords = map[string]string{
	"revision": "Version of the resource, which the ETag repeats. A part of a program has that of " +
		"the program.",
	"reason":     "Why, for the audit. The header Mintmark-Reason says the same.",
	"programId":  "Number of the program.",
	"bankId":     "Number of the bank.",
	"customerId": "Number of the customer.",
	"accountId":  "Number of the account.",
	"cardId":     "Number of the card.",
	"webhookId":  "Number of the webhook.",
	"requestId":  "Identifier of the request.",
	"source":     "Name of the system that the rows are from.",
	"sha256":     "SHA-256 of the rows.",
	"items":      "One page of the list.",
	"next":       "The `cursor` of the next page; left out on the last one.",
	"total":      "Where count asks for it; 10,000 are counted at most.",
	"changes":    "Changes that the request would make.",

	"Original.amount":   "Amount that the card holder saw.",
	"Original.currency": "Its currency.",
	"Merchant.id":       "The processor's identifier of the merchant.",
	"Merchant.name":     "Name of the merchant.",
	"Merchant.city":     "City of the merchant.",
	"Merchant.country":  "Country, in two or three capital letters.",
	"Merchant.mcc":      "Merchant category code, four digits.",

	"Obstacle.cardStatus": "Status of the card, where it was not Verified.",
	"Obstacle.lastMonth":  "Last month of an expired card, such as 2026-06.",
	"Obstacle.customerId": "Creator or holder who could not pay.",
	"Obstacle.customer":   "Why, such as locked.",
	"Obstacle.currency":   "Currency of the program.",

	"ExceededLimit.name": "Member of the program, such as perUserDailyWithdrawLimit.",
	"ExceededLimit.sum":  "Sum that was compared with it, the amount included.",

	"Change.pointer": "Where the member is (RFC 6901).",
	"Change.from":    "The value before; left out where there was none.",
	"Change.to":      "The value after; left out where there is none.",

	"Event.sequence":  "Number of the event among events: 1, 2, 3 without gaps.",
	"Event.entry":     "Sequence of its entry in the audit.",
	"Event.actor":     "The actor that performed the act.",
	"EventList.after": "The `after` to go on with, where events are followed.",

	"Actor.kind":      "key, operator, token, processor, job or load.",
	"Actor.id":        "Number of the operator or the token.",
	"Actor.name":      "Name of the actor.",
	"Actor.keyName":   "What operators call a key whose name is its user name.",
	"EventActor.kind": "Kind of the actor.",
	"EventActor.name": "Name by which the audit knows the actor.",

	"Address.line1":      "Street and number.",
	"Address.line2":      "Second line.",
	"Address.city":       "City.",
	"Address.region":     "State or region.",
	"Address.postalCode": "Postal code.",
	"Address.country":    "Country, two letters.",

	"CardDetail.replaces":   "Card that this one was made for.",
	"CardDetail.replacedBy": "Card that was made for this one.",

	"CardAccount.primary": "Whether payments that name no account draw on it.",

	"Hold.id":              "Identifier of the hold.",
	"Hold.authorizationId": "Identifier of the authorization.",
	"Hold.kind":            "purchase, withdrawal or deposit.",
	"Hold.amount":          "Amount that is held.",
	"Hold.placed":          "When the hold was placed.",
	"Hold.ends":            "When the hold lapses.",

	"Lock.permanent": "Whether the lock can never be cleared.",
	"Lock.at":        "When the card was locked.",
	"Lock.by":        "The actor that locked the card.",
	"Lock.reason":    "Why the card was locked.",

	"CardAct.name":       "lock, unlock, reissue or archive.",
	"CardAct.possible":   "Whether the card allows the act now.",
	"CardAct.why":        "Why the act is not possible.",
	"CardAct.code":       "Code that a caller would be answered.",
	"CardAct.needsOther": "Whether another operator has to confirm.",

	"Attempt.at":           "When the delivery was sent.",
	"Attempt.status":       "HTTP status that the receiver answered.",
	"Attempt.milliseconds": "How long the attempt took.",
	"Attempt.error":        "Why no answer came.",
	"Attempt.answer":       "Beginning of the receiver's answer.",

	"OrderTry.at":      "When the try ended.",
	"OrderTry.node":    "Node that made it.",
	"OrderTry.outcome": "done, accepted, refused, unreached or failed.",
	"OrderTry.answer":  "Answer of the processor, or why none came.",

	"Replay.id": "Number of the replay.",

	"Progress.done":  "Pieces of work that are done.",
	"Progress.total": "Pieces of work in all.",

	"ActorCount.kind":    "Kind of these actors, as the audit has it.",
	"ActorCount.acts":    "Acts of these actors.",
	"ActorCount.refused": "Refused acts of these actors.",

	"ChartSeries.name":   "Name of the series.",
	"ChartSeries.total":  "Sum of the counts; of orders and orderAge the greatest.",
	"ChartSeries.counts": "Count of each hour, the running one last.",

	"Step.name":        "bank, encryptionKey, program, bin, key, processor or secondOperator.",
	"Step.done":        "Whether the step is done.",
	"Attention.kind":   "openLocks, processor, program, webhook, failedOrders, unreachedOrders, compromise, reconciliation, declines, job, approval or key.",
	"Attention.id":     "Number or name of the thing.",
	"Attention.name":   "Name of the thing; of an approval, that of the requester.",
	"Attention.since":  "Since when it needs attention.",
	"Attention.until":  "When the key ends, or the approval lapses.",
	"Attention.count":  "Number of orders, or of events or cards that wait.",
	"Attention.detail": "The last answer, the error or the act.",

	"Count.name":  "Counted status, state or hour.",
	"Count.count": "Number of them.",

	"DocumentPreview.html": "The content as a page may show it.",
	"DocumentPreview.less": "Whether scripts, styles or pictures were taken out.",

	"FeedTally.added":     "Rows that added something.",
	"FeedTally.changed":   "Rows that changed something.",
	"FeedTally.unchanged": "Rows that repeat what is kept.",
	"FeedTotals.differ":   "Whether one of the totals differs.",
	"FeedTotals.accounts": "Number of accounts that are not closed.",
	"FeedTotals.balance":  "Sum of the balances of these accounts.",
	"FeedAccounts.core":   "Accounts in the core banking system.",
	"FeedAccounts.here":   "Accounts in Mintmark.",
	"FeedBalance.core":    "Balances in the core banking system.",
	"FeedBalance.here":    "Balances in Mintmark.",

	"Reconciliation.sorts":           "Number of differences by their sort; a card may have several.",
	"Reconciliation.differences":     "At most 1000, by number; left out of lists.",
	"Reconciliation.moreDifferences": "How many differences are not listed.",
	"ReconciledSorts.missingHere":    "Cards or accounts that the list alone has.",
	"ReconciledSorts.missingThere":   "Cards or accounts that the list lacks.",
	"ReconciledSorts.state":          "Cards with another state.",
	"ReconciledSorts.lastFour":       "Cards with other last four digits.",
	"ReconciledSorts.expiry":         "Cards that expire at another time.",
	"ReconciledSorts.balance":        "Accounts with another balance.",
	"ReconciledDifference.sort":      "Differences, by the names of the member `sorts`.",
	"ReconciledDifference.here":      "Value in Mintmark.",
	"ReconciledDifference.there":     "Value in the list.",
	"ReconciledDifference.available": "Available balance in Mintmark.",
	"ReconciledDifference.holds":     "Sum of the holds that lower the available balance.",

	"OrderReport.from":             "Start of the span.",
	"OrderReport.to":               "End of the span, which does not include it.",
	"OrderReport.kinds":            "The orders of the span by their kind.",
	"OrderReport.oldestUnanswered": "When the oldest order was written that waits or is sent.",
	"OrderReport.unanswered": "Orders written more than an hour ago without an answer, the oldest " +
		"first, at most 100.",
	"OrderReport.moreUnanswered": "Whether there are more of them.",
	"OrderReport.failed":         "Orders of the span that were refused or given up, at most 100.",
	"OrderReport.moreFailed":     "Whether there are more failed orders.",
	"OrderTally.kind":            "Kind of the orders.",
	"OrderTally.written":         "Orders written in the span.",
	"OrderTally.waiting":         "Orders that wait to be sent.",
	"OrderTally.held":            "Orders that an operator holds back.",
	"OrderTally.sent":            "Orders accepted, or in a file to be fetched.",
	"OrderTally.done":            "Orders that the processor has carried out.",
	"OrderTally.acknowledged":    "Orders done, or sent and not in a file to be fetched.",
	"OrderTally.failed":          "Orders refused by the processor, or given up.",
	"OrderTally.dropped":         "Orders that an operator dropped.",

	"Order.number": "Number of the order.",

	"Proof.entry":      "The entry as it is in the log.",
	"Proof.index":      "Place of the entry in the log, from 0.",
	"Proof.size":       "Number of entries that the checkpoint covers.",
	"Proof.hashes":     "Hashes that lead from the entry to the root.",
	"Proof.checkpoint": "The checkpoint, a signed note.",
}
