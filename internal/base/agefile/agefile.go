// Package agefile tells files that are encrypted with age (age-encryption.org) from all others. Package
// vault opens those that are encrypted to the installation.
package agefile

import (
	"strings"

	"filippo.io/age/armor"
)

// Beginning is by how many bytes a file is told.
const Beginning = 64

// IsEncrypted reports whether a file is encrypted, by its beginning or all of it.
func IsEncrypted(beginning []byte) bool {
	return strings.HasPrefix(string(beginning), "age-encryption.org/v1\n") || IsArmored(beginning)
}

// IsArmored reports whether an encrypted file is written in letters.
func IsArmored(beginning []byte) bool {
	return strings.HasPrefix(string(beginning), armor.Header)
}
