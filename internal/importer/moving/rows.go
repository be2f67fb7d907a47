package moving

import (
	"net/netip"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/program"
	"mintmark/internal/domain/subscription"
)

// The rows of the file. Most are a record of the domain with its member names in the file, and are
// converted from it: a record with a new member does not compile until the format has it, too.
// Values that differ between installations, such as revisions, are left out, and the program id is
// in the first line.
type (
	bankRow struct {
		ID       int    `json:"bankId"`
		Name     string `json:"name"`
		Revision int    `json:"-"`
	}
	encryptionKeyRow struct {
		ID        int                  `json:"pciKeyId"`
		BankID    int                  `json:"bankId"`
		Status    program.PciKeyStatus `json:"status"`
		ActiveKey int                  `json:"-"`
		Revision  int                  `json:"-"`
	}
	documentRow struct {
		ID        int          `json:"documentId"`
		BankID    int          `json:"bankId"`
		Culture   string       `json:"culture"`
		Type      bankdoc.Type `json:"documentType"`
		Title     string       `json:"title"`
		HTML      string       `json:"html,omitempty"`
		PDF       []byte       `json:"pdf,omitempty"`
		HasPDF    bool         `json:"-"`
		Effective time.Time    `json:"effectiveDate"`
		Expires   time.Time    `json:"expirationDate,omitzero"`
		Published time.Time    `json:"publishedDate,omitzero"`
		Revision  int          `json:"-"`
	}
	programRow struct {
		BankID                 int              `json:"bankId"`
		VerificationWindowDays int              `json:"verificationWindowDays"`
		Renewal                program.Renewal  `json:"renewal,omitempty"`
		Balances               program.Balances `json:"balances,omitempty"`
		FourEyes               bool             `json:"fourEyes"`
		Currency               string           `json:"currency,omitempty"`
		Settings               program.Settings `json:"settings"`
	}
	binRow struct {
		ID          int    `json:"binId"`
		ProgramID   int    `json:"-"`
		Vendor      string `json:"vendorTypeCode"`
		Description string `json:"description,omitempty"`
		IsActive    bool   `json:"isActive"`
		FirstBody   string `json:"firstBody"`
		LastBody    string `json:"lastBody"`
		ValidMonths int    `json:"validMonths"`
		Revision    int    `json:"-"`
	}
	keyRow struct {
		Name          string                 `json:"name"`
		Label         string                 `json:"label,omitempty"`
		ProgramID     int                    `json:"-"`
		Version       int                    `json:"version"`
		Secrets       []apikey.Secret        `json:"-"`
		Allow         []netip.Prefix         `json:"allow"`
		PerSecond     float64                `json:"perSecond"`
		Burst         int                    `json:"burst"`
		Compatibility []apikey.Compatibility `json:"compatibility,omitempty"`
		Revoked       time.Time              `json:"revokedDate,omitzero"`
		Revision      int                    `json:"-"`
	}
	webhookRow struct {
		Name    string       `json:"name"`
		URL     string       `json:"url"`
		Types   event.Filter `json:"types,omitempty"`
		Secrets []string     `json:"secrets"`
		Paused  bool         `json:"paused"`
		Because string       `json:"pausedBecause,omitempty"`
		Created time.Time    `json:"createdDate"`
	}
	customerRow struct {
		ID          int                 `json:"customerId"`
		Status      customer.Status     `json:"status"`
		Access      customer.AccessType `json:"access"`
		IsActive    bool                `json:"isActive"`
		IsLocked    bool                `json:"isLocked"`
		Birth       time.Time           `json:"birthDate,omitzero"`
		Deceased    time.Time           `json:"deceasedDate,omitzero"`
		FirstName   string              `json:"firstName"`
		LastName    string              `json:"lastName"`
		MobilePhone string              `json:"mobilePhone,omitempty"`
		HomePhone   string              `json:"homePhone,omitempty"`
		Mailing     customer.Address    `json:"mailing"`
		Residence   customer.Address    `json:"residence"`
	}
	accountRow struct {
		ID               int                    `json:"accountId"`
		ProgramID        int                    `json:"-"`
		CustomerID       int                    `json:"customerId"`
		Type             customer.AccountType   `json:"type"`
		Status           customer.AccountStatus `json:"status"`
		Name             string                 `json:"name"`
		Tag              string                 `json:"tag,omitempty"`
		NumberMasked     string                 `json:"numberMasked"`
		Balance          value.Amount           `json:"accountBalance"`
		AvailableBalance value.Amount           `json:"availableBalance"`
		PendingBalance   value.Amount           `json:"pendingBalance"`
		Held             value.Amount           `json:"held"`
		BalanceModified  time.Time              `json:"balanceModifiedDate,omitzero"`
		Modified         time.Time              `json:"modifiedDate,omitzero"`
		Revision         int                    `json:"-"`
	}
	accessRow struct {
		CustomerID int                    `json:"customerId"`
		AccountID  int                    `json:"accountId"`
		Type       customer.AccountAccess `json:"access"`
		Revision   int                    `json:"-"`
	}
	cardRow struct {
		ID         int         `json:"cardId"`
		ProgramID  int         `json:"-"`
		CustomerID int         `json:"customerId"`
		HolderID   int         `json:"cardHolderCustomerId"`
		Type       string      `json:"typeCode"`
		Vendor     string      `json:"vendorTypeCode"`
		BinID      int         `json:"binId"`
		Status     card.Status `json:"status"`
		Lock       card.Lock   `json:"lock"`
		Tag        string      `json:"tag,omitempty"`
		NickName   string      `json:"nickName"`
		Name       card.Name   `json:"name"`
		card.Attributes
		LastFour        string        `json:"lastFour"`
		ExpireMonth     int           `json:"expireMonth"`
		ExpireYear      int           `json:"expireYear"`
		DigitalOnly     bool          `json:"isDigitalOnly"`
		Slots           card.Slots    `json:"accountIds"`
		PrimaryCategory card.Category `json:"primaryCategory"`
		Created         time.Time     `json:"createdDate"`
		Requested       time.Time     `json:"requestedDate,omitzero"`
		Shipped         time.Time     `json:"shippedDate,omitzero"`
		Verified        time.Time     `json:"verifiedDate,omitzero"`
		Reissued        time.Time     `json:"reissuedDate,omitzero"`
		Denied          time.Time     `json:"deniedDate,omitzero"`
		Expired         time.Time     `json:"expiredDate,omitzero"`
		Archived        time.Time     `json:"archivedDate,omitzero"`
		Modified        time.Time     `json:"modifiedDate"`
		Replaces        int           `json:"replaces,omitempty"`
		ReplacedBy      int           `json:"replacedBy,omitempty"`
		Orders          int           `json:"orders"`
		Revision        int           `json:"-"`
	}
	numberRow struct {
		CardID int    `json:"cardId"`
		BinID  int    `json:"binId"`
		Number string `json:"number"`
	}
	authorizationRow struct {
		ID       string                `json:"authorizationId"`
		Digest   []byte                `json:"requestDigest,omitempty"`
		Kind     authorization.Kind    `json:"kind"`
		Category card.Category         `json:"category,omitempty"`
		Amount   value.Amount          `json:"amount"`
		Reason   authorization.Reason  `json:"reason"`
		Account  int                   `json:"accountId"`
		Approved value.Amount          `json:"approved"`
		Customer int                   `json:"customerId"`
		CardID   int                   `json:"cardId"`
		Currency string                `json:"currency,omitempty"`
		At       time.Time             `json:"happenedDate,omitzero"`
		Decided  time.Time             `json:"decidedDate"`
		Details  authorization.Details `json:"details"`
		Root     string                `json:"incrementOf,omitempty"`
		Advised  *adviceRow            `json:"advice,omitempty"`
		Grown    value.Amount          `json:"grown"`
		Reversed value.Amount          `json:"reversed"`
		Posted   value.Amount          `json:"posted"`
	}
	adviceRow struct {
		Digest    []byte                `json:"digest"`
		By        authorization.Decider `json:"by"`
		Approved  bool                  `json:"approved"`
		Amount    value.Amount          `json:"amount"`
		WouldHave authorization.Reason  `json:"wouldHave"`
	}
	holdRow struct {
		ID              string               `json:"holdId"`
		AuthorizationID string               `json:"authorizationId"`
		ProgramID       int                  `json:"-"`
		CustomerID      int                  `json:"customerId"`
		CardID          int                  `json:"cardId"`
		AccountID       int                  `json:"accountId"`
		Kind            authorization.Kind   `json:"kind"`
		Amount          value.Amount         `json:"amount"`
		Day             authorization.Day    `json:"day"`
		Later           []authorization.Part `json:"later,omitempty"`
		Placed          time.Time            `json:"placedDate"`
		Ends            time.Time            `json:"endsDate"`
		authorization.Particulars
	}
	holdEndRow struct {
		HoldID          string             `json:"holdId"`
		ProgramID       int                `json:"-"`
		CardID          int                `json:"cardId"`
		AccountID       int                `json:"accountId"`
		Kind            authorization.Kind `json:"kind"`
		End             authorization.End  `json:"end"`
		PostingID       string             `json:"postingId,omitempty"`
		At              time.Time          `json:"endedDate"`
		Emptied         bool               `json:"emptied,omitempty"`
		AuthorizationID string             `json:"authorizationId,omitempty"`
	}
	usageRow struct {
		ProgramID  int                     `json:"-"`
		CustomerID int                     `json:"customerId"`
		Direction  authorization.Direction `json:"direction"`
		Day        authorization.Day       `json:"day"`
		OfDay      value.Amount            `json:"ofDay"`
		OfMonth    value.Amount            `json:"ofMonth"`
		Revision   int                     `json:"-"`
	}
	feedRow struct {
		ProgramID int       `json:"-"`
		Source    string    `json:"source"`
		Sequence  int       `json:"sequence"`
		Running   int       `json:"running"`
		Digest    string    `json:"sha256"`
		Line      int       `json:"line"`
		Report    []byte    `json:"report"`
		Changed   time.Time `json:"changedDate"`
		Revision  int       `json:"-"`
	}
)

// exact sets the number of digits of amounts to what they need: an amount from the store has none
// in JSON.
func exact(amounts ...*value.Amount) {
	for _, a := range amounts {
		*a = a.Fixed(a.Digits())
	}
}

func rowOfProgram(p program.Program) (programRow, error) {
	settings, err := p.Settings.Exact()
	return programRow{
		BankID: p.BankID, VerificationWindowDays: p.VerificationWindowDays, Renewal: p.Renewal,
		Balances: p.Balances, FourEyes: p.FourEyes, Currency: p.Currency, Settings: settings,
	}, err
}

func (r programRow) program(id int) program.Program {
	return program.Program{
		Issuing: program.Issuing{
			ID: id, BankID: r.BankID, VerificationWindowDays: r.VerificationWindowDays,
			Renewal: r.Renewal, Balances: r.Balances,
		},
		Settings: r.Settings, FourEyes: r.FourEyes, Currency: r.Currency,
	}
}

func rowOfCustomer(c customer.Customer) customerRow {
	return customerRow{
		ID: c.ID, Status: c.Status, Access: c.AccessType, IsActive: c.IsActive,
		IsLocked: c.IsLocked, Birth: c.Birth, Deceased: c.Deceased, FirstName: c.FirstName,
		LastName: c.LastName, MobilePhone: c.MobilePhone, HomePhone: c.HomePhone,
		Mailing: c.Mailing, Residence: c.Residence,
	}
}

func (r customerRow) customer(programID int) customer.Customer {
	return customer.Customer{
		Standing: customer.Standing{
			ID: r.ID, ProgramID: programID, Status: r.Status, AccessType: r.Access,
			IsActive: r.IsActive, IsLocked: r.IsLocked, Birth: r.Birth, Deceased: r.Deceased,
		},
		FirstName: r.FirstName, LastName: r.LastName, MobilePhone: r.MobilePhone,
		HomePhone: r.HomePhone, Mailing: r.Mailing, Residence: r.Residence,
	}
}

func rowOfAuthorization(a authorization.Authorization) authorizationRow {
	row := authorizationRow{
		ID: a.ID, Digest: a.Digest, Kind: a.Kind, Category: a.Category, Amount: a.Transfer.Amount,
		Reason: a.Reason, Account: a.AccountID, Approved: a.Decision.Amount,
		Customer: a.CustomerID, CardID: a.CardID, Currency: a.Currency, At: a.At,
		Decided: a.Decided, Details: a.Details, Root: a.Root, Grown: a.Grown,
		Reversed: a.Reversed, Posted: a.Posted,
	}
	exact(&row.Amount, &row.Approved, &row.Grown, &row.Reversed, &row.Posted)
	if a.Advice.By != "" {
		advised := adviceRow(a.Advice)
		exact(&advised.Amount)
		row.Advised = &advised
	}
	return row
}

func (r authorizationRow) authorization(programID int) authorization.Authorization {
	a := authorization.Authorization{
		ID: r.ID, Digest: r.Digest, ProgramID: programID, CustomerID: r.Customer,
		CardID: r.CardID, Currency: r.Currency, At: r.At, Decided: r.Decided, Details: r.Details,
		Transfer: authorization.Transfer{Kind: r.Kind, Category: r.Category, Amount: r.Amount},
		Decision: authorization.Decision{
			Reason: r.Reason, AccountID: r.Account, Amount: r.Approved,
		},
		Root: r.Root,
		Book: authorization.Book{Grown: r.Grown, Reversed: r.Reversed, Posted: r.Posted},
	}
	if r.Advised != nil {
		a.Advice = authorization.Advice(*r.Advised)
	}
	return a
}

func (r webhookRow) webhook(programID int) subscription.Webhook {
	return subscription.Webhook{
		ProgramID: programID, Name: r.Name, URL: r.URL, Types: r.Types, Paused: r.Paused,
		PausedBecause: r.Because, Created: r.Created,
	}
}
