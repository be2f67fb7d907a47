package feed

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// cardRow is a card that was issued elsewhere.
type cardRow struct {
	CardID             int    `json:"cardId"` // 0: the next free one
	Number             string `json:"number"`
	ExpireMonth        int    `json:"expireMonth"`
	ExpireYear         int    `json:"expireYear"`
	BinID              int    `json:"binId"` // 0: the BIN that owns the number
	CustomerID         int    `json:"customerId"`
	HolderID           int    `json:"cardHolderCustomerId"`
	TypeCode           string `json:"typeCode"`
	VendorTypeCode     string `json:"vendorTypeCode"`
	Status             string `json:"status"`
	LockTypeCode       string `json:"lockTypeCode"`
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
	Tag                string `json:"tag"`
	NickName           string `json:"nickName"`
	FirstName          string `json:"firstName"`
	MiddleName         string `json:"middleName"`
	LastName           string `json:"lastName"`
	card.Attributes
	IsDigitalOnly bool          `json:"isDigitalOnly"`
	Accounts      []cardAccount `json:"accounts"`
	CreatedDate   time.Time     `json:"createdDate"`
	VerifiedDate  time.Time     `json:"verifiedDate"`

	wrong problem.List // problems of the members

	// Set by findTaken in the current transaction.
	number pan.Number
	bin    program.Bin // the program's BIN that owns the number
	digest digests.Number
	taken  store.Conflicts
}

// cardAccount is an account that a card draws on, as in the interface.
type cardAccount struct {
	AccountID int `json:"accountId"`
	Priority  int `json:"priority"`
}

// readCard parses a card row. Its problems are recorded later, together with those of its rules.
func readCard(line int, text []byte) row {
	of, problems := strictjson.Decode[cardRow](bytes.Clone(text))
	for i, wrong := range problems {
		if wrong.Text == strictjson.Unknown && isSecret(wrong.Path) {
			problems[i].Text = "is refused: PINs and security codes are not taken"
		}
	}
	of.HolderID = cmp.Or(of.HolderID, of.CustomerID)
	of.LockTypeCode = cmp.Or(of.LockTypeCode, string(card.Unlocked))
	if of.LockTypeCode == string(card.Unlocked) {
		of.LockReasonTypeCode = cmp.Or(of.LockReasonTypeCode, string(card.Unknown))
	}
	slices.SortStableFunc(of.Accounts, func(a, b cardAccount) int { return a.Priority - b.Priority })
	of.wrong = problems
	return row{list: cards, line: line, card: &of}
}

// isSecret reports whether a member name is that of a PIN or a card security code.
func isSecret(path string) bool {
	path = strings.ToLower(path)
	return slices.ContainsFunc([]string{"pin", "cvv", "cvc", "cvn", "track"}, func(name string) bool {
		return strings.Contains(path, name)
	})
}

// accountIDs returns the accounts by priority. If they have two categories, the first account is
// the primary one.
func (r *cardRow) accountIDs() []int {
	ids := make([]int, len(r.Accounts))
	for i, of := range r.Accounts {
		ids[i] = of.AccountID
	}
	return ids
}

// The years in which an imported card may expire.
const (
	firstYear = 2000
	lastYear  = 2099
)

// importableStatuses lists the statuses of a card that can be imported: it is usable, or can be
// verified.
var importableStatuses = []string{
	string(card.PendingVerification), string(card.ReissuePendingVerification),
	string(card.Verified),
}

// Rules validates the members beyond the rules of every card.
func (r *cardRow) Rules(rules *problem.Rules) {
	rules.Number("expireMonth", r.ExpireMonth, 1, 12)
	rules.Number("expireYear", r.ExpireYear, firstYear, lastYear)
	problem.OneOf(rules, "status", r.Status, importableStatuses)
	rules.WithoutPAN("tag", r.Tag)
	rules.WithoutPAN("nickName", r.NickName)
	for i, of := range r.Accounts {
		rules.Entry("accounts", i).Number("priority", of.Priority, 1, card.MaxSlots)
	}
}

// cardIn returns the card in a program, without the values from its BIN and without slots.
func (r *cardRow) cardIn(programID int) card.Card {
	c := card.Card{
		ID: r.CardID, ProgramID: programID, CustomerID: r.CustomerID, HolderID: r.HolderID,
		BinID: r.BinID, Type: r.TypeCode, Status: card.Status(r.Status),
		Lock: card.Lock{
			Type: card.LockType(r.LockTypeCode), Reason: card.Reason(r.LockReasonTypeCode),
		},
		Tag: r.Tag, NickName: r.NickName, Attributes: r.Attributes,
		Name:        card.NewName(r.FirstName, r.MiddleName, r.LastName),
		DigitalOnly: r.IsDigitalOnly,
		ExpireMonth: r.ExpireMonth, ExpireYear: r.ExpireYear,
		Created: r.CreatedDate.UTC(), Verified: r.VerifiedDate.UTC(),
	}
	c.Modified = c.LastDated()
	return c
}
