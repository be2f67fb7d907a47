package apikey

import (
	"fmt"
	"math"

	"mintmark/internal/base/problem"
)

// The versions of the interface that a key may speak.
const (
	OldestVersion = 1
	LatestVersion = 2
)

// Greatest lengths in characters.
const (
	MaxName         = 50
	MaxSecretLength = 255
)

// How many of them a key may have.
const (
	MaxSecrets = 2 // the old and the new one, while a secret is rotated
	MaxAllow   = 1000
)

// DefaultPerSecond is how many requests a second a key may make that names no limit.
const DefaultPerSecond = 15

// What a secret must have so that it cannot be found by trying.
const (
	minSecretLength = 32
	minSecretBits   = 128
)

// Rules tells what each member of a key must be.
func (k Key) Rules(r *problem.Rules) {
	r.Name("name", k.Name, MaxName)
	// Basic credentials end the name at the first colon.
	r.Without("name", k.Name, ":")
	r.ID("programId", k.ProgramID)
	r.Number("version", k.Version, OldestVersion, LatestVersion)
	least := 1
	if !k.Revoked.IsZero() {
		least = 0 // the store keeps none of a revoked key
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

// State is what an operator makes of a key. The empty state leaves the key as it is.
type State string

// The states of a key.
const (
	Active  State = "active"
	Revoked State = "revoked"
)

// Rules tells what the state of a key may be.
func (s State) Rules(r *problem.Rules) {
	var said []State
	if s != "" {
		said = append(said, s)
	}
	problem.AllOneOf(r, "state", said, []State{Active, Revoked})
}

// SecretText is a secret as an operator gives it to a key. The key itself keeps a digest.
type SecretText string

// Rules tells what a secret must be. How hard it is to guess is CheckStrength's question.
func (s SecretText) Rules(r *problem.Rules) { r.Text("secret", string(s), MaxSecretLength) }
