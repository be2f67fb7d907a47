package program

import "time"

// BankKey is a current or former encryption key for the card numbers and PINs of a bank.
type BankKey struct {
	ID       int // assigned by package vault
	PciKeyID int
	BankID   int // of the pciKeyId; not stored
	State    BankKeyState
	Made     time.Time
	Wrapped  []byte // the key, wrapped by the keyset of the installation; empty once retired

	Revision int // of the stored row; 0 for a new key
}

// BankKeyState is the state of a key, which determines its use.
type BankKeyState string

// The states of a key. A retired key is destroyed.
const (
	ActiveKey      BankKeyState = "active"
	DecryptOnlyKey BankKeyState = "decrypt-only"
	CompromisedKey BankKeyState = "compromised"
	RetiredKey     BankKeyState = "retired"
)
