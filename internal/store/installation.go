package store

import "time"

// Installation is the record of which environment and keys a database belongs to.
type Installation interface {
	// Find fails with ErrNotFound in a database that was never given to an environment.
	Find() (InstallationRecord, error)
	// Put replaces the record.
	Put(i InstallationRecord) error
}

// Environment says what a database is for. A database of one is never served as the other.
type Environment string

// The environments.
const (
	Production Environment = "production"
	Sandbox    Environment = "sandbox"
)

// InstallationRecord names an environment and its keys, by fingerprints that tell two apart.
type InstallationRecord struct {
	Environment Environment
	Keyset      string    // fingerprint of the keys that seal and digest
	PinKey      string    // fingerprint of the key that PINs are encrypted with
	Made        time.Time // when the database was given to the environment
}
