package injection

import (
	"regexp"
	"strings"
	"time"

	"mintmark/internal/domain/fault"
)

// blank is a blank in the message of a fault.
var blank = regexp.MustCompile(`\{([a-zA-Z]*)\}`)

// others are the names under which a request has the value of a blank, where they are not that of
// the blank. The first that the request tells is taken.
var others = map[string][]string{
	"accountId": {"accountId", "primaryAccountId"},
	"priority":  {"cardPriority", "priority"},
}

// ofHolder are the faults whose customer is the holder of a card to come.
var ofHolder = map[fault.Kind]bool{
	fault.HolderInvalid: true, fault.HolderStatus: true, fault.HolderAccessType: true,
}

// examples stand in blanks about which a request says nothing.
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

// statuses are the examples of a status, by fault.
var statuses = map[fault.Kind]string{
	fault.AddAccountStatus:     "Closed",
	fault.HolderStatus:         "Denied",
	fault.PrimaryAccountStatus: "Closed",
	fault.ReissueStatus:        "Denied",
	fault.VerifyStatus:         "Verified",
}

// numbers are the blanks in which 0 stands for a value that was not given.
var numbers = map[string]bool{
	"accountId": true, "binId": true, "cardId": true, "customerId": true, "documentId": true,
	"priority": true, "programId": true,
}

// retryAfter is what the answers to transient faults advise.
const retryAfter = time.Second

// fill returns a fault whose message is filled with what the request says, and with examples.
func (t *Trial) fill(kind fault.Kind) *fault.Fault {
	var args []any
	for _, match := range blank.FindAllStringSubmatch(fault.Lookup(kind).Message, -1) {
		args = append(args, t.valueOf(kind, match[1]))
	}
	filled := fault.New(kind, args...)
	if kind == fault.RateExceeded || kind == fault.Unavailable {
		filled.RetryAfter = retryAfter
	}
	return filled
}

// valueOf returns what fills a blank.
func (t *Trial) valueOf(kind fault.Kind, name string) string {
	if name == "status" && statuses[kind] != "" {
		return statuses[kind]
	}
	if example, given := examples[name]; given {
		return example
	}
	names := others[name]
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
