package doctor

import (
	"net/netip"
	"net/url"
	"strings"

	"mintmark/internal/base/platform"
	"mintmark/internal/store/sqlstore/postgres"
)

// addresses checks how callers connect, and which proxies are trusted for their addresses.
func (r *Report) addresses(p Installation) {
	if p.PublicURL == "" {
		return
	}
	result := OK
	read, err := url.Parse(p.PublicURL)
	if err != nil || read.Scheme != "https" && !postgres.IsLoopback(read.Hostname()) {
		result = Warning
	}
	r.find("public address", result, "%s", p.PublicURL)
	var wide []string
	for _, prefix := range p.Proxies {
		if tooWide(prefix) {
			wide = append(wide, prefix.String())
		}
	}
	if len(wide) > 0 {
		r.find("trusted proxies", Warning, "too wide: %s", strings.Join(wide, ", "))
		return
	}
	r.find("trusted proxies", OK, "%d addresses or blocks", len(p.Proxies))
}

// Prefix lengths below which a block belongs to more than one owner.
const (
	narrow4 = 24 // bits
	narrow6 = 48
)

// tooWide reports whether a block contains public addresses of many owners.
func tooWide(block netip.Prefix) bool {
	first := block.Addr()
	if first.IsPrivate() || first.IsLoopback() || first.IsLinkLocalUnicast() {
		return false
	}
	if first.Is4() {
		return block.Bits() < narrow4
	}
	return block.Bits() < narrow6
}

func (r *Report) openFiles(p Installation) {
	if p.Files == 0 {
		return
	}
	limit, err := platform.OpenFiles()
	if err != nil {
		r.find("open files", Failed, "%v", err)
		return
	}
	result := OK
	if limit < uint64(p.Files) {
		result = Warning
	}
	r.find("open files", result, "%d may be open, for %d connections", limit, p.Connections)
}

// folder checks the folder that orders are written to.
func (r *Report) folder(p Installation) {
	if p.ProcessorFolder == "" {
		return
	}
	if err := platform.Writable(p.ProcessorFolder); err != nil {
		r.find("processor folder", Failed, "%v", err)
		return
	}
	r.find("processor folder", OK, "%s can be written to", p.ProcessorFolder)
}
