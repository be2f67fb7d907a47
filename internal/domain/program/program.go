// Package program knows what a bank has configured for a program: the settings that callers may
// read (interface §5.4), the BINs that cards are issued under, and what each of them must be.
// Customers and their accounts belong to package customer.
package program

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones must load on a machine that has none
	"unicode"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/fault"
)

// Program is a card program of a bank. Everything a key sees belongs to its one program.
type Program struct {
	Issuing
	Settings Settings

	// FourEyes says that some acts of an operator wait until another one confirms them.
	FourEyes bool

	// Currency is that of all amounts; a transfer in another one is declined. Empty for any.
	Currency string

	// Fenced is since when callers and the card processor are answered that the service is not
	// available, because the program moves to another installation; zero without a fence.
	Fenced time.Time

	Revision int // counts the changes of the stored program; 0 when it is new
}

// moveLasts is how long a move lasts at most.
const moveLasts = 24 * time.Hour

// Moves reports whether the program is on its way to another installation. One that has been fenced
// for longer has arrived there: its fence stays, and messages about it go there.
func (p Program) Moves(now time.Time) bool {
	return !p.Fenced.IsZero() && now.Before(p.Fenced.Add(moveLasts))
}

// Issuing is what issuing a card needs of a program: all of it but the settings, which cost more to
// read than the rest.
type Issuing struct {
	ID     int
	BankID int

	// VerificationWindowDays is how long a card may stay unverified before it expires.
	VerificationWindowDays int

	// Renewal says whether cards are made again before they expire. Balances says who owns the
	// balances of accounts.
	Renewal  Renewal
	Balances Balances

	// PciKeys are the encryption keys of the bank, usable or not.
	PciKeys []PciKey

	Bins []Bin
}

// Renewal says whether the cards of a program are made again before they expire, without a request.
// The zero value is Manual.
type Renewal string

// The ways to renew cards.
const (
	Automatic Renewal = "automatic" // a job orders them in time
	Manual    Renewal = "manual"    // cards are made again on request only
)

// Renewals lists the ways to renew cards.
var Renewals = []Renewal{Automatic, Manual}

// OrDefault returns the way to renew cards, which is Manual where none is named.
func (r Renewal) OrDefault() Renewal { return cmp.Or(r, Manual) }

// Balances says who owns the balances of a program's accounts. The zero value is ByCore. Nothing
// depends on it yet: with both, what is loaded sets a balance, and what is posted moves it.
type Balances string

// The owners of balances.
const (
	ByCore     Balances = "core"     // the core banking system
	ByMintmark Balances = "mintmark" // this service
)

// BalanceOwners lists the owners of balances.
var BalanceOwners = []Balances{ByCore, ByMintmark}

// OrDefault returns the owner, who is ByCore where none is named.
func (b Balances) OrDefault() Balances { return cmp.Or(b, ByCore) }

// Institution is a bank as its operators know it. Callers read about it in the settings of each of
// its programs: see Bank.
type Institution struct {
	ID   int
	Name string
}

// PciKey is an encryption key of a bank and what it may be used for.
type PciKey struct {
	ID     int
	BankID int
	Status PciKeyStatus

	// ActiveKey is the number of the key that what is new is sealed under; 0 while there is none,
	// and then it is sealed under the keyset of the installation.
	ActiveKey int

	Revision int // counts the changes of the stored key; 0 when it is new
}

// PciKeyStatus says what an encryption key may be used for.
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
	FirstBody   string // the lowest number without its check digit
	LastBody    string // the highest, which belongs to the BIN
	ValidMonths int    // how long a card of this BIN is valid

	Revision int // counts the changes of the stored BIN; 0 when it is new
}

// Numbers returns the numbers of the BIN that have an ending. All have the empty one.
func (b Bin) Numbers(ending string) (pan.Space, error) {
	return pan.NewSpace(b.FirstBody, b.LastBody, ending)
}

// Owns reports whether a number lies in the range of the BIN.
func (b Bin) Owns(number pan.Number) bool {
	body := number.Reveal()[:pan.BodyDigits]
	return b.FirstBody <= body && body <= b.LastBody
}

// Location returns the time zone in which the program writes dates.
func (p Program) Location() *time.Location {
	zone, err := time.LoadLocation(p.Settings.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// ChooseBin returns the BIN a card of the vendor is issued under: the one asked for, or the first
// active one when none is. Without any it is fault.BinMissing, with an unfit one fault.BinInvalid.
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

// ReissueBin returns the BIN that a card's replacement is issued under: the card's own while it is
// active, else the first of its vendor. Without any it is fault.BinMissing.
func (p Issuing) ReissueBin(vendor string, ownBinID int) (Bin, error) {
	bin, err := p.ChooseBin(vendor, &ownBinID)
	if errors.Is(err, fault.New(fault.BinInvalid)) {
		return p.ChooseBin(vendor, nil)
	}
	return bin, err
}

// SealingKey is the number of the key that the card numbers and PINs of the bank are sealed under:
// that of its newest encryption key that encrypts and has one. It is 0 for the keyset of the
// installation.
func (p Issuing) SealingKey() int { return SealingKey(p.PciKeys) }

// SealingKey is that of a bank with these encryption keys, which are in the order of their numbers.
func SealingKey(of []PciKey) int {
	for _, key := range slices.Backward(of) {
		if key.Status == EncryptAndDecrypt && key.ActiveKey != 0 {
			return key.ActiveKey
		}
	}
	return 0
}

// CheckPciKey returns fault.PciKeyMissing unless the bank has a key that encrypts and decrypts.
func (p Issuing) CheckPciKey() error {
	for _, key := range p.PciKeys {
		if key.Status == EncryptAndDecrypt {
			return nil
		}
	}
	return fault.New(fault.PciKeyMissing, p.BankID, p.ID)
}

// lowerCamel turns a product name such as "High Yield Savings" into highYieldSavings.
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
