package load

import (
	"fmt"
	"time"

	"mintmark/internal/domain/apikey"
)

// Notes report changes that are allowed but may be mistakes: a bank may deactivate its last BIN,
// and a key may wait for its next secret.

func (p *pass) note(r *Report, at item, format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf("%s:%d: %s: %s", p.name,
		lineOf(at.node, ""), at.path, fmt.Sprintf(format, args...)))
}

// noteKey adds a note about a key that works for no caller, or from every address.
func (p *pass) noteKey(at item, k apikey.Key) {
	if !k.Revoked.IsZero() {
		return
	}
	expired := 0
	for _, secret := range k.Secrets {
		if !secret.Expires.IsZero() && secret.Expires.Before(p.r.Now()) {
			expired++
		}
	}
	if expired == len(k.Secrets) {
		p.note(p.out, at, "every secret of key %s has expired", k.Name)
	}
	for _, prefix := range k.Allow {
		if prefix.Bits() == 0 {
			p.note(p.out, at, "key %s may be used from every address", k.Name)
		}
	}
}

// noteDocument adds a note about a document that is shown to no caller.
func (p *pass) noteDocument(at item, id int, expires time.Time) {
	if !expires.IsZero() && expires.Before(p.r.Now()) {
		p.note(p.out, at, "document %d has expired", id)
	}
}

// noteBins adds notes about programs whose BINs are all inactive.
func (p *pass) noteBins() {
	active := make(map[int]bool)
	for _, bin := range p.known.bins {
		active[bin.ProgramID] = active[bin.ProgramID] || bin.IsActive
	}
	told := make(map[int]bool)
	for _, listed := range p.known.fileBins {
		id := p.known.bins[listed.id].ProgramID
		if !active[id] && !told[id] {
			p.note(p.report, listed.at, "program %d has no active BIN left, so no card can be made",
				id)
		}
		told[id] = true
	}
}
