package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/shopspring/decimal"
)

// Card is the card object, interface §5.1. A member that the response omits is zero; times keep the
// offset of the program's time zone.
type Card struct {
	CardID               int    `json:"cardId"`
	CustomerID           int    `json:"customerId"`
	CardHolderCustomerID int    `json:"cardHolderCustomerId"`
	TypeCode             string `json:"typeCode"`
	VendorTypeCode       string `json:"vendorTypeCode"`
	Status               string `json:"status"`
	CardNumberMasked     string `json:"cardNumberMasked"`
	Tag                  string `json:"tag,omitzero"`
	FirstName            string `json:"firstName,omitzero"`
	MiddleName           string `json:"middleName,omitzero"`
	LastName             string `json:"lastName,omitzero"`
	NameOnCard           string `json:"nameOnCard,omitzero"`
	NickName             string `json:"nickName,omitzero"`
	ExpireMonth          int    `json:"expireMonth,omitzero"`
	ExpireYear           int    `json:"expireYear,omitzero"`
	PrimaryAccountID     int    `json:"primaryAccountId,omitzero"`
	// The two lock codes are set from lockType and lockReasonType if the response has those names.
	LockTypeCode       string    `json:"lockTypeCode"`
	LockReasonTypeCode string    `json:"lockReasonTypeCode,omitzero"`
	CreatedDate        time.Time `json:"createdDate,omitzero"`
	RequestedDate      time.Time `json:"requestedDate,omitzero"`
	VerifiedDate       time.Time `json:"verifiedDate,omitzero"`
	ReissuedDate       time.Time `json:"reissuedDate,omitzero"`
	DeniedDate         time.Time `json:"deniedDate,omitzero"`
	ExpiredDate        time.Time `json:"expiredDate,omitzero"`
	ArchivedDate       time.Time `json:"archivedDate,omitzero"`
	LastModifiedDate   time.Time `json:"lastModifiedDate,omitzero"`
	Accounts           []Account `json:"accounts"`
	QualifierCode      string    `json:"qualifierCode,omitzero"`
	BinID              int       `json:"binId,omitzero"`
	IsDigitalOnly      bool      `json:"isDigitalOnly"`
	// The interface does not define the elements of these two, so they stay raw.
	DigitalWalletTokens []json.RawMessage `json:"digitalWalletTokens,omitzero"`
	Limits              []json.RawMessage `json:"limits"`
}

// Account is an account on a card, interface §5.3. Balances are exact.
type Account struct {
	AccountID           int             `json:"accountId"`
	AccountNumberMasked string          `json:"accountNumberMasked"`
	AccountBalance      decimal.Decimal `json:"accountBalance"`
	AvailableBalance    decimal.Decimal `json:"availableBalance"`
	PendingBalance      decimal.Decimal `json:"pendingBalance"`
	Name                string          `json:"name,omitzero"`
	Status              string          `json:"status"`
	Tag                 string          `json:"tag,omitzero"`
	Type                string          `json:"type"`
	// Priority is the account's slot, 1 to 4. A response names it priority or cardPriority, or both
	// for a key that is compatible with earlier clients.
	Priority int `json:"priority"`
	// Only the response of CardAddAccount has the members below.
	CustomerID              int       `json:"customerId,omitzero"`
	BalanceLastModifiedDate time.Time `json:"balanceLastModifiedDate,omitzero"`
	LastModifiedDate        time.Time `json:"lastModifiedDate,omitzero"`
}

// CardInitiateRequest orders a new card. Like every request, it omits members that are zero, so
// that the service reports what is missing.
type CardInitiateRequest struct {
	CustomerID int `json:"customerId,omitzero"`
	// CardHolderCustomerID may be omitted only by keys that are compatible with earlier clients.
	CardHolderCustomerID int    `json:"cardHolderCustomerId,omitzero"`
	VendorTypeCode       string `json:"vendorTypeCode,omitzero"`
	TypeCode             string `json:"typeCode,omitzero"`
	PrimaryAccountID     int    `json:"primaryAccountId,omitzero"`
	FirstName            string `json:"firstName,omitzero"`
	MiddleName           string `json:"middleName,omitzero"`
	LastName             string `json:"lastName,omitzero"`
	NickName             string `json:"nickName,omitzero"`
	Tag                  string `json:"tag,omitzero"`
	// NewPin is the result of EncryptPin, never the digits.
	NewPin        string `json:"newPin,omitzero"`
	QualifierCode string `json:"qualifierCode,omitzero"`
	BinID         int    `json:"binId,omitzero"`
}

// CardVerifyRequest activates a card. CardNumberMasked is the last four digits printed on it;
// BirthDate is the creator's, as the calendar date in the time's own location.
type CardVerifyRequest struct {
	CustomerID       int       `json:"customerId,omitzero"`
	CardID           int       `json:"cardId,omitzero"`
	BirthDate        time.Time `json:"birthDate,omitzero"`
	CardNumberMasked string    `json:"cardNumberMasked,omitzero"`
}

// CardRequest names a card and the customer who acts on it, its creator or holder.
type CardRequest struct {
	CustomerID int `json:"customerId,omitzero"`
	CardID     int `json:"cardId,omitzero"`
}

// CardLockRequest locks or hotlists a card for a reason.
type CardLockRequest struct {
	CustomerID         int    `json:"customerId,omitzero"`
	CardID             int    `json:"cardId,omitzero"`
	LockReasonTypeCode string `json:"lockReasonTypeCode,omitzero"`
}

// CardReissueRequest orders a replacement for a card, on behalf of its creator. NewPin is the
// result of EncryptPin.
type CardReissueRequest struct {
	CustomerID            int    `json:"customerId,omitzero"`
	CardID                int    `json:"cardId,omitzero"`
	ReissueReasonTypeCode string `json:"reissueReasonTypeCode,omitzero"`
	NewPin                string `json:"newPin,omitzero"`
	QualifierCode         string `json:"qualifierCode,omitzero"`
}

// CardAccountRequest adds, removes or moves an account of a card. CardPriority is its new slot, 1
// to 4; removing an account needs none.
type CardAccountRequest struct {
	CustomerID   int `json:"customerId,omitzero"`
	CardID       int `json:"cardId,omitzero"`
	AccountID    int `json:"accountId,omitzero"`
	CardPriority int `json:"cardPriority,omitzero"`
}

// CardResetPinRequest sets a new PIN. NewPin is the result of EncryptPin.
type CardResetPinRequest struct {
	CustomerID int    `json:"customerId,omitzero"`
	CardID     int    `json:"cardId,omitzero"`
	NewPin     string `json:"newPin,omitzero"`
}

// CardInitiate creates a physical card and returns it as Initiated.
func (c *Client) CardInitiate(ctx context.Context, r CardInitiateRequest) (Card, error) {
	return post[Card](ctx, c, "/card/initiate", r)
}

// CardCreateDigital creates a digital-only card, which is Verified immediately. Such a card has no
// PIN at creation; a PIN in the request is not sent.
func (c *Client) CardCreateDigital(ctx context.Context, r CardInitiateRequest) (Card, error) {
	r.NewPin = ""
	return post[Card](ctx, c, "/card/createdigital", r)
}

// CardVerify activates a card that has arrived.
func (c *Client) CardVerify(ctx context.Context, r CardVerifyRequest) (Card, error) {
	return post[Card](ctx, c, "/card/verify", r)
}

// CardGet reads a card with its accounts.
func (c *Client) CardGet(ctx context.Context, customerID, cardID int) (Card, error) {
	return get[Card](ctx, c, fmt.Sprintf("/card/get/%d/%d", customerID, cardID))
}

// CardGetByTag reads the card with a tag, the caller's own key for it. A tag may contain any
// character.
func (c *Client) CardGetByTag(ctx context.Context, customerID int, tag string) (Card, error) {
	path := fmt.Sprintf("/card/getbytag/%d/", customerID)
	switch tag {
	case "", ".", "..":
		// A path cannot end in these: HTTP programs resolve them as relative segments. The service
		// also accepts the tag as a query parameter.
		return get[Card](ctx, c, path+"?tag="+tag)
	}
	return get[Card](ctx, c, path+escape(tag))
}

// CardList reads the cards a customer created or holds, by card id: all of them, or those of one
// status or group. The interface accepts one status; the service refuses several.
func (c *Client) CardList(
	ctx context.Context, customerID int, status ...string,
) ([]Card, error) {
	path := fmt.Sprintf("/card/list/%d", customerID)
	if len(status) > 0 {
		path += "?" + url.Values{"status": status}.Encode()
	}
	return get[[]Card](ctx, c, path)
}

// CardLock locks a card until CardUnlock is called.
func (c *Client) CardLock(ctx context.Context, r CardLockRequest) (Card, error) {
	return post[Card](ctx, c, "/card/lock", r)
}

// CardHotlist locks a card permanently.
func (c *Client) CardHotlist(ctx context.Context, r CardLockRequest) (Card, error) {
	return post[Card](ctx, c, "/card/hotlist", r)
}

// CardLostOrStolen is the old name of CardHotlist, which new programs should call. The service
// offers it only to keys of version 1.
func (c *Client) CardLostOrStolen(ctx context.Context, r CardLockRequest) (Card, error) {
	return post[Card](ctx, c, "/card/lostOrStolen", r)
}

// CardUnlock removes a lock set by CardLock.
func (c *Client) CardUnlock(ctx context.Context, r CardRequest) (Card, error) {
	return post[Card](ctx, c, "/card/unlock", r)
}

// CardArchive archives a card permanently. The response contains no card.
func (c *Client) CardArchive(ctx context.Context, r CardRequest) error {
	_, err := c.send(ctx, http.MethodPost, "/card/archive", r)
	return err
}

// CardReissue orders a replacement and returns the card to use from now on, whose ID may differ
// from the one in the request.
func (c *Client) CardReissue(ctx context.Context, r CardReissueRequest) (Card, error) {
	return post[Card](ctx, c, "/card/reissue", r)
}

// CardAddAccount adds an account to a card at the given priority.
func (c *Client) CardAddAccount(ctx context.Context, r CardAccountRequest) (Card, error) {
	return post[Card](ctx, c, "/card/addAccount", r)
}

// CardRemoveAccount removes an account from a card and returns the card without it.
func (c *Client) CardRemoveAccount(ctx context.Context, r CardAccountRequest) (Card, error) {
	return post[Card](ctx, c, "/card/removeAccount", r)
}

// CardReprioritizeAccount moves an account of a card to another priority.
func (c *Client) CardReprioritizeAccount(ctx context.Context, r CardAccountRequest) (Card, error) {
	return post[Card](ctx, c, "/card/reprioritizeAccount", r)
}

// CardResetPin requests a new PIN, which may take the processor up to 24 hours.
func (c *Client) CardResetPin(ctx context.Context, r CardResetPinRequest) (Card, error) {
	return post[Card](ctx, c, "/card/resetpin", r)
}

// MarshalJSON encodes the birth date as the interface requires: with a numeric offset where
// time.Time would write Z.
func (r CardVerifyRequest) MarshalJSON() ([]byte, error) {
	type plain CardVerifyRequest
	wire := struct {
		plain
		BirthDate string `json:"birthDate,omitzero"`
	}{plain: plain(r)}
	if !r.BirthDate.IsZero() {
		wire.BirthDate = r.BirthDate.Format("2006-01-02T15:04:05.000-07:00")
	}
	return json.Marshal(wire)
}

// UnmarshalJSON decodes a card with either pair of names for its lock.
func (c *Card) UnmarshalJSON(text []byte) error {
	type plain Card
	wire := struct {
		*plain
		LockType       string `json:"lockType"`
		LockReasonType string `json:"lockReasonType"`
	}{plain: (*plain)(c)}
	err := json.Unmarshal(text, &wire)
	c.LockTypeCode = cmp.Or(c.LockTypeCode, wire.LockType)
	c.LockReasonTypeCode = cmp.Or(c.LockReasonTypeCode, wire.LockReasonType)
	return err
}

// UnmarshalJSON decodes an account with either name for its priority.
func (a *Account) UnmarshalJSON(text []byte) error {
	type plain Account
	wire := struct {
		*plain
		CardPriority int `json:"cardPriority"`
	}{plain: (*plain)(a)}
	err := json.Unmarshal(text, &wire)
	a.Priority = cmp.Or(a.Priority, wire.CardPriority)
	return err
}
