package admin

import (
	"encoding/json"
	"time"
)

// Customer is a person the bank knows. A birth date is written, and never answered.
type Customer struct {
	ID           int      `json:"id"`
	Revision     int      `json:"revision"`
	ProgramID    int      `json:"programId"`
	Status       string   `json:"status"`
	Access       string   `json:"access"` // FULL, ACCT, CARD or NONE
	FirstName    string   `json:"firstName"`
	LastName     string   `json:"lastName"`
	MobilePhone  string   `json:"mobilePhone,omitempty"`
	HomePhone    string   `json:"homePhone,omitempty"`
	Mailing      *Address `json:"mailing,omitempty"`
	Residence    *Address `json:"residence,omitempty"`
	IsActive     bool     `json:"isActive"`
	IsLocked     bool     `json:"isLocked"`
	DeceasedDate string   `json:"deceasedDate,omitempty"` // a calendar date
	BirthDate    string   `json:"birthDate,omitempty"`    // a calendar date, never answered
}

// NewCustomer asks for a customer, under the number that the bank has given it. IsActive is true
// when left out.
type NewCustomer struct {
	ID           int      `json:"id"`
	ProgramID    int      `json:"programId"`
	Status       string   `json:"status"`
	Access       string   `json:"access"` // FULL, ACCT, CARD or NONE
	FirstName    string   `json:"firstName"`
	LastName     string   `json:"lastName"`
	BirthDate    string   `json:"birthDate"` // a calendar date
	MobilePhone  string   `json:"mobilePhone,omitempty"`
	HomePhone    string   `json:"homePhone,omitempty"`
	Mailing      *Address `json:"mailing,omitempty"`
	Residence    *Address `json:"residence,omitempty"`
	IsActive     *bool    `json:"isActive,omitempty"`
	IsLocked     bool     `json:"isLocked,omitempty"`
	DeceasedDate string   `json:"deceasedDate,omitempty"` // a calendar date
	Reason       string   `json:"reason,omitempty"`
}

// Address is where a customer lives or wants letters.
type Address struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city"`
	Region     string `json:"region,omitempty"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
}

// Account is an account of a customer. Its number is written whole and read masked.
type Account struct {
	ID               int         `json:"id"`
	Revision         int         `json:"revision"`
	ProgramID        int         `json:"programId"`
	CustomerID       int         `json:"customerId"`
	Type             string      `json:"type"`
	Status           string      `json:"status"`
	Name             string      `json:"name,omitempty"`
	Tag              string      `json:"tag,omitempty"` // the caller's own key of the account
	NumberMasked     string      `json:"numberMasked"`
	AccountNumber    string      `json:"accountNumber,omitempty"` // never answered
	AccountBalance   json.Number `json:"accountBalance"`
	AvailableBalance json.Number `json:"availableBalance"`
	PendingBalance   json.Number `json:"pendingBalance"`
	Held             json.Number `json:"held"`
}

// NewAccount asks for an account of a customer, under the number that the bank has given it.
// Balances are 0 when left out; the available one is the accountBalance.
type NewAccount struct {
	ID               int         `json:"id"`
	ProgramID        int         `json:"programId"`
	CustomerID       int         `json:"customerId"`
	Type             string      `json:"type"`
	Status           string      `json:"status"`
	Name             string      `json:"name"`
	Tag              string      `json:"tag,omitempty"`
	AccountNumber    string      `json:"accountNumber"` // whole; kept masked
	AccountBalance   json.Number `json:"accountBalance,omitempty"`
	AvailableBalance json.Number `json:"availableBalance,omitempty"`
	PendingBalance   json.Number `json:"pendingBalance,omitempty"`
	Reason           string      `json:"reason,omitempty"`
}

// Access is what a customer may do with an account of somebody else.
type Access struct {
	AccountID  int    `json:"accountId"`
	CustomerID int    `json:"customerId"`
	Revision   int    `json:"revision"`
	Access     string `json:"access"` // FULL, RDONLY or NONE
}

// Card is a card as it stands in lists.
type Card struct {
	ID                   int        `json:"id"`
	Revision             int        `json:"revision"`
	ProgramID            int        `json:"programId"`
	CustomerID           int        `json:"customerId"`
	CardHolderCustomerID int        `json:"cardHolderCustomerId"`
	HolderName           string     `json:"holderName,omitempty"`
	NumberMasked         string     `json:"numberMasked"`
	TypeCode             string     `json:"typeCode"`
	VendorTypeCode       string     `json:"vendorTypeCode"`
	BinID                int        `json:"binId"`
	Status               string     `json:"status"`
	LockTypeCode         string     `json:"lockTypeCode,omitempty"`
	LockReasonTypeCode   string     `json:"lockReasonTypeCode,omitempty"`
	LockedDate           *time.Time `json:"lockedDate,omitempty"`
	Tag                  string     `json:"tag,omitempty"`
	NickName             string     `json:"nickName,omitempty"`
	NameOnCard           string     `json:"nameOnCard,omitempty"`
	ExpireMonth          int        `json:"expireMonth"`
	ExpireYear           int        `json:"expireYear"`
	IsDigitalOnly        bool       `json:"isDigitalOnly"`
	CreatedDate          time.Time  `json:"createdDate"`
	ModifiedDate         time.Time  `json:"modifiedDate"`
}

// CardDetail is a card with its history of dates, accounts, holds and open orders.
type CardDetail struct {
	Card
	RequestedDate *time.Time `json:"requestedDate,omitempty"`
	ShippedDate   *time.Time `json:"shippedDate,omitempty"`
	VerifiedDate  *time.Time `json:"verifiedDate,omitempty"`
	ReissuedDate  *time.Time `json:"reissuedDate,omitempty"`
	DeniedDate    *time.Time `json:"deniedDate,omitempty"`
	ExpiredDate   *time.Time `json:"expiredDate,omitempty"`
	ArchivedDate  *time.Time `json:"archivedDate,omitempty"`
	Replaces      *CardLink  `json:"replaces,omitempty"`
	ReplacedBy    *CardLink  `json:"replacedBy,omitempty"`

	Lock     *Lock         `json:"lock,omitempty"`
	Accounts []CardAccount `json:"accounts"`
	Holds    []Hold        `json:"holds"`
	Orders   []Order       `json:"orders"` // that wait, are sent, held or failed
	Acts     []CardAct     `json:"acts"`
}

// CardLink names the card that replaces another, or that was replaced.
type CardLink struct {
	CardID int `json:"cardId"`
}

// Lock is who has locked a card, when and why.
type Lock struct {
	TypeCode       string     `json:"lockTypeCode"`
	ReasonTypeCode string     `json:"lockReasonTypeCode"`
	Permanent      bool       `json:"permanent"`
	At             *time.Time `json:"at,omitempty"`
	By             *Actor     `json:"by,omitempty"`
	Reason         string     `json:"reason,omitempty"`
}

// CardAct is an act on a card that the operator's side knows, and why it is not possible now.
type CardAct struct {
	Name       string `json:"name"` // lock, unlock, reissue or archive
	Possible   bool   `json:"possible"`
	Why        string `json:"why,omitempty"`  // in a sentence
	Code       int    `json:"code,omitempty"` // of the catalogue, that a caller would get
	NeedsOther bool   `json:"needsOther"`     // another operator has to confirm
}

// CardAccount is one that the card draws on, with its place among those of its type.
type CardAccount struct {
	Account
	Priority int  `json:"priority"` // 1 to 4 within its type
	Primary  bool `json:"primary"`
}

// Hold is money that an authorization keeps.
type Hold struct {
	ID              string      `json:"id"`
	AuthorizationID string      `json:"authorizationId"`
	AccountID       int         `json:"accountId"`
	Kind            string      `json:"kind"`
	Amount          json.Number `json:"amount"`
	Placed          time.Time   `json:"placed"`
	Ends            time.Time   `json:"ends"`
}

// Actor is who has done something.
type Actor struct {
	Kind string `json:"kind"`         // key, operator, token, processor, job or load
	ID   int    `json:"id,omitempty"` // of an operator or a token
	Name string `json:"name"`

	// KeyName is what operators call a key whose name is its user name.
	KeyName string `json:"keyName,omitempty"`
}

// Entry is an entry of the audit log. Sequence is 0 until it is sealed.
type Entry struct {
	ID         int             `json:"id"`
	Sequence   int             `json:"sequence,omitempty"`
	At         time.Time       `json:"at"`
	Actor      Actor           `json:"actor"`
	Address    string          `json:"address,omitempty"`
	RequestID  string          `json:"requestId,omitempty"`
	Act        string          `json:"act"`
	Subject    string          `json:"subject,omitempty"` // such as card:5001
	ProgramID  int             `json:"programId,omitempty"`
	BankID     int             `json:"bankId,omitempty"`
	CustomerID int             `json:"customerId,omitempty"` // in whose name a caller acted
	Outcome    string          `json:"outcome"`
	Reason     string          `json:"reason,omitempty"`
	Before     json.RawMessage `json:"before,omitempty"`
	After      json.RawMessage `json:"after,omitempty"`
}

// Proof shows that an entry is in the sealed log.
type Proof struct {
	Entry      json.RawMessage `json:"entry"`
	Index      int             `json:"index"`
	Size       int             `json:"size"`
	Hashes     []string        `json:"hashes"`
	Checkpoint string          `json:"checkpoint"`
}

// Operator is a person who may sign in. Link is where a new one sets password and second factor; it
// works once, and is shown once.
type Operator struct {
	ID         int        `json:"id"`
	Revision   int        `json:"revision"`
	Name       string     `json:"name"`
	Roles      []string   `json:"roles"`
	AllBanks   bool       `json:"allBanks"`
	Banks      []int      `json:"banks,omitempty"`
	SignsInBy  string     `json:"signsInBy"` // password, openid or nothing yet
	State      string     `json:"state"`     // invited, active, ended or withdrawn
	LastSignIn *time.Time `json:"lastSignIn,omitempty"`
	Created    time.Time  `json:"created"`

	Link string `json:"link,omitempty"`
}

// Token is what a program signs in with. Its text is shown once.
type Token struct {
	ID       int        `json:"id"`
	Revision int        `json:"revision"`
	Name     string     `json:"name"`
	Roles    []string   `json:"roles"`
	AllBanks bool       `json:"allBanks"`
	Banks    []int      `json:"banks,omitempty"`
	Owner    *Actor     `json:"owner,omitempty"` // a person, or load for the machine
	State    string     `json:"state"`           // active, expired, revoked or ended with its owner
	Created  time.Time  `json:"created"`
	Expires  *time.Time `json:"expires,omitempty"`
	LastUsed *time.Time `json:"lastUsed,omitempty"`

	Token string `json:"token,omitempty"`
}

// NewOperator makes an operator, who sets a password behind the link of the answer.
type NewOperator struct {
	Name     string   `json:"name"`
	Roles    []string `json:"roles"`
	AllBanks bool     `json:"allBanks,omitempty"`
	Banks    []int    `json:"banks,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// NewToken makes a token. Its text is in the answer, and nowhere else.
type NewToken struct {
	Name     string     `json:"name"`
	Roles    []string   `json:"roles"`
	AllBanks bool       `json:"allBanks,omitempty"`
	Banks    []int      `json:"banks,omitempty"`
	Expires  *time.Time `json:"expires,omitempty"`
	Reason   string     `json:"reason,omitempty"`
}

// OperatorAct ends an operator, makes another link for one, or revokes a token.
type OperatorAct struct {
	Reason string `json:"reason,omitempty"`
}

// Approval is an act that another operator has to confirm.
type Approval struct {
	ID        int             `json:"id"`
	Revision  int             `json:"revision"`
	State     string          `json:"state"` // waiting, done, rejected, withdrawn or lapsed
	Act       string          `json:"act"`   // in words
	Method    string          `json:"method"`
	Path      string          `json:"path"`
	Body      json.RawMessage `json:"body,omitempty"`    // without secrets
	IfMatch   int             `json:"ifMatch,omitempty"` // revision that the request demands
	Subject   string          `json:"subject,omitempty"`
	ProgramID int             `json:"programId,omitempty"`
	BankID    int             `json:"bankId,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	AskedBy   string          `json:"askedBy"`   // the name
	Requester Actor           `json:"requester"` // who asked
	Asked     time.Time       `json:"asked"`
	Lapses    time.Time       `json:"lapses"`
	EndedBy   string          `json:"endedBy,omitempty"` // the name
	Decider   *Actor          `json:"decider,omitempty"` // who approved, rejected or withdrew
	Ended     *time.Time      `json:"ended,omitempty"`
	Why       string          `json:"why,omitempty"` // of who ended it
	Mine      bool            `json:"mine"`          // asked by who reads it
	MayEnd    bool            `json:"mayEnd"`        // by who reads it
	HasResult bool            `json:"hasResult"`     // to be read once

	ResultStatus int    `json:"resultStatus,omitempty"` // HTTP status of the answer to the act
	Refusal      string `json:"refusal,omitempty"`      // why a rule refused the approved act
}

// EndApproval approves, rejects or withdraws an act.
type EndApproval struct {
	Reason string `json:"reason,omitempty"`
}

// Overview is the state of what an operator may see, at a glance.
type Overview struct {
	Cards    []Count      `json:"cards"`  // by status
	Locked   int          `json:"locked"` // cards
	Acts     []Count      `json:"acts"`   // of the last 24 hours, by hour
	Refused  int          `json:"refused"`
	Actors   []ActorCount `json:"actors,omitempty"`
	Orders   []Count      `json:"orders"` // by state
	Oldest   *time.Time   `json:"oldestOrder,omitempty"`
	Webhooks int          `json:"webhooks"`
	Failing  int          `json:"failingWebhooks"`
	Expiring int          `json:"expiringKeys"` // within 30 days
	Asked    int          `json:"approvalsWaiting"`

	SealingLagSeconds float64   `json:"sealingLagSeconds"`
	Sealed            int       `json:"sealed"` // entries
	Jobs              []Job     `json:"jobs,omitempty"`
	At                time.Time `json:"at"`

	Attention []Attention `json:"attention,omitempty"` // what is wrong now, the most urgent first
	Setup     []Step      `json:"setup,omitempty"`     // before the first card
}

// ActorCount is how much one kind of actor has done.
type ActorCount struct {
	Kind    string `json:"kind"` // key, operator, token, processor, job or load
	Acts    int    `json:"acts"`
	Refused int    `json:"refused"` // of them
}

// Chart are counts by the hour.
type Chart struct {
	Name   string        `json:"name"`
	From   time.Time     `json:"from"` // the beginning of the first hour
	Series []ChartSeries `json:"series"`
}

// ChartSeries are the counts of one kind.
type ChartSeries struct {
	Name   string `json:"name"`
	Total  int    `json:"total"`  // of what is measured, such as a queue: the greatest
	Counts []int  `json:"counts"` // of each hour, the running one last
}

// Step is something that an installation needs before its first card.
type Step struct {
	// bank, encryptionKey, program, bin, key, processor or secondOperator
	Name string `json:"name"`
	Done bool   `json:"done"`
}

// Attention is one thing that operators have to look at.
type Attention struct {
	Kind      string     `json:"kind"` // openLocks, processor, program, webhook, failedOrders, unreachedOrders, compromise, reconciliation, declines, job, backup, approval or key
	ID        string     `json:"id,omitempty"`
	Name      string     `json:"name,omitempty"` // of an approval: who asks for it
	ProgramID int        `json:"programId,omitempty"`
	Since     *time.Time `json:"since,omitempty"`
	Until     *time.Time `json:"until,omitempty"`  // when the key ends, or the approval lapses
	Count     int        `json:"count,omitempty"`  // of orders, events, cards, declines or differences
	Detail    string     `json:"detail,omitempty"` // the last answer, the error, the act
}

// Count is how many there are of something.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}
