package web

import (
	"net/netip"
	"slices"
	"strings"
)

// peer is the other end of a connection.
type peer struct {
	address netip.Addr // not valid when it is not known
	text    string     // the same as it is logged
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

// FindClient finds the address of the client behind the trusted proxies, and notes it for the log.
// It is not ok when a malformed header of a proxy leaves the address unknown.
func (x *Exchange) FindClient() (client netip.Addr, ok bool) {
	peer := x.peer()
	client, ok = clientAddress(
		peer.address, x.Request.Header.Values("X-Forwarded-For"), x.Settings.TrustedProxies)
	switch { // the log names the clients above all that are refused
	case client == peer.address:
		x.Client = peer.text
	case client.IsValid():
		x.Client = client.String()
	}
	return client, ok
}

// clientAddress returns the address a request comes from: the peer's, or, when the peer is a
// trusted proxy, the nearest address in the X-Forwarded-For lines that is no trusted proxy. The
// lines are read from the right. A malformed entry on the way makes the address unknown.
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
			return address, true // the proxy itself asks
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

// fromProxy reports whether the peer is a proxy whose headers are believed.
func (x *Exchange) fromProxy() bool {
	return contains(x.Settings.TrustedProxies, x.peer().address)
}
