package apikey

import (
	"fmt"
	"math"

	"mintmark/internal/base/problem"
)

// The range of interface versions that a key may use.
const (
	OldestVersion = 1
	LatestVersion = 2
)

// Maximum lengths in characters.
const (
	MaxName         = 50
	MaxSecretLength = 255
)

// Maximum numbers of entries of a key.
const (
	MaxSecrets = 2 // the old and the new one, while a secret is rotated
	MaxAllow   = 1000
)

// DefaultPerSecond is the rate limit, in requests a second, of a key that sets none.
const DefaultPerSecond = 15

// Minimum strength of a secret, so that it cannot be guessed.
const (
	minSecretLength = 32
	minSecretBits   = 128
)

// Rules checks each member of a key.
func (k Key) Rules(r *problem.Rules) {
	r.Name("name", k.Name, MaxName)
	// Basic credentials end the name at the first colon.
	r.Without("name", k.Name, ":")
	r.ID("programId", k.ProgramID)
	r.Number("version", k.Version, OldestVersion, LatestVersion)
	least := 1
	if !k.Revoked.IsZero() {
		least = 0 // the store retains none for a revoked key
	}
	r.Count("secrets", len(k.Secrets), least, MaxSecrets)
	r.Count("allow", len(k.Allow), 1, MaxAllow)
	wrong := ""
	for i, prefix := range k.Allow {
		if !prefix.IsValid() {
			wrong = fmt.Sprintf("entry %d is neither an address nor a CIDR block", i+1)
		}
	}
	r.Must("allow", "each an address or a CIDR block", wrong)
	if k.PerSecond < 0 || math.IsInf(k.PerSecond, 0) || math.IsNaN(k.PerSecond) {
		r.Add("perSecond", "must not be negative; 0 stands for no limit")
	}
	if k.Burst < 1 && k.PerSecond > 0 {
		r.Add("burst", "must be at least 1")
	}
	problem.AllOneOf(r, "compatibility", k.Compatibility, Compatibilities)
	problem.Distinct(r, "compatibility", k.Compatibility)
}

// State is the state that an operator sets on a key. The empty state leaves the key unchanged.
type State string

// The states of a key.
const (
	Active  State = "active"
	Revoked State = "revoked"
)

// Rules checks the state of a key.
func (s State) Rules(r *problem.Rules) {
	var said []State
	if s != "" {
		said = append(said, s)
	}
	problem.AllOneOf(r, "state", said, []State{Active, Revoked})
}

// SecretText is a secret in plain text, as an operator sets it. The key stores only its digest.
type SecretText string

// Rules checks the length of a secret. CheckStrength estimates how hard it is to guess.
func (s SecretText) Rules(r *problem.Rules) { r.Text("secret", string(s), MaxSecretLength) }
