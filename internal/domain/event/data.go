package event

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
)

// Data holds the properties that the act changed, with their old and new values.
type Data struct {
	Before Members `json:"before,omitempty"`
	After  Members `json:"after"`
}

// Members maps the names of a state's properties to their JSON values.
type Members map[string]json.RawMessage

// form checks the form of a property's value and returns the value that events show. A value of
// another form is omitted, so that no value leaks by being in an unexpected place.
type form func(value json.RawMessage) (json.RawMessage, bool)

// members lists the properties that events show, with their forms. No other property of an entry
// leaves the installation, in particular no personal data. AttributeRules determines which
// attributes of a card are shown.
var members = withAttributes(map[string]form{
	"archivedDate": moment, "deniedDate": moment, "expiredDate": moment, "reissuedDate": moment,
	"requestedDate": moment, "shippedDate": moment, "verifiedDate": moment,

	"binId": number, "cardHolderCustomerId": number, "customerId": number,
	"primaryAccountId": number, "checking": accounts, "savings": accounts,

	"replacedBy": link, "replaces": link,

	"status": code, "lockTypeCode": code, "lockReasonTypeCode": code, "typeCode": code,
	"vendorTypeCode": code, "isDigitalOnly": boolean, "lastFour": code, "tag": name,

	"accountId": number, "amount": number, "accountBalance": number, "availableBalance": number,
	"authorizationId": name, "postingId": name, "holdId": name, "orderId": name,
	"reversalId": name, "incrementOf": name, "requestedAmount": number, "final": boolean,
	"by": code, "wouldHave": code, "original": original, "merchant": merchant,
	"category": code, "currency": code, "kind": code, "reason": code, "approved": boolean,
	"state": code,

	"expires": moment, "effectiveDate": moment, "expireDate": moment, "culture": code,
	"documentType": code,

	"accessType": code, "isActive": boolean, "isLocked": boolean, "type": code,
	"pendingBalance": number,

	// For personal data an event shows only that something changed, never the value.
	"birthDate": concealed, "firstName": concealed, "lastName": concealed,
	"deceasedDate": concealed, "mobilePhone": concealed, "homePhone": concealed,
	"mailingAddress": concealed, "residenceAddress": concealed,
})

// withAttributes adds the attributes of a card that events show.
func withAttributes(shown map[string]form) map[string]form {
	for _, rule := range card.AttributeRules {
		if rule.InEvents {
			shown[rule.Name] = code
		}
	}
	return shown
}

// hidden lists the properties of a card that the audit shows and an event does not, besides the
// attributes that AttributeRules hides: names of people, free text, and the expiry, without which a
// stolen card number is of less use.
var hidden = []string{"nameOnCard", "nickName", "expireMonth", "expireYear"}

// shownMembers returns the properties of an entry that an event shows.
func shownMembers(object string) Members {
	seen := Members{}
	if object == "" {
		return seen
	}
	var all Members
	if json.Unmarshal([]byte(object), &all) != nil {
		return seen // an entry of another form has no shown properties
	}
	for property, value := range all {
		if allowed, known := members[property]; known {
			if value, fine := allowed(value); fine {
				seen[property] = value
			}
		}
	}
	return seen
}

// subjects maps the kinds of subject that an event shows as a property to the name of the property.
var subjects = map[audit.SubjectKind]string{
	audit.Key: "key", audit.Document: "documentId", audit.Account: "accountId",
}

// name adds the subject of the act, unless the event already has a member for it.
func (m Members) name(of audit.Subject) {
	property, named := subjects[of.Kind]
	if !named {
		return
	}
	id, err := json.Marshal(of.ID)
	if number, isNumber := strconv.Atoi(of.ID); isNumber == nil {
		id = strconv.AppendInt(nil, int64(number), 10)
	}
	if err == nil && !pan.MayContain(of.ID) {
		m[property] = id
	}
}

var (
	codes     = regexp.MustCompile(`^"[A-Za-z0-9]?[A-Za-z0-9._ -]{0,39}"$`)
	numbers   = regexp.MustCompile(`^-?[0-9]{1,12}(\.[0-9]{1,4})?$`)
	moments   = regexp.MustCompile(`^"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z)?"$`)
	links     = regexp.MustCompile(`^\{"cardId":[0-9]{1,10}\}$`)
	originals = regexp.MustCompile(
		`^\{"amount":[0-9]{1,15}(\.[0-9]{1,4})?,"currency":"[A-Z]{3}"\}$`)
	accountN = regexp.MustCompile(`^"\[([0-9]{1,10}( [0-9]{1,10})*)?\]"$`)
)

func code(value json.RawMessage) (json.RawMessage, bool) {
	return value, codes.Match(value) && !pan.MayContain(string(value))
}

func number(value json.RawMessage) (json.RawMessage, bool) { return value, numbers.Match(value) }

func link(value json.RawMessage) (json.RawMessage, bool) { return value, links.Match(value) }

func moment(value json.RawMessage) (json.RawMessage, bool) { return value, moments.Match(value) }

func boolean(value json.RawMessage) (json.RawMessage, bool) {
	return value, string(value) == "true" || string(value) == "false"
}

// concealed accepts only the placeholder that the audit writes for a value that it does not store.
func concealed(value json.RawMessage) (json.RawMessage, bool) {
	return value, string(value) == `"***"`
}

// name accepts an identifier or a tag that a caller or the processor chose. It conceals one that
// may contain a card number.
func name(value json.RawMessage) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return nil, false
	}
	if pan.MayContain(text) {
		return json.RawMessage(`"***"`), true
	}
	return value, true
}

// original accepts the amount that the holder of a card saw.
func original(value json.RawMessage) (json.RawMessage, bool) {
	return value, originals.Match(value)
}

// merchant accepts a merchant unless it may contain a card number.
func merchant(value json.RawMessage) (json.RawMessage, bool) {
	var of struct{ ID, Name, City, Country, MCC string }
	return value, json.Unmarshal(value, &of) == nil && value[0] == '{' && !pan.MayContain(of.ID) &&
		!pan.MayContain(of.Name) && !pan.MayContain(of.City)
}

// accounts accepts the accounts of a category, which the audit writes as the string "[2001 2002]",
// and returns them as a JSON array.
func accounts(value json.RawMessage) (json.RawMessage, bool) {
	if !accountN.Match(value) {
		return nil, false
	}
	list := strings.ReplaceAll(strings.Trim(string(value), `"`), " ", ",")
	return json.RawMessage(list), true
}
