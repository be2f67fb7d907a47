package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// word describes a property beyond its Go type.
type word struct {
	says       string
	length     int // maximum length, in characters
	from, to   int // range of a number
	pattern    string
	oneOf      []string
	deprecated bool
	example    any // for requests; valid for the sandbox's demo data
}

// optional lists the optional members of requests (interface §8).
var optional = append(attributeNames(),
	"typeCode", "middleName", "tag", "newPin", "binId", "priority")

func attributeNames() []string {
	var names []string
	for _, rule := range card.AttributeRules {
		names = append(names, rule.Name)
	}
	return names
}

// Patterns of strings. A card number is fully masked until the card is verified; the only exception
// is the response of /card/initiate in the sandbox (interface §5.2).
const (
	maskedPattern        = `^(\*{16}|\*{12}\d{4})$`
	orderedPattern       = `^(\*{16}|1111)$`
	maskedAccountPattern = `^\**[^*]{0,4}$`
)

// Patterns of strings whose characters a rule of the card limits.
var (
	firstNamePattern = namePattern(card.NameSigns)
	lastNamePattern  = namePattern(card.LastNameSigns)
)

func namePattern(signs string) string {
	return "^[A-Za-z" + strings.ReplaceAll(signs, "-", `\-`) + "]+$"
}

// words describes all properties. A property has one row for the whole document. A row with the
// prefix of a schema describes the difference in that schema, and one with the prefix request that
// in every request.
var words = allWords()

func allWords() map[string]word {
	all := maps.Clone(cardWords)
	maps.Copy(all, programWords)
	for _, rule := range card.AttributeRules {
		all[rule.Name] = attributeWord(rule)
	}
	return all
}

// attributeWord converts the description of an attribute in package card.
func attributeWord(rule card.AttributeRule) word {
	said := word{length: rule.Max, says: rule.Says}
	if rule.Example != "" {
		said.example = rule.Example
	}
	if rule.Alphanumeric {
		said.pattern = fmt.Sprintf(`^[A-Za-z0-9]{0,%d}$`, rule.Max)
	}
	return said
}

// cardWords describes the properties of cards, accounts and documents, and the members of requests.
// The examples form requests that succeed in a fresh sandbox, in the order of the route table.
var cardWords = map[string]word{
	"cardId":     {says: "Identifier of the card.", example: 5001},
	"customerId": {says: "The customer that created the card.", example: 1001},
	"request.customerId": {
		says: "The customer making the request: the card's creator or holder."},
	"cardHolderCustomerId": {says: "The customer that holds the card.", example: 1001},
	"request.cardHolderCustomerId": {says: "The customer that will hold the card. A key with " +
		"compatibility for earlier-clients may leave it out: the creator then holds the card."},
	"typeCode": {says: "Card type: debit or credit.", oneOf: card.Types},
	"request.typeCode": {
		says:    "Card type, " + card.Debit + " where it is left out. Letter case does not matter.",
		example: card.Debit},
	"vendorTypeCode": {says: "Card vendor.", oneOf: pan.Vendors},
	"request.vendorTypeCode": {
		says: "Card vendor. Letter case does not matter.", example: pan.Visa},
	"status": {says: "Status of the card.", oneOf: texts(card.Statuses)},
	"CardReissued.status": {
		says: "Status of the card. Keys with compatibility for earlier-clients are answered " +
			card.ReissuedSpelling + " where others are answered " +
			string(card.ReissuePendingVerification) + ".",
		oneOf: []string{string(card.PendingVerification), string(card.ReissuePendingVerification),
			card.ReissuedSpelling, string(card.Verified)}},
	"cardNumberMasked": {pattern: maskedPattern,
		says: "Masked card number: all asterisks until the card is verified."},
	"CardOrdered.cardNumberMasked": {pattern: orderedPattern,
		says: "Masked card number. The sandbox shows the last four digits."},
	"CardVerifyRequest.cardNumberMasked": {pattern: `\d{4}$`, example: "1111",
		says: "Last four digits printed on the card, or a masked number that ends in them."},
	"tag": {length: card.MaxTag, says: "Caller's own key of the card, unique in the program.",
		example: "mine"},
	"firstName": {length: card.MaxFirstName,
		says: "First name of the holder, as on the card."},
	"request.firstName":  {pattern: firstNamePattern, example: "Ada"},
	"middleName":         {length: card.MaxMiddleName, says: "Middle name, as on the card."},
	"request.middleName": {pattern: firstNamePattern, example: "B."},
	"lastName":           {length: card.MaxLastName, says: "Last name, as on the card."},
	"request.lastName":   {pattern: lastNamePattern, example: "Example"},
	"nameOnCard": {length: card.MaxNameOnCard, says: fmt.Sprintf(
		"Name printed on the card, cut to %d characters.", card.MaxNameOnCard)},
	"nickName": {length: card.MaxNickName, example: "Mine",
		says: "Name to show for the card, unique among the creator's cards in use."},
	"expireMonth": {from: 1, to: 12, says: "Month in which the card expires."},
	"expireYear":  {from: 1000, to: 9999, says: "Year in which the card expires, four digits."},
	"primaryAccountId": {says: "Account of payments that name none.",
		example: 2001},
	"lockTypeCode": {oneOf: texts(card.LockTypes),
		says: "UNL unlocked, CST locked by a customer, SYS locked by the system."},
	"lockReasonTypeCode": {oneOf: texts(card.Reasons), says: "UNK unknown, FRD suspected fraud, " +
		"DMG damaged, ADM administrative, TMP temporary, LST lost, STL stolen, PIN too many " +
		"wrong PINs. An unlocked card says UNK."},
	"CardLockRequest.lockReasonTypeCode": {oneOf: accepted(card.LockReason),
		says: "Why the card is locked. FRD cannot be undone.", example: "TMP"},
	"CardHotlistRequest.lockReasonTypeCode": {oneOf: accepted(card.HotlistReason), example: "LST",
		says: "Why the card can never be used again."},
	"CardLostOrStolenRequest.lockReasonTypeCode": {oneOf: accepted(card.HotlistReason),
		says: "Why the card can never be used again.", example: "LST"},

	"createdDate":      {says: "When the card was ordered."},
	"requestedDate":    {says: "When the order was sent to the card processor."},
	"verifiedDate":     {says: "When the card was verified."},
	"reissuedDate":     {says: "When the card was reissued."},
	"deniedDate":       {says: "When the card processor refused the order."},
	"expiredDate":      {says: "When the card expired unverified."},
	"archivedDate":     {says: "When the card was archived."},
	"lastModifiedDate": {says: "When the card was last changed, including locks and new PINs."},
	"accounts":         {says: "Accounts of the card: checking, then savings, by priority."},
	"binId":            {says: "BIN under which the card is issued."},
	"request.binId":    {says: "BIN; the first valid one where it is left out.", example: 1},
	"isDigitalOnly":    {says: "Whether the card was never printed."},
	"limits":           {says: "Always empty."},
	"newPin": {says: "A PIN of 4 digits, encrypted with RSA-OAEP for the public key of the " +
		"service, in base64. The sandbox also accepts plain digits in base64.",
		example: "MTIzNA=="},
	"reissueReasonTypeCode": {oneOf: texts(card.ReissueReasons), example: "DMG",
		says: "DMG reissues the same card; the others replace it by one with another number."},
	"birthDate": {example: "1985-03-14", pattern: `^\d{4}-\d{2}-\d{2}`,
		says: "Birth date of the creator, an ISO 8601 date or date-time; its date counts."},
	"cardPriority": {from: 1, to: card.MaxSlots, example: 2,
		says: "Priority of the account among those of its type on the card."},
	"priority": {from: 1, to: card.MaxSlots,
		says: "Priority of the account among those of its type on the card."},
	"request.priority": {deprecated: true, says: "Read where cardPriority is left out."},

	"CardCreateDigitalRequest.tag":      {example: "wallet"},
	"CardCreateDigitalRequest.nickName": {example: "Wallet"},
	"CardReissueRequest.customerId": {says: "The customer making the request: the card's creator. " +
		"A key with compatibility for earlier-clients may also name the holder."},
	"CardVerifyRequest.cardId":                    {example: 10001},
	"CardHotlistRequest.cardId":                   {example: 10001},
	"CardLostOrStolenRequest.cardId":              {example: 10001},
	"CardArchiveRequest.cardId":                   {example: 5004},
	"CardReprioritizeAccountRequest.accountId":    {example: 2001},
	"CardReprioritizeAccountRequest.cardPriority": {example: 1},

	"accountId": {says: "Identifier of the account.", example: 2002},
	"accountNumberMasked": {
		says: "Masked account number.", pattern: maskedAccountPattern},
	"accountBalance":       {says: "Balance."},
	"availableBalance":     {says: "Available balance."},
	"pendingBalance":       {says: "Balance after all pending transactions settle."},
	"Account.cardPriority": {from: 1, to: card.MaxSlots, says: alsoPriority("priority")},
	"AccountAdded.priority": {from: 1, to: card.MaxSlots,
		says: alsoPriority("cardPriority")},
	"Account.name":                  {says: "Name of the account."},
	"Account.status":                {says: "Status.", oneOf: texts(customer.AccountStatuses)},
	"Account.tag":                   {says: "Caller's own key of the account."},
	"Account.type":                  {says: "Type.", oneOf: texts(card.Categories)},
	"AccountAdded.name":             {says: "Name of the account."},
	"AccountAdded.status":           {says: "Status.", oneOf: texts(customer.AccountStatuses)},
	"AccountAdded.tag":              {says: "Caller's own key of the account."},
	"AccountAdded.type":             {says: "Type.", oneOf: texts(card.Categories)},
	"AccountAdded.customerId":       {says: "The customer that owns the account."},
	"balanceLastModifiedDate":       {says: "When a balance was last changed."},
	"AccountAdded.lastModifiedDate": {says: "When the account was last changed."},

	"bankId":       {says: "Identifier of the bank."},
	"culture":      {length: bankdoc.MaxCulture, says: "Language and region."},
	"documentId":   {says: "Identifier of the document."},
	"documentType": {says: "Kind of the document.", oneOf: texts(bankdoc.Types)},
	"downloadUrl": {length: bankdoc.MaxDownloadURL, pattern: `^https?://`,
		says: "Address of the PDF form; absent if there is none."},
	"effectiveDate": {says: "Since when it is in force."},
	"expireDate":    {says: "When the document expires; absent if it never does."},
	"html":          {says: fmt.Sprintf("Content in HTML, up to %d MB.", bankdoc.MaxHTMLMegabytes)},
	"title":         {length: bankdoc.MaxTitle, says: "Text for the link to downloadUrl."},
	"contentType":   {oneOf: []string{bankdoc.PDFType}, says: "Media type."},
	"contentLength": {says: "Length of the file in bytes."},
	"content":       {says: "The file in base64."},
}

// alsoPriority describes the other name of a priority.
func alsoPriority(first string) string {
	return "The same as " + first + ", for keys with compatibility for earlier-clients only."
}

// accepted returns the lock reasons that an act accepts.
func accepted(check func(text string) (card.Reason, error)) []string {
	var codes []string
	for _, reason := range card.Reasons {
		if _, err := check(string(reason)); err == nil {
			codes = append(codes, string(reason))
		}
	}
	return codes
}

// wordsOf returns the description of a property at its place, merged from its own row, the row of
// every request and the row of the whole document, in this order of precedence.
func wordsOf(shown shape, name string) word {
	rows := []string{shown.name + "." + name, "request." + name, name}
	if !shown.request {
		rows = []string{rows[0], rows[2]}
	}
	var all word
	for _, row := range rows {
		w := words[row]
		// In a response the row of the schema replaces the others: the status of an account has
		// nothing in common with that of a card. In a request a row adds to the others.
		if row == shown.name+"."+name && w.says != "" && !shown.request {
			return w
		}
		all.says = cmp.Or(all.says, w.says)
		all.length, all.pattern = cmp.Or(all.length, w.length), cmp.Or(all.pattern, w.pattern)
		all.from, all.to = cmp.Or(all.from, w.from), cmp.Or(all.to, w.to)
		all.deprecated = all.deprecated || w.deprecated
		all.example = cmp.Or(all.example, w.example)
		if all.oneOf == nil {
			all.oneOf = w.oneOf
		}
	}
	return all
}

// texts converts the values of a string type to strings.
func texts[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return texts
}
