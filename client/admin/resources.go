package admin

import (
	"encoding/json"
	"time"
)

// List is one page of a list. Next is the cursor of the next page, empty on the last one.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
	Total *int   `json:"total,omitempty"` // only on request; at most 10,000
}

// Change is the change of one member.
type Change struct {
	Pointer string          `json:"pointer"` // RFC 6901
	From    json.RawMessage `json:"from,omitempty"`
	To      json.RawMessage `json:"to,omitempty"`
}

// DryRun holds the changes that a dry run found.
type DryRun struct {
	Changes []Change `json:"changes"`
}

// Me describes the owner of the token.
type Me struct {
	ID       int      `json:"id"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind"` // person or token
	Roles    []string `json:"roles"`
	AllBanks bool     `json:"allBanks"`
	Banks    []int    `json:"banks,omitempty"`

	Environment string `json:"environment"` // production or sandbox
	Node        string `json:"node"`
	Version     string `json:"version"`
}

// Bank is a bank.
type Bank struct {
	ID       int    `json:"id"`
	Revision int    `json:"revision"`
	Name     string `json:"name"`
}

// EncryptionKey is an encryption key of a bank. Status 1 encrypts and decrypts, 2 decrypts only, 3
// is retired.
type EncryptionKey struct {
	ID       int `json:"id"`
	Revision int `json:"revision"`
	BankID   int `json:"bankId"`
	Status   int `json:"status"`
}

// BankKey is a key under which card numbers and PINs of a bank are encrypted, with their counts.
// Key 0 is the keyset of the installation, for data encrypted before the bank had its own key.
type BankKey struct {
	ID       int `json:"id"`
	Revision int `json:"revision"`
	BankID   int `json:"bankId"`
	PciKeyID int `json:"pciKeyId"`
	// State is active, decrypt-only, compromised or retired, and keyset for key 0.
	State   string     `json:"state"`
	Seals   bool       `json:"seals"` // new data is encrypted under it
	Numbers int64      `json:"numbers"`
	Pins    int64      `json:"pins"`
	Made    *time.Time `json:"made,omitempty"`
	MadeBy  string     `json:"madeBy,omitempty"` // absent if the audit does not show it
}

// Program is a card program. In JSON, its settings have the names of interface §2.3 (the program
// object) and are on the same level as the members defined here. Settings holds those without a
// field.
type Program struct {
	ID                     int    `json:"id"`
	Revision               int    `json:"revision"`
	BankID                 int    `json:"bankId"`
	Name                   string `json:"name"`
	VerificationWindowDays int    `json:"verificationWindowDays"`
	Renewal                string `json:"renewal"`  // automatic or manual
	Balances               string `json:"balances"` // core or mintmark
	FourEyes               bool   `json:"fourEyes"`
	Currency               string `json:"currency,omitempty"`

	// Fenced is the time since which callers get a 503, because the program is moving to another
	// installation.
	Fenced *time.Time `json:"fenced,omitempty"`

	// Settings are the other members of the program object, by name. They are encoded on the same
	// level as those above.
	Settings map[string]json.RawMessage `json:"-"`
}

// Bin is a range of card numbers. Its bodies are the lowest and the highest number without the
// check digit.
type Bin struct {
	ID             int    `json:"id"`
	Revision       int    `json:"revision"`
	ProgramID      int    `json:"programId"`
	VendorTypeCode string `json:"vendorTypeCode"`
	Description    string `json:"description,omitempty"`
	IsActive       bool   `json:"isActive"`
	FirstBody      string `json:"firstBody"`
	LastBody       string `json:"lastBody"`
	ValidMonths    int    `json:"validMonths"`
}

// Key is an API key.
type Key struct {
	ID            string     `json:"id"` // its name
	Revision      int        `json:"revision"`
	ProgramID     int        `json:"programId"`
	Name          string     `json:"name"`
	Version       int        `json:"version"`
	Allow         []string   `json:"allow"`
	RatePerSecond float64    `json:"ratePerSecond,omitempty"`
	Burst         int        `json:"burst,omitempty"`
	Compatibility []string   `json:"compatibility,omitempty"`
	Expires       *time.Time `json:"expires,omitempty"` // of the newest secret
	LastUsed      *time.Time `json:"lastUsed,omitempty"`
	State         string     `json:"state"` // active, expiring, expired or revoked
	// PreviousUntil is the time until which the previous secret is accepted.
	PreviousUntil *time.Time `json:"previousUntil,omitempty"`

	// Key is the user name that callers send. Secret is shown once, when it is created.
	Key    string `json:"key,omitempty"`
	Secret string `json:"secret,omitempty"`
}

// Webhook is a subscription to events. Secret is shown once, when it is created.
type Webhook struct {
	ID            int        `json:"id"`
	Revision      int        `json:"revision"`
	ProgramID     int        `json:"programId"`
	Name          string     `json:"name"`
	URL           string     `json:"url"`
	Types         []string   `json:"types,omitempty"`
	Paused        bool       `json:"paused"`
	PausedBecause string     `json:"pausedBecause,omitempty"`
	State         string     `json:"state,omitempty"` // delivering, behind, failing or paused
	FailingSince  *time.Time `json:"failingSince,omitempty"`
	LastTry       *time.Time `json:"lastTry,omitempty"`
	LastAnswer    string     `json:"lastAnswer,omitempty"` // HTTP status, or why there was none
	Waiting       int        `json:"waiting"`              // deliveries
	Dead          int        `json:"dead"`
	LastSuccess   *time.Time `json:"lastSuccess,omitempty"`
	Created       time.Time  `json:"created"`

	Secret string `json:"secret,omitempty"`
}

// Delivery is the delivery of an event to a webhook, past or pending.
type Delivery struct {
	ID        string          `json:"id"` // of the event
	WebhookID int             `json:"webhookId"`
	Sequence  int             `json:"sequence"`
	Type      string          `json:"type"`
	CardID    int             `json:"cardId,omitempty"`
	State     string          `json:"state"` // delivered, waiting or dead
	Tries     int             `json:"tries"`
	Next      *time.Time      `json:"next,omitempty"`
	Body      json.RawMessage `json:"body,omitempty"` // as sent; omitted in lists
	Attempts  []Attempt       `json:"attempts,omitempty"`
}

// Attempt is an attempt to deliver an event.
type Attempt struct {
	At           time.Time `json:"at"`
	Status       int       `json:"status,omitempty"`
	Milliseconds int       `json:"milliseconds"`
	Error        string    `json:"error,omitempty"`
	Answer       string    `json:"answer,omitempty"`
}

// Replay is a repeated delivery of events to a webhook.
type Replay struct {
	ID        int        `json:"id"`
	WebhookID int        `json:"webhookId"`
	Count     int        `json:"count"`
	Sent      int        `json:"sent"`
	Created   time.Time  `json:"created"`
	Ended     *time.Time `json:"ended,omitempty"`
}

// Event is the body that a webhook receives, with its members in this order.
type Event struct {
	ID         string          `json:"id"`
	Sequence   int             `json:"sequence"` // counts events alone: 1, 2, 3 without gaps
	Entry      int             `json:"entry"`    // sequence of its audit entry
	Type       string          `json:"type"`
	At         time.Time       `json:"at"`
	ProgramID  int             `json:"programId,omitempty"`
	CardID     int             `json:"cardId,omitempty"`
	CustomerID int             `json:"customerId,omitempty"`
	Actor      EventActor      `json:"actor"`
	Data       json.RawMessage `json:"data"` // changed properties, before and after
	RequestID  string          `json:"requestId,omitempty"`
}

// EventActor identifies who performed the act.
type EventActor struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// EventList holds events: a page of them, newest first, or those after a sequence, in order.
type EventList struct {
	Items []Event `json:"items"`           // each byte for byte as a webhook receives it
	Next  string  `json:"next,omitempty"`  // cursor of the next page
	Total *int    `json:"total,omitempty"` // only on request; at most 10,000
	After *int    `json:"after,omitempty"` // of followed events: sequence to continue after
}

// Document is one version of a document of a bank. A draft can be changed, a published version
// cannot.
type Document struct {
	ID            int        `json:"id"`
	Revision      int        `json:"revision"`
	BankID        int        `json:"bankId"`
	Culture       string     `json:"culture"`
	DocumentType  string     `json:"documentType"`
	Title         string     `json:"title"`
	HTML          string     `json:"html,omitempty"` // omitted in lists
	HasPDF        bool       `json:"hasPdf"`
	State         string     `json:"state"` // draft, scheduled, inForce or ended
	EffectiveDate *time.Time `json:"effectiveDate,omitempty"`
	ExpireDate    *time.Time `json:"expireDate,omitempty"`
	Published     *time.Time `json:"published,omitempty"`
}

// Order is an order to the card processor.
type Order struct {
	ID        string     `json:"id"` // its public identifier
	Number    int        `json:"number"`
	Revision  int        `json:"revision"`
	ProgramID int        `json:"programId"`
	CardID    int        `json:"cardId"`
	Sequence  int        `json:"sequence"`
	Kind      string     `json:"kind"`
	State     string     `json:"state"`
	Urgent    bool       `json:"urgent"`
	File      int        `json:"file,omitempty"` // file that holds it until it is fetched
	Attempts  int        `json:"attempts"`
	LastError string     `json:"lastError,omitempty"`
	Created   time.Time  `json:"created"`
	NextTry   *time.Time `json:"nextTry,omitempty"`
	Ended     *time.Time `json:"ended,omitempty"`
	Dropped   *time.Time `json:"dropped,omitempty"`
	Tries     []OrderTry `json:"tries,omitempty"` // of a single order; none if the first did it
}

// OrderTry is an attempt to send an order.
type OrderTry struct {
	At      time.Time `json:"at"`
	Node    string    `json:"node,omitempty"`
	Outcome string    `json:"outcome"`          // done, accepted, refused, unreached or failed
	Answer  string    `json:"answer,omitempty"` // response of the processor, or why there was none
}

// Job is work that nodes do on a schedule.
type Job struct {
	ID    string     `json:"id"` // its name
	State string     `json:"state"`
	Node  string     `json:"node,omitempty"`
	Began *time.Time `json:"began,omitempty"`
	Ended *time.Time `json:"ended,omitempty"`
	Next  *time.Time `json:"next,omitempty"`
	Error string     `json:"error,omitempty"`
	// Progress is absent for a job that does not report it or has nothing to do.
	Progress *Progress `json:"progress,omitempty"`
}

// Progress is how much of its work a job has done.
type Progress struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
}
