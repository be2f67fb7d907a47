package gate

import (
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress returns the address a request comes from: the peer's, or, when the peer is a
// trusted proxy, the nearest address in the X-Forwarded-For lines that is no trusted proxy. The
// lines are read from the right. A malformed entry on the way makes the address unknown.
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
			return address, true // the proxy itself asks
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
