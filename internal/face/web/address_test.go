package web

import (
	"net/netip"
	"strings"
	"testing"
)

var proxies = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32"),
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		peer  string
		lines []string
		want  string // empty if the address is unknown
	}{
		{"a peer that is no proxy", "192.0.2.1", nil, "192.0.2.1"},
		{"what it says of others", "192.0.2.1", []string{"198.51.100.7"}, "192.0.2.1"},
		{"what it says that is malformed", "192.0.2.1", []string{"?"}, "192.0.2.1"},
		{"a proxy that asks for itself", "10.0.0.1", nil, "10.0.0.1"},
		{"an empty line", "10.0.0.1", []string{""}, "10.0.0.1"},
		{"a blank line", "10.0.0.1", []string{" \t"}, "10.0.0.1"},
		{"behind one proxy", "10.0.0.1", []string{"198.51.100.7"}, "198.51.100.7"},
		{"behind two", "10.0.0.1", []string{"198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"behind proxies of both kinds", "2001:db8::1", []string{"198.51.100.7,10.0.0.2"},
			"198.51.100.7"},
		{"what a caller has made up", "10.0.0.1", []string{"127.0.0.1, 198.51.100.7"},
			"198.51.100.7"},
		{"what a caller has made up, malformed", "10.0.0.1", []string{"?, 198.51.100.7"},
			"198.51.100.7"},
		{"proxies all the way", "10.0.0.1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"several lines", "10.0.0.1", []string{"198.51.100.7", "10.0.0.3", "10.0.0.2"},
			"198.51.100.7"},
		{"the last line first", "10.0.0.1", []string{"198.51.100.7", "203.0.113.9"},
			"203.0.113.9"},
		{"white space", "10.0.0.1", []string{"\t198.51.100.7 ,  10.0.0.2 "}, "198.51.100.7"},
		{"IPv6", "10.0.0.1", []string{"2001:DB9::7, 2001:db8::2"}, "2001:db9::7"},
		{"IPv4 in IPv6", "::ffff:10.0.0.1", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"a proxy as IPv4 in IPv6", "10.0.0.1", []string{"198.51.100.7, ::ffff:10.0.0.2"},
			"198.51.100.7"},
		{"a name", "10.0.0.1", []string{"example.com"}, ""},
		{"unknown", "10.0.0.1", []string{"unknown"}, ""},
		{"with a port", "10.0.0.1", []string{"198.51.100.7:80"}, ""},
		{"in brackets", "10.0.0.1", []string{"[2001:db9::7]"}, ""},
		{"with a zone", "10.0.0.1", []string{"fe80::1%eth0"}, ""},
		{"a block", "10.0.0.1", []string{"198.51.100.0/24"}, ""},
		{"too short", "10.0.0.1", []string{"198.51.100"}, ""},
		{"leading zeros", "10.0.0.1", []string{"198.51.100.007"}, ""},
		{"an empty entry at the end", "10.0.0.1", []string{"198.51.100.7,"}, ""},
		{"an empty entry in the middle", "10.0.0.1", []string{"198.51.100.7,,10.0.0.2"}, ""},
		{"malformed behind a proxy", "10.0.0.1", []string{"198.51.100.7, ?, 10.0.0.2"}, ""},
		{"two empty lines", "10.0.0.1", []string{"", ""}, ""},
		{"no peer", "", []string{"198.51.100.7"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var peer netip.Addr
			if row.peer != "" {
				peer = netip.MustParseAddr(row.peer)
			}
			got, ok := clientAddress(peer, row.lines, proxies)
			if ok != (row.want != "") {
				t.Fatalf("known is %v, address %s, want %q", ok, got, row.want)
			}
			if ok && got.String() != row.want {
				t.Errorf("the address is %s, want %s", got, row.want)
			}
		})
	}
}

// FuzzClientAddress checks what must hold for any input: a returned address is the peer's or one of
// the lines, and a proxy only if every entry is one. What precedes the address in the lines has no
// effect, because anyone can write there.
func FuzzClientAddress(f *testing.F) {
	f.Add("10.0.0.1", "198.51.100.7, 10.0.0.2", "127.0.0.1")
	f.Add("10.0.0.1", "::ffff:10.1.1.1", "?")
	f.Add("2001:db8::1", " ,", "a, b")
	f.Add("192.0.2.1", "10.0.0.1", "")
	f.Fuzz(func(t *testing.T, peerText, line, madeUp string) {
		peer, err := netip.ParseAddr(peerText)
		if err != nil {
			return
		}
		got, ok := clientAddress(peer, []string{line}, proxies)
		if !contains(proxies, peer.Unmap()) {
			if !ok || got != peer.Unmap() {
				t.Fatalf("the peer %s is %s, %v", peer, got, ok)
			}
			return
		}
		if !ok {
			return
		}
		if got.Is4In6() || !got.IsValid() {
			t.Fatalf("%q: the address is %s", line, got)
		}
		if contains(proxies, got) {
			return
		}
		known := false
		for entry := range strings.SplitSeq(line, ",") {
			sent, err := netip.ParseAddr(strings.TrimSpace(entry))
			known = known || err == nil && sent.Unmap() == got
		}
		if !known {
			t.Fatalf("%q does not hold %s", line, got)
		}
		again, ok := clientAddress(peer, []string{madeUp, line}, proxies)
		if !ok || again != got {
			t.Fatalf("with %q before it %q gives %s, %v, want %s", madeUp, line, again, ok, got)
		}
	})
}
