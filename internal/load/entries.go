package load

import (
	"mintmark/internal/customer"
	"mintmark/internal/program"
	"mintmark/internal/value"
)

// The file as it is written. The names are those of the interface (sections 2.3 to 2.7) where it
// has any. A date without an offset is UTC.

// entries is the whole file.
type entries struct {
	Banks     []bankEntry     `json:"banks"`
	Programs  []programEntry  `json:"programs"`
	Bins      []binEntry      `json:"bins"`
	Keys      []keyEntry      `json:"keys"`
	Customers []customerEntry `json:"customers"`
	Accounts  []accountEntry  `json:"accounts"`
	Access    []accessEntry   `json:"access"`
	Documents []documentEntry `json:"documents"`
	Cards     []cardEntry     `json:"cards"`
}

type bankEntry struct {
	BankID  int           `json:"bankId"`
	Name    string        `json:"name"`
	PciKeys []pciKeyEntry `json:"pciKeys"`
}

type pciKeyEntry struct {
	PciKeyID int `json:"pciKeyId"`
	Status   int `json:"status"`
}

// programEntry holds the settings of section 2.3 beside what callers do not see.
type programEntry struct {
	ProgramID              int  `json:"programId"`
	BankID                 int  `json:"bankId"`
	VerificationWindowDays *int `json:"verificationWindowDays"`
	program.Settings
	Bins []binEntry `json:"bins"`
}

// binEntry names its program only where it does not stand inside one.
type binEntry struct {
	BinID          int    `json:"binId"`
	ProgramID      int    `json:"programId"`
	VendorTypeCode string `json:"vendorTypeCode"`
	Description    string `json:"description"`
	IsActive       bool   `json:"isActive"`
	FirstNumber    string `json:"firstNumber"`
	LastNumber     string `json:"lastNumber"`
	ValidMonths    *int   `json:"validMonths"`
}

type keyEntry struct {
	Name      string        `json:"name"`
	ProgramID int           `json:"programId"`
	Version   int           `json:"version"`
	State     string        `json:"state"` // active or revoked
	Secrets   []secretEntry `json:"secrets"`
	Allow     []string      `json:"allow"`
	PerSecond *float64      `json:"perSecond"`
	Burst     *int          `json:"burst"`

	Compatibility []string `json:"compatibility"`
}

type secretEntry struct {
	Secret  string     `json:"secret"`
	Expires value.Time `json:"expires"`
}

type customerEntry struct {
	CustomerID       int              `json:"customerId"`
	ProgramID        int              `json:"programId"`
	Status           string           `json:"status"`
	AccessType       string           `json:"accessType"`
	IsActive         *bool            `json:"isActive"`
	IsLocked         bool             `json:"isLocked"`
	DeceasedDate     value.Time       `json:"deceasedDate"`
	BirthDate        value.Time       `json:"birthDate"`
	FirstName        string           `json:"firstName"`
	LastName         string           `json:"lastName"`
	MobilePhone      string           `json:"mobilePhone"`
	HomePhone        string           `json:"homePhone"`
	MailingAddress   customer.Address `json:"mailingAddress"`
	ResidenceAddress customer.Address `json:"residenceAddress"`
}

type accountEntry struct {
	AccountID               int          `json:"accountId"`
	ProgramID               int          `json:"programId"`
	CustomerID              int          `json:"customerId"`
	Type                    string       `json:"type"`
	Status                  string       `json:"status"`
	Name                    string       `json:"name"`
	Tag                     string       `json:"tag"`
	AccountNumber           string       `json:"accountNumber"`
	AccountBalance          value.Amount `json:"accountBalance"`
	AvailableBalance        value.Amount `json:"availableBalance"`
	PendingBalance          value.Amount `json:"pendingBalance"`
	BalanceLastModifiedDate value.Time   `json:"balanceLastModifiedDate"`
	LastModifiedDate        value.Time   `json:"lastModifiedDate"`
}

type accessEntry struct {
	ProgramID  int    `json:"programId"`
	CustomerID int    `json:"customerId"`
	AccountID  int    `json:"accountId"`
	Type       string `json:"type"`
}

// documentEntry names its forms as files beside the file that is read.
type documentEntry struct {
	DocumentID    int        `json:"documentId"`
	BankID        int        `json:"bankId"`
	Culture       string     `json:"culture"`
	DocumentType  string     `json:"documentType"`
	Title         string     `json:"title"`
	EffectiveDate value.Time `json:"effectiveDate"`
	ExpireDate    value.Time `json:"expireDate"`
	HTML          string     `json:"html"`
	PDF           string     `json:"pdf"`
}

// cardEntry has no number: one is drawn. The first of its accounts is the primary one, and each
// category takes its slots in the order of the list.
type cardEntry struct {
	CardID             int        `json:"cardId"`
	ProgramID          int        `json:"programId"`
	CustomerID         int        `json:"customerId"`
	HolderID           int        `json:"cardHolderCustomerId"`
	BinID              int        `json:"binId"`
	TypeCode           string     `json:"typeCode"`
	Status             string     `json:"status"`
	LockTypeCode       string     `json:"lockTypeCode"`
	LockReasonTypeCode string     `json:"lockReasonTypeCode"`
	Tag                string     `json:"tag"`
	NickName           string     `json:"nickName"`
	FirstName          string     `json:"firstName"`
	MiddleName         string     `json:"middleName"`
	LastName           string     `json:"lastName"`
	QualifierCode      string     `json:"qualifierCode"`
	IsDigitalOnly      bool       `json:"isDigitalOnly"`
	AccountIDs         []int      `json:"accountIds"`
	CreatedDate        value.Time `json:"createdDate"`
	RequestedDate      value.Time `json:"requestedDate"`
	VerifiedDate       value.Time `json:"verifiedDate"`
	ReissuedDate       value.Time `json:"reissuedDate"`
	DeniedDate         value.Time `json:"deniedDate"`
	ExpiredDate        value.Time `json:"expiredDate"`
	ArchivedDate       value.Time `json:"archivedDate"`
}
