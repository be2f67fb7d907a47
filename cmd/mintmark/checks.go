package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"mintmark/internal/app"
	"mintmark/internal/base/platform"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/face/api"
	"mintmark/internal/operate/installation"
)

// findings holds the problems of a settings file, which are reported together.
type findings struct {
	problems []error
	insecure []string // accepted only with insecure: true
}

func (f *findings) add(format string, args ...any) {
	f.problems = append(f.problems, fmt.Errorf(format, args...))
}

func (f *findings) addInsecure(format string, args ...any) {
	f.insecure = append(f.insecure, fmt.Sprintf(format, args...))
}

// settings validates the file and returns the settings of the server.
func (c config) settings() (app.Settings, error) {
	settings := app.Settings{
		Listen: c.Listen, AdminListen: c.AdminListen, Data: c.Data, PublicURL: c.PublicURL,
		TLSCert: c.TLSCert, TLSKey: c.TLSKey, Limits: app.Limits(c.Limits),
		Database: installation.Database(c.Database), Nodes: c.Nodes, FourEyes: c.FourEyes,
		TokensApprove: c.TokensApprove,
		Insecure:      c.Insecure, Traces: c.TracesEndpoint,
	}
	var f findings
	if c.Data == "" {
		f.add("data: a directory is needed")
	}
	if c.Nodes < 0 || c.Nodes > maxNodes {
		f.add("nodes: %d is not from 1 to %d", c.Nodes, maxNodes)
	}
	c.checkPublicURL(&f)
	c.checkTraces(&f)
	c.checkListening(&f)
	c.Limits.check(&f)
	settings.Retention, settings.Archives = c.Retention.settings(&f)
	settings.TrustedProxies = prefixes(c.TrustedProxies, "trustedProxies",
		"any caller could claim another address", &f)
	settings.WebhooksAllow = prefixes(c.Webhooks.Allow, subscription.AllowSetting,
		"name the networks of the receivers", &f)
	c.Database.check(&f)
	settings.Processor, settings.ReportSecrets = c.Processor.settings(&f)
	settings.Custody = c.Custody.settings(&f)
	settings.ConsoleURL = c.ConsoleURL
	settings.OpenID = c.OpenID.settings(c.ConsoleURL, &f)
	if c.Insecure {
		settings.Warnings = f.insecure
		return settings, errors.Join(f.problems...)
	}
	for _, text := range f.insecure {
		f.add("%s; to accept this, set insecure: true", text)
	}
	return settings, errors.Join(f.problems...)
}

// maxNodes is far above the number of nodes that one database can serve. A larger number is a typo.
const maxNodes = 1000

// The range of each limit. Zero means the default.
const (
	minTimeout = 100 * time.Millisecond
	maxTimeout = time.Hour
	minBytes   = 1 << 10
	maxHeader  = 1 << 20
	maxBody    = app.MaxBodyBytes

	minConnections = 10
	maxConnections = 1_000_000

	maxAdminConnections = 10_000

	minReadCache = 1 << 20
	maxReadCache = 1 << 40
)

// check rejects limits that are too high to limit anything, or so low that they reject every
// caller.
func (l limits) check(f *findings) {
	for _, timeout := range []struct {
		name  string
		value time.Duration
	}{
		{"headerTimeout", l.HeaderTimeout}, {"bodyTimeout", l.BodyTimeout},
		{"answerTimeout", l.AnswerTimeout}, {"idleTimeout", l.IdleTimeout},
	} {
		if v := timeout.value; v != 0 && (v < minTimeout || v > maxTimeout) {
			f.add("limits.%s: %v is not from %v to %v", timeout.name, v, minTimeout, maxTimeout)
		}
	}
	if v := l.HeaderBytes; v != 0 && (v < minBytes || v > maxHeader) {
		f.add("limits.headerBytes: %d is not from %d to %d", v, minBytes, maxHeader)
	}
	if v := l.BodyBytes; v != 0 && (v < minBytes || v > maxBody) {
		f.add("limits.bodyBytes: %d is not from %d to %d", v, minBytes, maxBody)
	}
	if v := l.Connections; v != 0 && (v < minConnections || v > maxConnections) {
		f.add("limits.connections: %d is not from %d to %d", v, minConnections, maxConnections)
	}
	if v := l.AdminConnections; v != 0 && (v < minConnections || v > maxAdminConnections) {
		f.add("limits.adminConnections: %d is not from %d to %d", v, minConnections,
			maxAdminConnections)
	}
}

// checkPublicURL requires an address for links to begin with. Without it they would begin with the
// Host header that a caller sends.
func (c config) checkPublicURL(f *findings) {
	if c.PublicURL == "" {
		f.add("publicUrl: the address where callers reach the service is needed")
		return
	}
	read, err := url.Parse(c.PublicURL)
	if err != nil || read.Scheme != "http" && read.Scheme != "https" || read.Hostname() == "" {
		f.add("publicUrl: %q is not an http or https address", hidden(read, c.PublicURL))
		return
	}
	if read.User != nil || read.RawQuery != "" || read.ForceQuery || read.Fragment != "" ||
		strings.HasSuffix(c.PublicURL, "#") {
		f.add("publicUrl: %q has more than a host and a path", hidden(read, c.PublicURL))
	}
	if utf8.RuneCountInString(c.PublicURL) > api.MaxBaseURL {
		f.add("publicUrl: has more than %d characters, and download links begin with it",
			api.MaxBaseURL)
	}
}

// checkTraces rejects an endpoint that is not an address.
func (c config) checkTraces(f *findings) {
	read, err := url.Parse(c.TracesEndpoint)
	if c.TracesEndpoint != "" && (err != nil || read.Hostname() == "" || read.User != nil ||
		read.Scheme != "http" && read.Scheme != "https") {
		f.add("tracesEndpoint: %q is not an http or https address",
			hidden(read, c.TracesEndpoint))
	}
}

// hidden returns an address without its password. text is the address as written.
func hidden(read *url.URL, text string) string {
	if read == nil || read.User == nil {
		return text
	}
	return read.Redacted()
}

// checkListening rejects addresses that other machines could reach in plain HTTP.
func (c config) checkListening(f *findings) {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		f.add("tlsCert, tlsKey: set both or neither")
	}
	checkKeyFile(c.TLSKey, f)
	for _, listening := range []struct{ name, address string }{
		{"listen", c.Listen}, {"adminListen", c.AdminListen},
	} {
		if listening.address == "" {
			continue // the default is a loopback address
		}
		_, port, err := net.SplitHostPort(listening.address)
		if err == nil {
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			f.add("%s: %q is not host:port", listening.name, listening.address)
			continue
		}
		if c.TLSCert == "" && !app.OnLoopback(listening.address) {
			f.addInsecure("%s: %s can be reached from other machines in plain HTTP: "+
				"tlsCert and tlsKey are needed", listening.name, listening.address)
		}
	}
}

// checkKeyFile checks the mode of the certificate's key. Access for the group is allowed, as is
// usual on Debian.
func checkKeyFile(path string, f *findings) {
	if path == "" {
		return
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return // serve reports a missing file
	}
	if err != nil {
		f.add("tlsKey: %w", err)
		return
	}
	if platform.Exposed(info, 0o007) {
		f.addInsecure("tlsKey: %s has mode %04o, so every user of this machine can access it",
			path, info.Mode().Perm())
	}
}

// check rejects a database on another machine whose certificate is not verified, and a read cache
// outside its range.
func (d database) check(f *findings) {
	if v := d.ReadCache; v != 0 && (v < minReadCache || v > maxReadCache) {
		f.add("database.readCache: %d is not from %d to %d", v, minReadCache, maxReadCache)
	}
	if d.URL == "" {
		return
	}
	hosts, err := installation.Unverified(d.URL)
	if err != nil {
		f.add("database.url: %w", err)
		return
	}
	for _, host := range hosts {
		f.addInsecure("database.url: %s is another machine, and the connection to it is not "+
			"protected: sslmode=verify-full is needed (verify-ca will do)", host)
	}
}

// prefixes parses the addresses in a setting, which must not include a block of all addresses.
func prefixes(texts []string, setting, notAll string, f *findings) []netip.Prefix {
	var read []netip.Prefix
	for _, text := range texts {
		prefix, err := parsePrefix(text)
		if err != nil {
			f.add("%s: %w", setting, err)
			continue
		}
		if prefix.Bits() == 0 {
			f.add("%s: %s is every address: %s", setting, prefix, notAll)
		}
		read = append(read, prefix)
	}
	return read
}

// parsePrefix parses a block of addresses, or a single address.
func parsePrefix(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap() // peer addresses are compared in this form
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	return prefix.Masked(), err
}
