// Package apikey defines the keys that calling programs present: the program a key opens, the
// addresses it may be used from, its rate limit and its version of the interface. Package vault
// digests secrets; the JSON face reads them from requests.
package apikey

import (
	"cmp"
	"crypto/subtle"
	"net/netip"
	"slices"
	"time"
)

// Key is a caller's key. Its name is public; only digests of its secrets are stored.
type Key struct {
	Name string
	// Label is the operators' name for the key, unique in its program; empty if it equals Name.
	Label     string
	ProgramID int
	Version   int // version of the interface, 1 or 2
	Secrets   []Secret
	Allow     []netip.Prefix // addresses from which the key may be used

	// PerSecond is the sustained rate limit in requests a second, Burst the maximum burst.
	// PerSecond 0 means no limit.
	PerSecond float64
	Burst     int

	// Compatibility lists the legacy behaviours that responses to the key preserve.
	Compatibility []Compatibility
	// Revoked is when the key was permanently revoked; zero while it may be used.
	Revoked time.Time

	Revision int // counts the changes of the stored key; 0 for a new key
}

// Title returns the operators' name for the key: its label, or else its name.
func (k Key) Title() string { return cmp.Or(k.Label, k.Name) }

// Compatibility is a legacy behaviour that a caller gets only if its key requests it.
type Compatibility string

// EarlierClients is for clients that decode responses into fixed types. Those types expect both
// names of an account's priority, and a separate spelling of the status in the response to a
// reissue. Their requests omit the holder to mean the creator, and let the holder request a
// reissue.
const EarlierClients Compatibility = "earlier-clients"

// Compatibilities lists the legacy behaviours that a key may request.
var Compatibilities = []Compatibility{EarlierClients}

// HasCompatibility reports whether the key requests a legacy behaviour.
func (k Key) HasCompatibility(habit Compatibility) bool {
	return slices.Contains(k.Compatibility, habit)
}

// Secret is a live secret of a key.
type Secret struct {
	Digest  []byte    // keyed digest, 32 bytes
	Expires time.Time // zero if it never expires
}

// Newest returns the newest secret, or the zero Secret of a revoked key.
func (k Key) Newest() Secret {
	if len(k.Secrets) == 0 {
		return Secret{}
	}
	return k.Secrets[len(k.Secrets)-1]
}

// Ends returns the time from which no secret of the key works. ok is false if there is no such time
// because the key is revoked, has no secrets, or has a secret that never expires.
func (k Key) Ends() (last time.Time, ok bool) {
	for _, s := range k.Secrets {
		if s.Expires.IsZero() {
			return time.Time{}, false
		}
		if s.Expires.After(last) {
			last = s.Expires
		}
	}
	return last, k.Revoked.IsZero() && !last.IsZero()
}

// Allows reports whether the key may be used from an address. A dual-stack socket reports an IPv4
// peer as an IPv6 address; the address of a link-local peer has a zone, the name of a network
// interface. The allow list contains neither form.
//
// A revoked key allows no address. An address that no other key allows is then unknown.
func (k Key) Allows(address netip.Addr) bool {
	if !k.Revoked.IsZero() {
		return false
	}
	address = address.WithZone("")
	for _, prefix := range k.Allow {
		if prefix.Contains(address) || prefix.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}

// unused pads the secrets of a key up to MaxSecrets.
var unused = Secret{Digest: make([]byte, 32), Expires: time.Unix(1, 0)}

// Matches reports whether digest is the digest of a live secret. It always compares MaxSecrets
// digests, so that its timing does not depend on the key.
func (k Key) Matches(digest []byte, now time.Time) bool {
	matches := 0
	for i := range MaxSecrets {
		secret := unused
		if i < len(k.Secrets) {
			secret = k.Secrets[i]
		}
		live := 1
		expired := !secret.Expires.IsZero() && !now.Before(secret.Expires)
		if expired || !k.Revoked.IsZero() {
			live = 0
		}
		matches |= live & subtle.ConstantTimeCompare(secret.Digest, digest)
	}
	return matches == 1
}
