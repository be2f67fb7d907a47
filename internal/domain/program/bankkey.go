package program

import "time"

// BankKey seals the card numbers and PINs of a bank, or has sealed them.
type BankKey struct {
	ID       int // that package vault has given it
	PciKeyID int
	BankID   int // of the pciKeyId; not stored
	State    BankKeyState
	Made     time.Time
	Wrapped  []byte // the key, sealed by the keyset of the installation; empty when it is retired

	Revision int // of the stored row; 0 when it is new
}

// BankKeyState says what a key is used for.
type BankKeyState string

// The states of a key. A retired key is destroyed.
const (
	ActiveKey      BankKeyState = "active"
	DecryptOnlyKey BankKeyState = "decrypt-only"
	CompromisedKey BankKeyState = "compromised"
	RetiredKey     BankKeyState = "retired"
)
