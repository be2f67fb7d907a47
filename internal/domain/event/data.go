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

// Data is what the act has changed: the properties that differ, as they were and as they are.
type Data struct {
	Before Members `json:"before,omitempty"`
	After  Members `json:"after"`
}

// Members are the properties of one state by their names, each as JSON.
type Members map[string]json.RawMessage

// form is what the values of a property look like. A value of another form is left out, so that
// nothing leaks by being where it is not expected.
type form func(value json.RawMessage) (json.RawMessage, bool)

// members are the properties that events show. Every other property of an entry stays inside, above
// all personal data. The attributes of a card are decided by their rules.
var members = withAttributes(map[string]form{
	"archivedDate": moment, "deniedDate": moment, "expiredDate": moment, "reissuedDate": moment,
	"requestedDate": moment, "shippedDate": moment, "verifiedDate": moment,

	"binId": number, "cardHolderCustomerId": number, "customerId": number,
	"primaryAccountId": number, "checking": accounts, "savings": accounts,

	"replacedBy": link, "replaces": link,

	"status": code, "lockTypeCode": code, "lockReasonTypeCode": code, "typeCode": code,
	"vendorTypeCode": code, "isDigitalOnly": truth, "lastFour": code, "tag": name,

	"accountId": number, "amount": number, "accountBalance": number, "availableBalance": number,
	"authorizationId": name, "postingId": name, "holdId": name, "orderId": name,
	"reversalId": name, "incrementOf": name, "requestedAmount": number, "final": truth,
	"by": code, "wouldHave": code, "original": original, "merchant": merchant,
	"category": code, "currency": code, "kind": code, "reason": code, "approved": truth,
	"state": code,

	"expires": moment, "effectiveDate": moment, "expireDate": moment, "culture": code,
	"documentType": code,

	"accessType": code, "isActive": truth, "isLocked": truth, "type": code,
	"pendingBalance": number,

	// About a person an event says that something changed, never what.
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

// hidden are the properties of a card that the audit shows and an event does not, beside attributes
// whose rule says so: names of people, free text, and the expiry, without which a stolen number is
// of less use.
var hidden = []string{"nameOnCard", "nickName", "expireMonth", "expireYear"}

// shownMembers returns the properties of an entry that an event shows.
func shownMembers(object string) Members {
	seen := Members{}
	if object == "" {
		return seen
	}
	var all Members
	if json.Unmarshal([]byte(object), &all) != nil {
		return seen // an entry of another form shows nothing
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

// subjects are the kinds of subject that an event names among its properties, and how.
var subjects = map[audit.SubjectKind]string{
	audit.Key: "key", audit.Document: "documentId", audit.Account: "accountId",
}

// name adds what the act was about, where the event has no member of its own for that.
func (m Members) name(of audit.Subject) {
	property, named := subjects[of.Kind]
	if !named {
		return
	}
	id, err := json.Marshal(of.ID)
	if number, isNumber := strconv.Atoi(of.ID); isNumber == nil {
		id = strconv.AppendInt(nil, int64(number), 10)
	}
	if err == nil && !pan.Holds(of.ID) {
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
	return value, codes.Match(value) && !pan.Holds(string(value))
}

func number(value json.RawMessage) (json.RawMessage, bool) { return value, numbers.Match(value) }

func link(value json.RawMessage) (json.RawMessage, bool) { return value, links.Match(value) }

func moment(value json.RawMessage) (json.RawMessage, bool) { return value, moments.Match(value) }

func truth(value json.RawMessage) (json.RawMessage, bool) {
	return value, string(value) == "true" || string(value) == "false"
}

// concealed takes what the audit writes in place of a value that it does not keep.
func concealed(value json.RawMessage) (json.RawMessage, bool) {
	return value, string(value) == `"***"`
}

// name takes an identifier or a tag that a caller or the processor has chosen, concealed where it may
// hold a card number.
func name(value json.RawMessage) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return nil, false
	}
	if pan.Holds(text) {
		return json.RawMessage(`"***"`), true
	}
	return value, true
}

// original takes what the holder of a card saw.
func original(value json.RawMessage) (json.RawMessage, bool) {
	return value, originals.Match(value)
}

// merchant takes where a card was used.
func merchant(value json.RawMessage) (json.RawMessage, bool) {
	var of struct{ ID, Name, City, Country, MCC string }
	return value, json.Unmarshal(value, &of) == nil && value[0] == '{' && !pan.Holds(of.ID) &&
		!pan.Holds(of.Name) && !pan.Holds(of.City)
}

// accounts takes the accounts of a category, which the audit writes as the text "[2001 2002]".
func accounts(value json.RawMessage) (json.RawMessage, bool) {
	if !accountN.Match(value) {
		return nil, false
	}
	list := strings.ReplaceAll(strings.Trim(string(value), `"`), " ", ",")
	return json.RawMessage(list), true
}
