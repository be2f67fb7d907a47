package api

import (
	"context"
	"encoding/base64"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"mintmark/internal/apikey"
	"mintmark/internal/auth"
	"mintmark/internal/fault"
)

// admit makes the checks that stand before any route, in their fixed order: HTTP version, an
// address that any key knows, credentials, an address that this key knows, rate.
func (s *Server) admit(x *exchange) error {
	if x.request.ProtoMajor != 1 || x.request.ProtoMinor != 1 {
		x.header.Set("Connection", "close")
		return fault.New(fault.HTTPVersion)
	}
	peer := x.peer()
	address, known := auth.ClientAddress(
		peer.address, x.request.Header.Values("X-Forwarded-For"), x.settings.TrustedProxies)
	switch { // for the log, above all that of a caller who is refused
	case address == peer.address:
		x.from = peer.text
	case address.IsValid():
		x.from = address.String()
	}
	if !known || !s.callers.AllowsAddress(address) {
		return fault.New(fault.AddressNotTrusted)
	}
	name, secret, well := basicCredentials(x.request.Header.Get("Authorization"))
	key, opened := s.callers.Authenticate(name, secret)
	if !opened || !well {
		return fault.New(fault.Unauthorized)
	}
	x.key = key
	if !key.Allows(address) {
		return fault.New(fault.AddressNotTrusted)
	}
	return s.spend(x, key)
}

// peer is who is at the other end of a connection.
type peer struct {
	address netip.Addr // not valid when it is not known
	text    string     // the same as it is logged
}

// peerKey is where the context of a connection keeps its peer.
type peerKey struct{}

// WithPeer keeps in the context of a connection who is at its other end, so that it need not be
// read from text for each request. A server calls it for each connection.
func WithPeer(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, readPeer(conn.RemoteAddr().String()))
}

func readPeer(remote string) *peer {
	read, err := netip.ParseAddrPort(remote)
	if err != nil {
		return &peer{}
	}
	address := read.Addr().Unmap()
	return &peer{address, address.String()}
}

func (x *exchange) peer() *peer {
	if kept, ok := x.request.Context().Value(peerKey{}).(*peer); ok {
		return kept
	}
	return readPeer(x.request.RemoteAddr)
}

// fromProxy reports whether the peer is a proxy whose headers are believed.
func (x *exchange) fromProxy() bool {
	return auth.Contains(x.settings.TrustedProxies, x.peer().address)
}

// basicCredentials reads the header Authorization: the scheme Basic in any case and the base64 of
// key, colon, secret in UTF-8. What is not well formed gives empty credentials, which are then
// looked up like any others, so that it takes as long.
func basicCredentials(header string) (name, secret string, well bool) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	const ordinary = 128 // bytes; longer ones are decoded just as well
	decoded, err := base64.StdEncoding.AppendDecode(
		make([]byte, 0, ordinary), []byte(strings.TrimSpace(token)))
	if err != nil || !utf8.Valid(decoded) {
		return "", "", false
	}
	return strings.Cut(string(decoded), ":")
}

// spend takes the request from the key's rate and tells the caller what is left.
func (s *Server) spend(x *exchange, key apikey.Key) error {
	quota := s.callers.TakeToken(key)
	if !quota.Limited {
		return nil
	}
	window := wholeSeconds(auth.Window(key))
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
