package apikey

import (
	"bytes"
	"fmt"
	"net/netip"

	"mintmark/internal/base/problem"
)

// Validate returns what is wrong with a key that an operator wants kept.
func (k Key) Validate() problem.List {
	problems := problem.Check(k)
	if len(k.Secrets) == MaxSecrets && bytes.Equal(k.Secrets[0].Digest, k.Secrets[1].Digest) {
		problems.Add("secrets", "holds the same secret twice")
	}
	return problems
}

// ParseAllow reads an entry of the allow list of a key: a CIDR block such as 192.0.2.0/24, or an
// address that stands for itself alone. Bits behind the prefix are cleared.
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

// AllowText returns an entry of an allow list as ParseAllow reads it.
func AllowText(prefix netip.Prefix) string {
	if prefix.IsSingleIP() {
		return prefix.Addr().String()
	}
	return prefix.String()
}

// Holds reports whether one of the key's secrets has a digest, live or not.
func (k Key) Holds(digest []byte) bool {
	for _, secret := range k.Secrets {
		if bytes.Equal(secret.Digest, digest) {
			return true
		}
	}
	return false
}
