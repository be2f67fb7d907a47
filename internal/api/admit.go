package api

import (
	"encoding/base64"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"mintmark/internal/apikey"
	"mintmark/internal/fault"
	"mintmark/internal/gate"
)

// admit makes the checks that stand before any route, in their fixed order: HTTP version, an
// address that any key knows, credentials, an address that this key knows, rate.
func (s *Server) admit(x *exchange) error {
	if x.request.ProtoMajor != 1 || x.request.ProtoMinor != 1 {
		x.header.Set("Connection", "close")
		return fault.New(fault.HTTPVersion)
	}
	address, known := s.clientAddress(x)
	if address.IsValid() {
		x.from = address.String() // for the log, above all that of a caller who is refused
	}
	if !known || !s.gate.Knows(address) {
		return fault.New(fault.AddressNotTrusted)
	}
	name, secret, well := basicCredentials(x.request.Header.Get("Authorization"))
	key, opened := s.gate.Unlock(name, secret)
	if !opened || !well {
		return fault.New(fault.Unauthorized)
	}
	x.key = key
	if !key.Allows(address) {
		return fault.New(fault.AddressNotTrusted)
	}
	return s.spend(x, key)
}

// clientAddress returns where a request comes from.
func (s *Server) clientAddress(x *exchange) (netip.Addr, bool) {
	return gate.ClientAddress(
		x.peer(), x.request.Header.Values("X-Forwarded-For"), s.TrustedProxies)
}

// peer is the address at the other end of the connection.
func (x *exchange) peer() netip.Addr {
	peer, err := netip.ParseAddrPort(x.request.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap()
}

// fromProxy reports whether the peer is a proxy whose headers are believed.
func (s *Server) fromProxy(x *exchange) bool { return gate.Contains(s.TrustedProxies, x.peer()) }

// basicCredentials reads the header Authorization: the scheme Basic in any case and the base64 of
// key, colon, secret in UTF-8. What is not well formed gives empty credentials, which are then
// looked up like any others, so that it takes as long.
func basicCredentials(header string) (name, secret string, well bool) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(token))
	if err != nil || !utf8.Valid(decoded) {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}

// spend takes the request from the key's rate and tells the caller what is left.
func (s *Server) spend(x *exchange, key apikey.Key) error {
	quota := s.gate.Spend(key)
	if !quota.Limited {
		return nil
	}
	window := wholeSeconds(gate.Window(key))
	x.header.Set("RateLimit-Policy", `"default";q=`+strconv.Itoa(quota.Burst)+`;w=`+window)
	x.header.Set("RateLimit",
		`"default";r=`+strconv.Itoa(quota.Remaining)+`;t=`+wholeSeconds(quota.Reset))
	if quota.Wait == 0 {
		return nil
	}
	exceeded := fault.New(fault.RateExceeded)
	exceeded.RetryAfter = quota.Wait
	return exceeded
}
