package admin

import (
	"encoding/json"
	"time"
)

// Customer is a person whom the bank knows. The birth date is write-only.
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
	BirthDate    string   `json:"birthDate,omitempty"`    // a calendar date, write-only
}

// NewCustomer creates a customer under the number that the bank assigned. IsActive defaults to
// true.
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

// Address is the residence or mailing address of a customer.
type Address struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city"`
	Region     string `json:"region,omitempty"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
}

// Account is an account of a customer. Its account number is write-only and returned masked.
type Account struct {
	ID               int         `json:"id"`
	Revision         int         `json:"revision"`
	ProgramID        int         `json:"programId"`
	CustomerID       int         `json:"customerId"`
	Type             string      `json:"type"`
	Status           string      `json:"status"`
	Name             string      `json:"name,omitempty"`
	Tag              string      `json:"tag,omitempty"` // the caller's own key for the account
	NumberMasked     string      `json:"numberMasked"`
	AccountNumber    string      `json:"accountNumber,omitempty"` // write-only
	AccountBalance   json.Number `json:"accountBalance"`
	AvailableBalance json.Number `json:"availableBalance"`
	PendingBalance   json.Number `json:"pendingBalance"`
	Held             json.Number `json:"held"`
}

// NewAccount creates an account of a customer under the number that the bank assigned. Balances
// default to 0, the available balance to AccountBalance.
type NewAccount struct {
	ID               int         `json:"id"`
	ProgramID        int         `json:"programId"`
	CustomerID       int         `json:"customerId"`
	Type             string      `json:"type"`
	Status           string      `json:"status"`
	Name             string      `json:"name"`
	Tag              string      `json:"tag,omitempty"`
	AccountNumber    string      `json:"accountNumber"` // stored masked
	AccountBalance   json.Number `json:"accountBalance,omitempty"`
	AvailableBalance json.Number `json:"availableBalance,omitempty"`
	PendingBalance   json.Number `json:"pendingBalance,omitempty"`
	Reason           string      `json:"reason,omitempty"`
}

// Access is a customer's access to an account of another customer.
type Access struct {
	AccountID  int    `json:"accountId"`
	CustomerID int    `json:"customerId"`
	Revision   int    `json:"revision"`
	Access     string `json:"access"` // FULL, RDONLY or NONE
}

// Card is a card as it appears in lists.
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

// CardDetail is a card with its dates, accounts, holds, open orders and acts.
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

	// CustomerObstacle says why every transfer is declined because of the creator or the holder.
	CustomerObstacle string `json:"customerObstacle,omitempty"`

	Lock     *Lock         `json:"lock,omitempty"`
	Accounts []CardAccount `json:"accounts"`
	Holds    []Hold        `json:"holds"`
	Orders   []Order       `json:"orders"` // waiting, sent, held or failed
	Acts     []CardAct     `json:"acts"`
}

// CardLink identifies the card that replaces another, or the one that was replaced.
type CardLink struct {
	CardID int `json:"cardId"`
}

// Lock records who locked a card, when and why.
type Lock struct {
	TypeCode       string     `json:"lockTypeCode"`
	ReasonTypeCode string     `json:"lockReasonTypeCode"`
	Permanent      bool       `json:"permanent"`
	At             *time.Time `json:"at,omitempty"`
	By             *Actor     `json:"by,omitempty"`
	Reason         string     `json:"reason,omitempty"`
}

// CardAct is an act that operators can perform on a card, and why it is not possible now.
type CardAct struct {
	Name       string `json:"name"` // lock, unlock, reissue or archive
	Possible   bool   `json:"possible"`
	Why        string `json:"why,omitempty"`  // a sentence
	Code       int    `json:"code,omitempty"` // of the catalogue, as a caller would get it
	NeedsOther bool   `json:"needsOther"`     // another operator must approve it
}

// CardAccount is an account of the card, with its priority among those of its type.
type CardAccount struct {
	Account
	Priority int  `json:"priority"` // 1 to 4 within its type
	Primary  bool `json:"primary"`
}

// Hold is an amount that an authorization reserves.
type Hold struct {
	ID              string      `json:"id"`
	AuthorizationID string      `json:"authorizationId"`
	AccountID       int         `json:"accountId"`
	Kind            string      `json:"kind"`
	Amount          json.Number `json:"amount"`
	Placed          time.Time   `json:"placed"`
	Ends            time.Time   `json:"ends"`
}

// Actor identifies who performed an act.
type Actor struct {
	Kind string `json:"kind"`         // key, operator, token, processor, job or load
	ID   int    `json:"id,omitempty"` // of an operator or a token
	Name string `json:"name"`

	// KeyName is the operators' name for a key, whose Name is its user name.
	KeyName string `json:"keyName,omitempty"`
}

// Entry is an entry of the audit log. Sequence is 0 until the entry is sealed.
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
	CustomerID int             `json:"customerId,omitempty"` // on whose behalf a caller acted
	Outcome    string          `json:"outcome"`
	Reason     string          `json:"reason,omitempty"`
	Before     json.RawMessage `json:"before,omitempty"`
	After      json.RawMessage `json:"after,omitempty"`
}

// Proof proves that an entry is in the sealed log.
type Proof struct {
	Entry      json.RawMessage `json:"entry"`
	Index      int             `json:"index"`
	Size       int             `json:"size"`
	Hashes     []string        `json:"hashes"`
	Checkpoint string          `json:"checkpoint"`
}

// Operator is a person who may sign in. Link is the address where a new operator sets password and
// second factor; it works once, and is shown once.
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

// Token is a bearer token with which software signs in. Its text is shown once.
type Token struct {
	ID       int        `json:"id"`
	Revision int        `json:"revision"`
	Name     string     `json:"name"`
	Roles    []string   `json:"roles"`
	AllBanks bool       `json:"allBanks"`
	Banks    []int      `json:"banks,omitempty"`
	Owner    *Actor     `json:"owner,omitempty"` // a person, or load for the machine itself
	State    string     `json:"state"`           // active, expired, revoked or ended with its owner
	Created  time.Time  `json:"created"`
	Expires  *time.Time `json:"expires,omitempty"`
	LastUsed *time.Time `json:"lastUsed,omitempty"`

	Token string `json:"token,omitempty"`
}

// NewOperator creates an operator, who sets a password at the link in the response.
type NewOperator struct {
	Name     string   `json:"name"`
	Roles    []string `json:"roles"`
	AllBanks bool     `json:"allBanks,omitempty"`
	Banks    []int    `json:"banks,omitempty"`
	Reason   string   `json:"reason,omitempty"`
}

// NewToken creates a token. Only the response contains its text.
type NewToken struct {
	Name     string     `json:"name"`
	Roles    []string   `json:"roles"`
	AllBanks bool       `json:"allBanks,omitempty"`
	Banks    []int      `json:"banks,omitempty"`
	Expires  *time.Time `json:"expires,omitempty"`
	Reason   string     `json:"reason,omitempty"`
}

// OperatorAct ends an operator, creates a new link for one, or revokes a token.
type OperatorAct struct {
	Reason string `json:"reason,omitempty"`
}

// Approval is an act that another operator must approve.
type Approval struct {
	ID        int             `json:"id"`
	Revision  int             `json:"revision"`
	State     string          `json:"state"` // waiting, done, rejected, withdrawn or lapsed
	Act       string          `json:"act"`   // in words
	Method    string          `json:"method"`
	Path      string          `json:"path"`
	Body      json.RawMessage `json:"body,omitempty"`    // without secrets
	IfMatch   int             `json:"ifMatch,omitempty"` // revision that the request requires
	Subject   string          `json:"subject,omitempty"`
	ProgramID int             `json:"programId,omitempty"`
	BankID    int             `json:"bankId,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	AskedBy   string          `json:"askedBy"` // name of the requester
	Requester Actor           `json:"requester"`
	Asked     time.Time       `json:"asked"`
	Lapses    time.Time       `json:"lapses"`
	EndedBy   string          `json:"endedBy,omitempty"` // name of the decider
	Decider   *Actor          `json:"decider,omitempty"` // who approved, rejected or withdrew
	Ended     *time.Time      `json:"ended,omitempty"`
	Why       string          `json:"why,omitempty"` // reason of the decider
	Mine      bool            `json:"mine"`          // requested by the reader
	MayEnd    bool            `json:"mayEnd"`        // the reader may end it
	HasResult bool            `json:"hasResult"`     // there is a result, which can be read once

	ResultStatus int    `json:"resultStatus,omitempty"` // HTTP status of the response to the act
	Refusal      string `json:"refusal,omitempty"`      // why a rule rejected the approved act
}

// EndApproval approves, rejects or withdraws an act.
type EndApproval struct {
	Reason string `json:"reason,omitempty"`
}

// Overview sums up the state of the programs in an operator's scope.
type Overview struct {
	Cards    []Count      `json:"cards"`  // by status
	Locked   int          `json:"locked"` // cards
	Acts     []Count      `json:"acts"`   // in the last 24 hours, by hour
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

	Attention []Attention `json:"attention,omitempty"` // current problems, most urgent first
	Setup     []Step      `json:"setup,omitempty"`     // only before the first card
}

// ActorCount counts the acts of one kind of actor.
type ActorCount struct {
	Kind    string `json:"kind"` // key, operator, token, processor, job or load
	Acts    int    `json:"acts"`
	Refused int    `json:"refused"` // of them
}

// Chart holds counts by hour.
type Chart struct {
	Name   string        `json:"name"`
	From   time.Time     `json:"from"` // the beginning of the first hour
	Series []ChartSeries `json:"series"`
}

// ChartSeries holds the counts of one kind.
type ChartSeries struct {
	Name   string `json:"name"`
	Total  int    `json:"total"`  // of a measured value, such as a queue: the maximum
	Counts []int  `json:"counts"` // per hour; the current hour is last
}

// Step is a step of the set-up before the first card.
type Step struct {
	// bank, encryptionKey, program, bin, key, processor or secondOperator
	Name string `json:"name"`
	Done bool   `json:"done"`
}

// Attention is a problem that operators should look into.
type Attention struct {
	Kind      string     `json:"kind"` // openLocks, processor, program, webhook, failedOrders, unreachedOrders, compromise, reconciliation, declines, job, backup, approval or key
	ID        string     `json:"id,omitempty"`
	Name      string     `json:"name,omitempty"` // of an approval: the requester
	ProgramID int        `json:"programId,omitempty"`
	Since     *time.Time `json:"since,omitempty"`
	Until     *time.Time `json:"until,omitempty"`  // when the key ends, or the approval lapses
	Count     int        `json:"count,omitempty"`  // of orders, events, cards, declines or differences
	Detail    string     `json:"detail,omitempty"` // the latest response, the error or the act
}

// Count is the number of things with a name.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}
