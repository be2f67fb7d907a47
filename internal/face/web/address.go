package web

import (
	"net/netip"
	"slices"
	"strings"
)

// peer is the other end of a connection.
type peer struct {
	address netip.Addr // the zero value when unknown
	text    string     // address, as the log shows it
}

func readPeer(remote string) peer {
	read, err := netip.ParseAddrPort(remote)
	if err != nil {
		return peer{}
	}
	address := read.Addr().Unmap()
	return peer{address, address.String()}
}

func (x *Exchange) peer() peer { return readPeer(x.Request.RemoteAddr) }

// FindClient returns the client's address, looking behind trusted proxies, and records it for the
// log. It returns false when a malformed header of a proxy leaves the address unknown.
func (x *Exchange) FindClient() (client netip.Addr, ok bool) {
	peer := x.peer()
	client, ok = clientAddress(
		peer.address, x.Request.Header.Values("X-Forwarded-For"), x.Settings.TrustedProxies)
	switch { // the log needs the address most for rejected clients
	case client == peer.address:
		x.Client = peer.text
	case client.IsValid():
		x.Client = client.String()
	}
	return client, ok
}

// clientAddress returns the address that a request comes from: the peer's or, when the peer is a
// trusted proxy, the rightmost address in the X-Forwarded-For lines that is not a trusted proxy. A
// malformed entry met on the way makes the address unknown.
func clientAddress(
	peer netip.Addr, forwardedFor []string, trusted []netip.Prefix,
) (address netip.Addr, ok bool) {
	address = peer.Unmap()
	if !contains(trusted, address) {
		return address, address.IsValid()
	}
	hops := strings.Split(strings.Join(forwardedFor, ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if hop == "" && len(hops) == 1 {
			return address, true // the proxy's own request
		}
		next, err := netip.ParseAddr(hop)
		if err != nil || next.Zone() != "" {
			return netip.Addr{}, false
		}
		address = next.Unmap()
		if !contains(trusted, address) {
			return address, true
		}
	}
	return address, true
}

func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}

// fromProxy reports whether the peer is a trusted proxy.
func (x *Exchange) fromProxy() bool {
	return contains(x.Settings.TrustedProxies, x.peer().address)
}
