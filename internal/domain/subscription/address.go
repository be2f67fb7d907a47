package subscription

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// closed lists the addresses that a webhook may reach in production only if the settings allow it,
// because they belong to the operator's own network or to no host.
var closed = []struct{ prefix, what string }{
	{"0.0.0.0/8", "this network"},
	{"10.0.0.0/8", "private"},
	{"100.64.0.0/10", "carrier-grade NAT"},
	{"127.0.0.0/8", "loopback"},
	{"169.254.0.0/16", "link-local"},
	{"172.16.0.0/12", "private"},
	{"192.0.0.0/24", "protocol assignments"},
	{"192.0.2.0/24", "documentation"},
	{"192.88.99.0/24", "6to4 relay"},
	{"192.168.0.0/16", "private"},
	{"198.18.0.0/15", "benchmarking"},
	{"198.51.100.0/24", "documentation"},
	{"203.0.113.0/24", "documentation"},
	{"224.0.0.0/4", "multicast"},
	{"240.0.0.0/4", "reserved"},

	{"::1/128", "loopback"},
	{"::/96", "IPv4 in IPv6"}, // includes the unspecified address
	{"::ffff:0:0:0/96", "IPv4 in IPv6"},
	{"64:ff9b::/96", "NAT64"},
	{"64:ff9b:1::/48", "NAT64"},
	{"100::/64", "discard-only"},
	{"2001::/32", "Teredo"},
	{"2001::/23", "protocol assignments"},
	{"2001:db8::/32", "documentation"},
	{"2002::/16", "6to4"},
	{"3fff::/20", "documentation"},
	{"5f00::/16", "segment routing"},
	{"fc00::/7", "private"},
	{"fe80::/10", "link-local"},
	{"fec0::/10", "private"},
	{"ff00::/8", "multicast"},
}

// prefixes holds the parsed prefixes of closed.
var prefixes = func() []netip.Prefix {
	all := make([]netip.Prefix, len(closed))
	for i, row := range closed {
		all[i] = netip.MustParsePrefix(row.prefix)
	}
	return all
}()

// Reach defines which addresses webhooks may reach.
type Reach struct {
	// Sandbox allows every address, with HTTPS or plain HTTP.
	Sandbox bool
	// Allow lists addresses that are open in production in addition to those of the internet.
	Allow []netip.Prefix
}

// AllowSetting is the name of the setting that opens an address to webhooks.
const AllowSetting = "webhooks.allow"

// CheckAddress returns why an address is closed to webhooks, or "" if it is open.
func (r Reach) CheckAddress(address netip.Addr) string {
	if r.Sandbox {
		return ""
	}
	if !address.IsValid() || address.Zone() != "" {
		return "the address is not a public internet address"
	}
	address = address.Unmap()
	if r.allows(address) {
		return ""
	}
	for i, prefix := range prefixes {
		if prefix.Contains(address) {
			return fmt.Sprintf("%s is not open to webhooks: %s; %s in the settings opens it",
				address, closed[i].what, AllowSetting)
		}
	}
	return ""
}

func (r Reach) allows(address netip.Addr) bool {
	return slices.ContainsFunc(r.Allow, func(p netip.Prefix) bool { return p.Contains(address) })
}

// addressesOf returns the addresses of a host that needs no lookup, or nil for a name that does.
func addressesOf(host string) []netip.Addr {
	if strings.EqualFold(host, "localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return nil
	}
	return []netip.Addr{address.Unmap()}
}

// CheckURL returns the problem of a webhook's URL, or "" if the URL by itself is valid. The
// addresses of a host name are checked on connection.
func (r Reach) CheckURL(text string) string {
	at, err := url.Parse(text)
	var addresses []netip.Addr
	if err == nil {
		addresses = addressesOf(at.Hostname())
	}
	switch {
	case err != nil || at.Host == "" || at.Hostname() == "" || at.Opaque != "":
		return "must be an address such as https://example.com/hooks"
	case at.User != nil:
		return "must hold no user and no password"
	case at.Fragment != "":
		return "must hold no #"
	case at.Scheme != "https" && at.Scheme != "http":
		return "must begin with https://"
	case at.Scheme == "http" && !r.Sandbox &&
		(len(addresses) == 0 || !addresses[0].IsLoopback() && !r.allows(addresses[0])):
		return "must begin with https://; http is for the sandbox and for an address that " +
			AllowSetting + " holds"
	}
	why := ""
	for _, address := range addresses {
		if why = r.CheckAddress(address); why == "" {
			return ""
		}
	}
	return why
}

// WithoutQuery returns the URL or the name of a webhook for display. It replaces the query, which
// may contain a password, with ***.
func WithoutQuery(text string) string {
	at, err := url.Parse(text)
	if err != nil || at.RawQuery == "" {
		return text
	}
	at.RawQuery = "***"
	return at.String()
}
