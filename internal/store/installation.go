package store

import "time"

// Installation records the environment and keys to which a database belongs.
type Installation interface {
	// Find fails with ErrNotFound in a database that was never assigned to an environment.
	Find() (InstallationRecord, error)
	// Put replaces the record.
	Put(i InstallationRecord) error
}

// Environment is the purpose of a database. A database of one environment is never served as
// another.
type Environment string

// The environments.
const (
	Production Environment = "production"
	Sandbox    Environment = "sandbox"
)

// InstallationRecord identifies an environment, and its keys by fingerprint.
type InstallationRecord struct {
	Environment Environment
	Keyset      string    // fingerprint of the keys that encrypt and digest
	PinKey      string    // fingerprint of the key that encrypts PINs
	Made        time.Time // when the database was assigned to the environment
}
