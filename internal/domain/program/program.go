// Package program defines what a bank has configured for a program: the settings that callers may
// read (interface §5.4), the BINs under which cards are issued, and the rules for both. Package
// customer defines customers and their accounts.
package program

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones must load on a machine without a zone database
	"unicode"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/fault"
)

// Program is a card program of a bank. A key sees only what belongs to its program.
type Program struct {
	Issuing
	Settings Settings

	// FourEyes is true if some acts of an operator need the approval of another.
	FourEyes bool

	// Currency is the currency of all amounts; a transfer in another currency is declined. Empty
	// for any.
	Currency string

	// Fenced is the time since which the service has been unavailable to callers and the card
	// processor because the program is moving to another installation; zero without a fence.
	Fenced time.Time

	Revision int // counts the changes of the stored program; 0 for a new program
}

// moveLasts is the maximum duration of a move.
const moveLasts = 24 * time.Hour

// Moves reports whether the program is moving to another installation. A program that has been
// fenced for longer has arrived there: its fence remains, and messages about it go there.
func (p Program) Moves(now time.Time) bool {
	return !p.Fenced.IsZero() && now.Before(p.Fenced.Add(moveLasts))
}

// Issuing is the part of a program that issuing a card needs: everything except the settings, which
// cost more to read than the rest.
type Issuing struct {
	ID     int
	BankID int

	// VerificationWindowDays is how long a card may stay unverified before it expires.
	VerificationWindowDays int

	// Renewal is how cards are renewed before they expire. Balances is the owner of the accounts'
	// balances.
	Renewal  Renewal
	Balances Balances

	// PciKeys lists the encryption keys of the bank, usable or not.
	PciKeys []PciKey

	Bins []Bin
}

// Renewal is how the cards of a program are renewed before they expire. The zero value is Manual.
type Renewal string

// The ways to renew cards.
const (
	Automatic Renewal = "automatic" // a job orders them in time, without a request
	Manual    Renewal = "manual"    // cards are remade only on request
)

// Renewals lists the ways to renew cards.
var Renewals = []Renewal{Automatic, Manual}

// OrDefault returns the way to renew cards. It defaults to Manual.
func (r Renewal) OrDefault() Renewal { return cmp.Or(r, Manual) }

// Balances is the owner of the balances of a program's accounts. The zero value is ByCore. Nothing
// depends on it yet: with both owners, a load sets a balance, and a posting changes it.
type Balances string

// The owners of balances.
const (
	ByCore     Balances = "core"     // the core banking system
	ByMintmark Balances = "mintmark" // this service
)

// BalanceOwners lists the owners of balances.
var BalanceOwners = []Balances{ByCore, ByMintmark}

// OrDefault returns the owner. It defaults to ByCore.
func (b Balances) OrDefault() Balances { return cmp.Or(b, ByCore) }

// Institution is a bank as its operators see it. Callers see the Bank in the settings of each of
// its programs instead.
type Institution struct {
	ID   int
	Name string
}

// PciKey is an encryption key of a bank, with its permitted use.
type PciKey struct {
	ID     int
	BankID int
	Status PciKeyStatus

	// ActiveKey is the ID of the BankKey that encrypts new data. If it is 0, there is none, and the
	// keyset of the installation encrypts new data.
	ActiveKey int

	Revision int // counts the changes of the stored key; 0 for a new key
}

// PciKeyStatus is the permitted use of an encryption key.
type PciKeyStatus int

// The statuses of an encryption key.
const (
	EncryptAndDecrypt PciKeyStatus = 1
	DecryptOnly       PciKeyStatus = 2
	Retired           PciKeyStatus = 3
)

// Bin is a range of card numbers of one vendor.
type Bin struct {
	ID          int
	ProgramID   int
	Vendor      string // VS or MC
	Description string
	IsActive    bool
	FirstBody   string // the lowest card number of the range, without its check digit
	LastBody    string // the highest, inclusive
	ValidMonths int    // how long a card of this BIN is valid

	Revision int // counts the changes of the stored BIN; 0 for a new BIN
}

// Numbers returns the card numbers of the BIN with an ending. The empty ending matches all.
func (b Bin) Numbers(ending string) (pan.Space, error) {
	return pan.NewSpace(b.FirstBody, b.LastBody, ending)
}

// Owns reports whether a card number is in the range of the BIN.
func (b Bin) Owns(number pan.Number) bool {
	body := number.Reveal()[:pan.BodyDigits]
	return b.FirstBody <= body && body <= b.LastBody
}

// Location returns the time zone of the program's dates, or UTC if it is unknown.
func (p Program) Location() *time.Location {
	zone, err := time.LoadLocation(p.Settings.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// ChooseBin returns the BIN under which a card of the vendor is issued: the requested one, or the
// first active one if binID is nil. It returns fault.BinMissing if the vendor has no active BIN,
// and fault.BinInvalid if the requested one is not among them.
func (p Issuing) ChooseBin(vendor string, binID *int) (Bin, error) {
	var active []Bin
	for _, bin := range p.Bins {
		if bin.IsActive && bin.Vendor == vendor {
			active = append(active, bin)
		}
	}
	if len(active) == 0 {
		return Bin{}, fault.New(fault.BinMissing, p.ID)
	}
	if binID == nil {
		return active[0], nil
	}
	for _, bin := range active {
		if bin.ID == *binID {
			return bin, nil
		}
	}
	return Bin{}, fault.New(fault.BinInvalid, *binID)
}

// ReissueBin returns the BIN under which a card's replacement is issued: the card's own while it is
// active, or else the first of its vendor. It returns fault.BinMissing if there is none.
func (p Issuing) ReissueBin(vendor string, ownBinID int) (Bin, error) {
	bin, err := p.ChooseBin(vendor, &ownBinID)
	if errors.Is(err, fault.New(fault.BinInvalid)) {
		return p.ChooseBin(vendor, nil)
	}
	return bin, err
}

// SealingKey returns the ID of the key that encrypts the bank's card numbers and PINs: the active
// key of the newest encryption key that may encrypt and has one. It is 0 for the keyset of the
// installation.
func (p Issuing) SealingKey() int { return SealingKey(p.PciKeys) }

// SealingKey returns the same for a bank with these encryption keys, which are ordered by ID.
func SealingKey(of []PciKey) int {
	for _, key := range slices.Backward(of) {
		if key.Status == EncryptAndDecrypt && key.ActiveKey != 0 {
			return key.ActiveKey
		}
	}
	return 0
}

// CheckPciKey returns fault.PciKeyMissing unless the bank has a key that may encrypt and decrypt.
func (p Issuing) CheckPciKey() error {
	for _, key := range p.PciKeys {
		if key.Status == EncryptAndDecrypt {
			return nil
		}
	}
	return fault.New(fault.PciKeyMissing, p.BankID, p.ID)
}

// lowerCamel converts a product name such as "High Yield Savings" to highYieldSavings.
func lowerCamel(name string) string {
	var b strings.Builder
	words := strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for i, word := range words {
		letters := []rune(strings.ToLower(word))
		if i > 0 {
			letters[0] = unicode.ToUpper(letters[0])
		}
		b.WriteString(string(letters))
	}
	return b.String()
}
