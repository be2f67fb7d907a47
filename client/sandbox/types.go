package sandbox

import (
	"time"

	"mintmark/client/admin"
)

// Ready is the line that `mintmark sandbox --print-json` prints on standard output as soon as the
// sandbox answers requests.
type Ready struct {
	URL      string            `json:"url"` // of the callers' interface
	AdminURL string            `json:"adminUrl"`
	Keys     map[string]string `json:"keys"`         // of the demo data: name to secret
	PinKey   string            `json:"pinPublicKey"` // PEM; encrypts newPin
	PID      int               `json:"pid"`
}

// World describes a sandbox, GET /world.
type World struct {
	Counts    Counts        `json:"counts"`
	Clock     Clock         `json:"clock"`
	Due       []Due         `json:"due"`            // next of each kind within a year, in order
	Seed      *uint64       `json:"seed,omitempty"` // absent unless --seed was given
	Processor Mode          `json:"processor"`
	Snapshots []Snapshot    `json:"snapshots"`
	Faults    []Fault       `json:"faults"`
	Keys      []Key         `json:"keys"` // of the demo data
	PinKey    string        `json:"pinPublicKey"`
	Settings  WorldSettings `json:"settings"`
}

// WorldSettings describes how the sandbox was started.
type WorldSettings struct {
	URL        string `json:"url"`
	AdminURL   string `json:"adminUrl"`
	Persistent bool   `json:"persistent"` // data outlives the process
	Version    string `json:"version"`
}

// Counts holds the number of objects in the sandbox.
type Counts struct {
	Programs  int `json:"programs"`
	Customers int `json:"customers"`
	Accounts  int `json:"accounts"`
	Cards     int `json:"cards"`
	Documents int `json:"documents"`
	Orders    int `json:"orders"` // not done
	Webhooks  int `json:"webhooks"`
	Entries   int `json:"entries"` // of the audit log
}

// Key is an API key of the demo data, whose secret is public.
type Key struct {
	Name      string `json:"name"`
	Secret    string `json:"secret"`
	ProgramID int    `json:"programId"`
	Version   int    `json:"version"`
	Note      string `json:"note,omitempty"` // what is special about it
}

// Clock is the business time of the sandbox, GET and PUT /clock.
type Clock struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

// Due is the next thing of its kind to fall due.
type Due struct {
	// pin, verification, hold, renewal, document, keyWarning, idempotencyKey or order
	What string    `json:"what"`
	At   time.Time `json:"at"`
}

// ClockChange is the body of PUT /clock. At most one of Now and Advance is set; without either,
// only Frozen changes.
type ClockChange struct {
	Now     *time.Time `json:"now,omitempty"`
	Advance string     `json:"advance,omitempty"` // "P90D" in the program's zone, "36h", "90d"
	Frozen  *bool      `json:"frozen,omitempty"`
}

// Snapshot is a saved state of the sandbox.
type Snapshot struct {
	Name string    `json:"name"`
	Made time.Time `json:"made"` // wall time
	Now  time.Time `json:"now"`  // business time in it
}

// Mode is the way in which the simulated card processor treats orders.
type Mode string

// The modes of the simulated card processor.
const (
	Instant  Mode = "instant"  // carries out each order immediately
	Manual   Mode = "manual"   // accepts each order, and reports on command
	Refusing Mode = "refusing" // rejects each order
	Down     Mode = "down"     // does not respond, so orders wait
)

// Processor is the simulated card processor, GET and PUT /processor.
type Processor struct {
	Mode Mode `json:"mode"`
}

// Fault is a rule that makes requests of callers fail.
type Fault struct {
	ID          string  `json:"id,omitempty"` // assigned by the sandbox
	Route       string  `json:"route"`        // of the route table, such as "/card/lock"; "*" for all
	Key         string  `json:"key,omitempty"`
	Code        int     `json:"code,omitempty"`        // of the error catalogue
	Delay       string  `json:"delay,omitempty"`       // wall time, such as "2s"
	Drop        string  `json:"drop,omitempty"`        // "before" or "after" the act
	Times       int     `json:"times,omitempty"`       // how many requests it applies to; 0 for all
	Probability float64 `json:"probability,omitempty"` // 0 for always

	Used int `json:"used,omitempty"` // number of times that it applied
}

// Report is a report of the simulated card processor about a card, POST /cards/{cardId}/reports.
type Report struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason,omitempty"`
}

// Lock is the body of POST /cards/{cardId}/lock, a lock by the system.
type Lock struct {
	Reason string `json:"lockReasonTypeCode"` // ADM, PIN, FRD, LST or STL
}

// CardLock is the lock of a card after the system has locked or unlocked it.
type CardLock struct {
	CardID   int    `json:"cardId"`
	Status   string `json:"status"`
	LockType string `json:"lockTypeCode"` // UNL, CST or SYS
	Reason   string `json:"lockReasonTypeCode,omitempty"`
}

// Reported is the response to a report.
type Reported struct {
	ID     string `json:"reportId"`
	Result string `json:"result"`           // applied, or ignored
	Reason string `json:"reason,omitempty"` // why it was ignored
}

// Authorization is the body of POST /cards/{cardId}/authorizations.
type Authorization struct {
	Amount    Amount     `json:"amount"`
	Category  string     `json:"category,omitempty"`
	Kind      string     `json:"kind,omitempty"`
	Partial   bool       `json:"partial,omitempty"` // a partial approval is acceptable
	HoldUntil *time.Time `json:"holdUntil,omitempty"`
	Currency  string     `json:"currency,omitempty"`
	Original  *Original  `json:"original,omitempty"`
	Merchant  *Merchant  `json:"merchant,omitempty"`

	IncrementOf string `json:"incrementOf,omitempty"` // authorization whose hold grows
}

// Original is the amount that the card holder saw.
type Original struct {
	Amount   Amount `json:"amount"`
	Currency string `json:"currency"`
}

// Merchant is the place where a card was used.
type Merchant struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	City    string `json:"city,omitempty"`
	Country string `json:"country"` // two or three capital letters
	MCC     string `json:"mcc"`     // four digits
}

// Authorized is the response to an authorization.
type Authorized struct {
	ID        string `json:"authorizationId"`
	Approved  bool   `json:"approved"`
	Reason    string `json:"reason"`              // "approved", or the reason for the decline
	Amount    Amount `json:"amount,omitempty"`    // approved amount, if less was acceptable
	AccountID int    `json:"accountId,omitempty"` // account that pays or is paid
	HoldID    string `json:"holdId,omitempty"`
}

// Increment is the body of POST /authorizations/{authorizationId}/increment.
type Increment struct {
	Amount Amount `json:"amount"`
}

// Reversal is the body of POST /authorizations/{authorizationId}/reverse. Without an amount,
// everything is reversed.
type Reversal struct {
	Amount *Amount `json:"amount,omitempty"`
}

// Reversed is the response to a reversal.
type Reversed struct {
	ID     string `json:"reversalId"`
	Result string `json:"result"` // reversed, partlyReversed, nothingHeld or unknown
}

// Advice is the body of POST /cards/{cardId}/advices.
type Advice struct {
	Authorization
	AuthorizationID string `json:"authorizationId,omitempty"` // default: a new one
	Decision        string `json:"decision,omitempty"`        // approved (default) or declined
	By              string `json:"by,omitempty"`              // standIn (default) or network
}

// Advised is the response to an advice.
type Advised struct {
	ID        string `json:"authorizationId"`
	Result    string `json:"result"` // booked
	AccountID int    `json:"accountId,omitempty"`
	HoldID    string `json:"holdId,omitempty"`
	WouldHave string `json:"wouldHave"` // the reason that an authorization would have got
}

// Refund is the body of POST /cards/{cardId}/refunds.
type Refund struct {
	Amount   Amount    `json:"amount"`
	Merchant *Merchant `json:"merchant,omitempty"`
}

// Story is the body of POST /stories/{name}.
type Story struct {
	CardID int `json:"cardId"`
}

// StoryResult is the course of a story.
type StoryResult struct {
	Name   string `json:"name"`
	CardID int    `json:"cardId"`
	Steps  []Step `json:"steps"`
}

// Step is an action of the simulated card processor, its result, and the balances of the primary
// account afterwards.
type Step struct {
	Does             string `json:"does"`
	Result           string `json:"result"`
	AccountBalance   Amount `json:"accountBalance"`
	AvailableBalance Amount `json:"availableBalance"`
}

// Posting is the body of POST /holds/{holdId}/post and of POST
// /authorizations/{authorizationId}/post. Without an amount, the whole hold is posted. A posting
// that is not final keeps the rest of the hold.
type Posting struct {
	Amount *Amount `json:"amount,omitempty"`
	Final  *bool   `json:"final,omitempty"`
}

// Posted is the response to a posting.
type Posted struct {
	ID        string `json:"postingId"`
	Result    string `json:"result"` // posted
	AccountID int    `json:"accountId"`
	HoldID    string `json:"holdId,omitempty"` // absent for a refund
	Amount    Amount `json:"amount"`
}

// Released is the response to a release.
type Released struct {
	HoldID string `json:"holdId"`
	Result string `json:"result"` // released, or expired if the hold had expired before
}

// Customer is a customer as in the request and the response of PUT /customers/{id}, including the
// birth date.
type Customer = admin.Customer

// Account is an account as in the request and the response of PUT /accounts/{id}. Its account
// number is sent as accountNumber and returned masked.
type Account = admin.Account

// Number is a card number, GET /cards/{cardId}/number.
type Number struct {
	Number string `json:"number"`
}

// Request is a request of a caller that the sandbox has answered, GET /requests. Secrets are
// masked.
type Request struct {
	ID        int64             `json:"id"` // ascending
	At        time.Time         `json:"at"` // wall time
	Key       string            `json:"key,omitempty"`
	Method    string            `json:"method"`
	Path      string            `json:"path"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      string            `json:"body,omitempty"`
	Status    int               `json:"status"` // 0 if the connection was closed
	Code      int               `json:"code,omitempty"`
	Answer    string            `json:"answer,omitempty"`
	RequestID string            `json:"requestId,omitempty"`
	Took      string            `json:"took"`
	Curl      string            `json:"curl"`            // the request as a command
	Fault     string            `json:"fault,omitempty"` // rule that made it fail
}

// List is a list of items.
type List[T any] struct {
	Items []T `json:"items"`
}
