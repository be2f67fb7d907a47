package apikey

import (
	"bytes"
	"fmt"
	"net/netip"

	"mintmark/internal/base/problem"
)

// Validate returns the problems of a key that an operator wants to store.
func (k Key) Validate() problem.List {
	problems := problem.Check(k)
	if len(k.Secrets) == MaxSecrets && bytes.Equal(k.Secrets[0].Digest, k.Secrets[1].Digest) {
		problems.Add("secrets", "holds the same secret twice")
	}
	return problems
}

// ParseAllow parses an entry of a key's allow list: a CIDR block such as 192.0.2.0/24, or a single
// address. It clears the bits after the prefix.
func ParseAllow(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err == nil {
		return prefix.Masked(), nil
	}
	single, err := netip.ParseAddr(text)
	if err != nil || single.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("%q is neither an address nor a CIDR block", text)
	}
	return netip.PrefixFrom(single.Unmap(), single.Unmap().BitLen()), nil
}

// AllowText formats an entry of an allow list so that ParseAllow can parse it.
func AllowText(prefix netip.Prefix) string {
	if prefix.IsSingleIP() {
		return prefix.Addr().String()
	}
	return prefix.String()
}

// Holds reports whether one of the key's secrets, live or expired, has the digest.
func (k Key) Holds(digest []byte) bool {
	for _, secret := range k.Secrets {
		if bytes.Equal(secret.Digest, digest) {
			return true
		}
	}
	return false
}
