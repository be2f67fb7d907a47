package api

import (
	"time"

	"mintmark/internal/issuing"
	"mintmark/internal/value"
)

// Card is the card object of section 2.5. Properties without a value are absent.
type Card struct {
	CardID               int    `json:"cardId"`
	CustomerID           int    `json:"customerId"`
	CardHolderCustomerID int    `json:"cardHolderCustomerId"`
	TypeCode             string `json:"typeCode"`
	VendorTypeCode       string `json:"vendorTypeCode"`
	Status               string `json:"status"`
	CardNumberMasked     string `json:"cardNumberMasked"`
	Tag                  string `json:"tag,omitempty"`
	FirstName            string `json:"firstName"`
	MiddleName           string `json:"middleName,omitempty"`
	LastName             string `json:"lastName"`
	NameOnCard           string `json:"nameOnCard"`
	NickName             string `json:"nickName"`
	ExpireMonth          int    `json:"expireMonth"`
	ExpireYear           int    `json:"expireYear"`
	PrimaryAccountID     int    `json:"primaryAccountId"`
	LockTypeCode         string `json:"lockTypeCode"`
	LockReasonTypeCode   string `json:"lockReasonTypeCode"`

	CreatedDate      value.Time `json:"createdDate"`
	RequestedDate    value.Time `json:"requestedDate,omitzero"`
	VerifiedDate     value.Time `json:"verifiedDate,omitzero"`
	ReissuedDate     value.Time `json:"reissuedDate,omitzero"`
	DeniedDate       value.Time `json:"deniedDate,omitzero"`
	ExpiredDate      value.Time `json:"expiredDate,omitzero"`
	ArchivedDate     value.Time `json:"archivedDate,omitzero"`
	LastModifiedDate value.Time `json:"lastModifiedDate"`

	Accounts      []Account  `json:"accounts"`
	QualifierCode string     `json:"qualifierCode,omitempty"`
	BinID         int        `json:"binId"`
	IsDigitalOnly bool       `json:"isDigitalOnly"`
	Limits        []struct{} `json:"limits"`
}

// Account is the partial account object of section 2.6. The answer of /card/addAccount names the
// priority cardPriority and carries three properties more.
type Account struct {
	AccountID           int          `json:"accountId"`
	AccountNumberMasked string       `json:"accountNumberMasked"`
	AccountBalance      value.Amount `json:"accountBalance"`
	AvailableBalance    value.Amount `json:"availableBalance"`
	PendingBalance      value.Amount `json:"pendingBalance"`
	Name                string       `json:"name"`
	Status              string       `json:"status"`
	Tag                 string       `json:"tag,omitempty"`
	Type                string       `json:"type"`
	Priority            int          `json:"priority,omitempty"`
	CardPriority        int          `json:"cardPriority,omitempty"`

	CustomerID              int        `json:"customerId,omitempty"`
	BalanceLastModifiedDate value.Time `json:"balanceLastModifiedDate,omitzero"`
	LastModifiedDate        value.Time `json:"lastModifiedDate,omitzero"`
}

// showCard writes a card as every operation but one answers it.
func showCard(c issuing.CardDetail) any { return newCard(c, newAccount) }

// showStored writes a card like showCard, unless that was done before.
func showStored(c issuing.CardDetail) any {
	const ordinary = 1 << 10 // most cards fit
	return written(newCard(c, newAccount).appendJSON(make([]byte, 0, ordinary)))
}

// showCardAdded writes a card as /card/addAccount answers it.
func showCardAdded(c issuing.CardDetail) any { return newCard(c, newAccountAdded) }

func showCards(list *issuing.CardList) any { return cards{list} }

func newCard(
	c issuing.CardDetail, account func(issuing.CardDetail, issuing.AccountDetail) Account,
) *Card {
	shown := &Card{
		CardID: c.ID, CustomerID: c.CustomerID, CardHolderCustomerID: c.HolderID,
		TypeCode: c.Type, VendorTypeCode: c.Vendor,
		Status: string(c.Status), CardNumberMasked: c.NumberMasked, Tag: c.Tag,
		FirstName: c.Name.First, MiddleName: c.Name.Middle, LastName: c.Name.Last,
		NameOnCard: c.Name.OnCard(), NickName: c.NickName,
		ExpireMonth: c.ExpireMonth, ExpireYear: c.ExpireYear,
		PrimaryAccountID: c.PrimaryAccount(),
		LockTypeCode:     string(c.Lock.Type), LockReasonTypeCode: string(c.Lock.Reason),
		CreatedDate:   date(c.Created, c.Zone),
		RequestedDate: date(c.Requested, c.Zone), VerifiedDate: date(c.Verified, c.Zone),
		ReissuedDate: date(c.Reissued, c.Zone), DeniedDate: date(c.Denied, c.Zone),
		ExpiredDate: date(c.Expired, c.Zone), ArchivedDate: date(c.Archived, c.Zone),
		LastModifiedDate: date(c.Modified, c.Zone),
		Accounts:         make([]Account, 0, len(c.Accounts)),
		QualifierCode:    c.Qualifier, BinID: c.BinID, IsDigitalOnly: c.DigitalOnly,
		Limits: []struct{}{},
	}
	for _, a := range c.Accounts {
		shown.Accounts = append(shown.Accounts, account(c, a))
	}
	return shown
}

func newAccount(c issuing.CardDetail, a issuing.AccountDetail) Account {
	shown := Account{
		AccountID: a.ID, AccountNumberMasked: a.NumberMasked,
		AccountBalance:   a.Balance.Fixed(c.Decimals),
		AvailableBalance: a.AvailableBalance.Fixed(c.Decimals),
		PendingBalance:   a.PendingBalance.Fixed(c.Decimals),
		Name:             a.Name, Status: string(a.Status), Tag: a.Tag, Type: string(a.Type),
		Priority: a.Priority,
	}
	if c.ForEarlierClients {
		shown.CardPriority = a.Priority
	}
	return shown
}

func newAccountAdded(c issuing.CardDetail, a issuing.AccountDetail) Account {
	shown := newAccount(c, a)
	shown.CardPriority = a.Priority
	if !c.ForEarlierClients {
		shown.Priority = 0
	}
	shown.CustomerID = a.CustomerID
	shown.BalanceLastModifiedDate = date(a.BalanceModified, c.Zone)
	shown.LastModifiedDate = date(a.Modified, c.Zone)
	return shown
}

// date returns a date-time in the program's zone, none when there is none.
func date(at time.Time, zone *time.Location) value.Time {
	if at.IsZero() {
		return value.Time{}
	}
	return value.Time{Time: at.In(zone)}
}
