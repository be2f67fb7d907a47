package admin

import (
	"encoding/json"
	"time"
)

// List is one page of a list. Next is the cursor of the next page, empty at the end.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
	Total *int   `json:"total,omitempty"` // where it was asked for; 10,000 are counted at most
}

// Change is one difference that a change makes.
type Change struct {
	Pointer string          `json:"pointer"` // RFC 6901
	From    json.RawMessage `json:"from,omitempty"`
	To      json.RawMessage `json:"to,omitempty"`
}

// DryRun is the part of an answer to a dry run that says what would be changed.
type DryRun struct {
	Changes []Change `json:"changes"`
}

// Me is who asks.
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

// Bank is a bank and its encryption keys.
type Bank struct {
	ID       int    `json:"id"`
	Revision int    `json:"revision"`
	Name     string `json:"name"`
}

// EncryptionKey is a key of a bank: status 1 encrypts and decrypts, 2 decrypts only, 3 is retired.
type EncryptionKey struct {
	ID       int `json:"id"`
	Revision int `json:"revision"`
	BankID   int `json:"bankId"`
	Status   int `json:"status"`
}

// BankKey is a key that card numbers and PINs of a bank are sealed under, and how many. Key 0 is
// the keyset of the installation: what was sealed before the bank had a key of its own.
type BankKey struct {
	ID       int `json:"id"`
	Revision int `json:"revision"`
	BankID   int `json:"bankId"`
	PciKeyID int `json:"pciKeyId"`
	// State is active, decrypt-only, compromised or retired; of key 0 it is keyset.
	State   string     `json:"state"`
	Seals   bool       `json:"seals"` // whether what is new is sealed under it
	Numbers int64      `json:"numbers"`
	Pins    int64      `json:"pins"`
	Made    *time.Time `json:"made,omitempty"`
	MadeBy  string     `json:"madeBy,omitempty"` // absent where the audit does not show it
}

// Program is a card program. Its settings have the names of interface §2.3 (the program object) and
// stand beside the members here in one JSON object: Settings is what is left of it.
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

	// Fenced is since when callers are answered 503, because the program moves.
	Fenced *time.Time `json:"fenced,omitempty"`

	// Settings are the other members of the program object, by their names. They are written and
	// read beside those above.
	Settings map[string]json.RawMessage `json:"-"`
}

// Bin is a range of card numbers. Its bodies are the lowest and the highest number without their
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

// Key is a caller's key.
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
	// PreviousUntil is until when the secret before the newest still opens.
	PreviousUntil *time.Time `json:"previousUntil,omitempty"`

	// Key is what callers send; Secret is shown once, when it is made.
	Key    string `json:"key,omitempty"`
	Secret string `json:"secret,omitempty"`
}

// Webhook is a subscription to events. Secret is shown once, when it is made.
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
	LastAnswer    string     `json:"lastAnswer,omitempty"` // a status, or why there was none
	Waiting       int        `json:"waiting"`              // deliveries
	Dead          int        `json:"dead"`
	LastSuccess   *time.Time `json:"lastSuccess,omitempty"`
	Created       time.Time  `json:"created"`

	Secret string `json:"secret,omitempty"`
}

// Delivery is an event that a webhook was sent, or is to be sent.
type Delivery struct {
	ID        string          `json:"id"` // of the event
	WebhookID int             `json:"webhookId"`
	Sequence  int             `json:"sequence"`
	Type      string          `json:"type"`
	CardID    int             `json:"cardId,omitempty"`
	State     string          `json:"state"` // delivered, waiting or dead
	Tries     int             `json:"tries"`
	Next      *time.Time      `json:"next,omitempty"`
	Body      json.RawMessage `json:"body,omitempty"` // what is sent; left out of lists
	Attempts  []Attempt       `json:"attempts,omitempty"`
}

// Attempt is one try to deliver an event.
type Attempt struct {
	At           time.Time `json:"at"`
	Status       int       `json:"status,omitempty"`
	Milliseconds int       `json:"milliseconds"`
	Error        string    `json:"error,omitempty"`
	Answer       string    `json:"answer,omitempty"`
}

// Replay sends events to a webhook again.
type Replay struct {
	ID        int        `json:"id"`
	WebhookID int        `json:"webhookId"`
	Count     int        `json:"count"`
	Sent      int        `json:"sent"`
	Created   time.Time  `json:"created"`
	Ended     *time.Time `json:"ended,omitempty"`
}

// Event is what a webhook is sent, member by member in the same order.
type Event struct {
	ID         string          `json:"id"`
	Sequence   int             `json:"sequence"` // among events alone: 1, 2, 3 without gaps
	Entry      int             `json:"entry"`    // the sequence of its entry in the audit
	Type       string          `json:"type"`
	At         time.Time       `json:"at"`
	ProgramID  int             `json:"programId,omitempty"`
	CardID     int             `json:"cardId,omitempty"`
	CustomerID int             `json:"customerId,omitempty"`
	Actor      EventActor      `json:"actor"`
	Data       json.RawMessage `json:"data"` // the changed properties: before and after
	RequestID  string          `json:"requestId,omitempty"`
}

// EventActor is who performed the act.
type EventActor struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// EventList are events: a page of them, newest first, or those behind a sequence in their order.
type EventList struct {
	Items []Event `json:"items"`           // each the bytes that a webhook is sent
	Next  string  `json:"next,omitempty"`  // cursor of the page behind this one
	Total *int    `json:"total,omitempty"` // where it was asked for; 10,000 are counted at most
	After *int    `json:"after,omitempty"` // of events that are followed: to go on with
}

// Document is one version of a document of a bank. A draft can be changed; what is published never.
type Document struct {
	ID            int        `json:"id"`
	Revision      int        `json:"revision"`
	BankID        int        `json:"bankId"`
	Culture       string     `json:"culture"`
	DocumentType  string     `json:"documentType"`
	Title         string     `json:"title"`
	HTML          string     `json:"html,omitempty"` // left out of lists
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
	File      int        `json:"file,omitempty"` // that holds it until it is fetched
	Attempts  int        `json:"attempts"`
	LastError string     `json:"lastError,omitempty"`
	Created   time.Time  `json:"created"`
	NextTry   *time.Time `json:"nextTry,omitempty"`
	Ended     *time.Time `json:"ended,omitempty"`
	Dropped   *time.Time `json:"dropped,omitempty"`
	Tries     []OrderTry `json:"tries,omitempty"` // of a single order, once one has failed
}

// OrderTry is how a try to send an order has ended.
type OrderTry struct {
	At      time.Time `json:"at"`
	Node    string    `json:"node,omitempty"`
	Outcome string    `json:"outcome"`          // done, accepted, refused, unreached or failed
	Answer  string    `json:"answer,omitempty"` // of the processor, or why there was none
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
	// Progress is absent for a job that does not tell it, or has nothing to do.
	Progress *Progress `json:"progress,omitempty"`
}

// Progress is how much of its work a job has done.
type Progress struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total"`
}
