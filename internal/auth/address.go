package auth

import (
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress returns the address of the caller: the peer's, or behind a trusted proxy the
// rightmost address in the X-Forwarded-For lines that is not a trusted proxy. Entries left of it
// are ignored, because any caller can write them. A malformed entry before it makes the address
// unknown.
func ClientAddress(
	peer netip.Addr, forwardedFor []string, trusted []netip.Prefix,
) (address netip.Addr, ok bool) {
	address = peer.Unmap()
	if !Contains(trusted, address) {
		return address, address.IsValid()
	}
	hops := strings.Split(strings.Join(forwardedFor, ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if hop == "" && len(hops) == 1 {
			return address, true // the request is the proxy's own
		}
		next, err := netip.ParseAddr(hop)
		if err != nil || next.Zone() != "" {
			return netip.Addr{}, false
		}
		address = next.Unmap()
		if !Contains(trusted, address) {
			return address, true
		}
	}
	return address, true
}

// Contains reports whether an address is in one of the blocks.
func Contains(prefixes []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}
