package injection

import (
	"regexp"
	"strings"
	"time"

	"mintmark/internal/domain/fault"
)

// placeholder matches a placeholder in the message of a fault.
var placeholder = regexp.MustCompile(`\{([a-zA-Z]*)\}`)

// aliases maps a placeholder to the request members that may hold its value, if they have other
// names. The first one present is used.
var aliases = map[string][]string{
	"accountId": {"accountId", "primaryAccountId"},
	"priority":  {"cardPriority", "priority"},
}

// ofHolder has the faults whose customer is the future card holder.
var ofHolder = map[fault.Kind]bool{
	fault.HolderInvalid: true, fault.HolderStatus: true, fault.HolderAccessType: true,
}

// examples fills placeholders that no request has a value for.
var examples = map[string]string{
	"accessType": "NONE",
	"bankId":     "1",
	"bound":      "1",
	"category":   "Checking",
	"character":  "'",
	"line":       "1",
	"path":       "customerId",
	"position":   "1",
	"property":   "customerId",
	"source":     "string",
	"specifics":  "A fault rule refuses it.",
	"status":     "Archived",
	"text":       "A fault rule refuses the request.",
	"type":       "integer",
	"value":      "abc",
}

// statuses has the example status of each fault.
var statuses = map[fault.Kind]string{
	fault.AddAccountStatus:     "Closed",
	fault.HolderStatus:         "Denied",
	fault.PrimaryAccountStatus: "Closed",
	fault.ReissueStatus:        "Denied",
	fault.VerifyStatus:         "Verified",
}

// numbers has the placeholders in which 0 stands for an absent value.
var numbers = map[string]bool{
	"accountId": true, "binId": true, "cardId": true, "customerId": true, "documentId": true,
	"priority": true, "programId": true,
}

// retryAfter is the Retry-After of transient faults.
const retryAfter = time.Second

// fill returns a fault with its message filled from the request and from examples.
func (t *Trial) fill(kind fault.Kind) *fault.Fault {
	var args []any
	for _, match := range placeholder.FindAllStringSubmatch(fault.Lookup(kind).Message, -1) {
		args = append(args, t.valueOf(kind, match[1]))
	}
	filled := fault.New(kind, args...)
	if kind == fault.RateExceeded || kind == fault.Unavailable {
		filled.RetryAfter = retryAfter
	}
	return filled
}

// valueOf returns the value for a placeholder.
func (t *Trial) valueOf(kind fault.Kind, name string) string {
	if name == "status" && statuses[kind] != "" {
		return statuses[kind]
	}
	if example, given := examples[name]; given {
		return example
	}
	names := aliases[name]
	switch {
	case names == nil && name == "customerId" && ofHolder[kind]:
		names = []string{"cardHolderCustomerId"}
	case names == nil:
		names = []string{name}
	}
	for _, name := range names {
		if text, told := t.target.Value(name); told && strings.TrimSpace(text) != "" {
			return text
		}
	}
	if numbers[name] {
		return "0"
	}
	return ""
}
