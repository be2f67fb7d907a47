// Package apikey knows the keys that calling programs present: which program a key opens, from
// where it may be used, how often, and which version of the interface it speaks. How a secret is
// digested belongs to the vault; how a request presents it, to the JSON face.
package apikey

import (
	"cmp"
	"crypto/subtle"
	"net/netip"
	"slices"
	"time"
)

// Key is a caller's key. Its name is public, its secrets are kept as digests only.
type Key struct {
	Name string
	// Label is what operators call the key, unique in its program; empty where that is the name.
	Label     string
	ProgramID int
	Version   int // version of the interface, 1 or 2
	Secrets   []Secret
	Allow     []netip.Prefix // addresses the key may be used from

	// PerSecond is how many requests a second the key may make on average, Burst how many at
	// once. Zero stands for no limit.
	PerSecond float64
	Burst     int

	// Compatibility are the habits of the caller that answers keep to.
	Compatibility []Compatibility
	// Revoked is when the key was taken out of use, for ever; zero while it may be used.
	Revoked time.Time

	Revision int // counts the changes of the stored key; 0 when it is new
}

// Title is what operators call the key.
func (k Key) Title() string { return cmp.Or(k.Label, k.Name) }

// Compatibility is a legacy behaviour that callers get only if their key asks for it.
type Compatibility string

// EarlierClients read answers into fixed types, which expect both names of an account's priority,
// and a spelling of its own in the answer of a reissue.
// Their requests leave out the holder where the creator is meant, and have the holder ask for a
// reissue.
const EarlierClients Compatibility = "earlier-clients"

// Compatibilities lists the habits that a key may ask for.
var Compatibilities = []Compatibility{EarlierClients}

// KeepsTo reports whether the key asks for a legacy behaviour.
func (k Key) KeepsTo(habit Compatibility) bool { return slices.Contains(k.Compatibility, habit) }

// Secret is one live secret of a key.
type Secret struct {
	Digest  []byte    // keyed digest, 32 bytes
	Expires time.Time // zero when it never does
}

// Ends returns the time from which no secret of the key works, and whether there is one: not for a
// key that is revoked, or has a secret that does not expire.
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

// Allows reports whether the key may be used from an address. A socket that serves both versions
// of IP shows an IPv4 peer as an IPv6 address, and a link-local peer with the name of a network
// card; the list knows neither form.
//
// A revoked key allows no address. An address that no other key allows is unknown.
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

// unused stands in where a key holds fewer secrets than it may.
var unused = Secret{Digest: make([]byte, 32), Expires: time.Unix(1, 0)}

// Matches reports whether the digest of a presented secret is that of a live secret. It compares
// with MaxSecrets secrets whatever the key holds, so that timing reveals nothing.
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
