package sandboxed

import (
	"bytes"
	"net"
	"net/http"
	"slices"
	"sync/atomic"

	"mintmark/internal/base/wire"
	"mintmark/internal/face/web"
)

// Layer is a handler around a handler.
type Layer = func(http.Handler) http.Handler

// Deny answers a request that is refused, with the reason.
type Deny = func(w http.ResponseWriter, r *http.Request, reason string)

// PublicLayers stand around the callers' face, the outermost first. Describe serves the description
// of the interface beside it.
func (s *Sandbox) PublicLayers(describe Layer, deny Deny) []Layer {
	return []Layer{
		s.dated, nameEnvironment, s.origins.guard(deny), s.origins.share, describe,
		func(next http.Handler) http.Handler { return s.door.Guard(next, s.requests.Unanswered) },
	}
}

// AdminLayers stand around the faces of the operators' address, the outermost first.
func (s *Sandbox) AdminLayers(deny Deny) []Layer {
	return []Layer{s.dated, nameEnvironment, s.origins.guard(deny), s.settled}
}

// Listening takes the two addresses on which the sandbox is reached.
func (s *Sandbox) Listening(addresses ...net.Addr) { s.origins.open(addresses...) }

// Record keeps an answer to a caller before it is sent: a reader of the answer finds it in the
// record.
func (s *Sandbox) Record(x *web.Exchange, status int, body []byte) {
	if status != 0 {
		s.sealBehind(x.Request)
	}
	s.requests.Record(x, status, body)
}

// environmentHeader names the environment in every answer of a sandbox.
const environmentHeader = "Mintmark-Environment"

// nameEnvironment has every answer say that it comes from a sandbox.
func nameEnvironment(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(environmentHeader, "sandbox")
		next.ServeHTTP(w, r)
	})
}

// NamedRaw does the same for an answer below HTTP.
func NamedRaw(refuse wire.Refuse) wire.Refuse {
	return func(status int, from net.Addr) []byte {
		line, rest, _ := bytes.Cut(refuse(status, from), []byte("\r\n"))
		return slices.Concat(line, []byte("\r\n"+environmentHeader+": sandbox\r\n"), rest)
	}
}

// dated has every answer of a sandbox be dated by its clock, as everything in the answer is. A
// second is written once.
func (s *Sandbox) dated(next http.Handler) http.Handler {
	type date struct {
		second int64
		header []string
	}
	var last atomic.Pointer[date]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := s.Clock.Now().UTC()
		of := last.Load()
		if of == nil || of.second != now.Unix() {
			of = &date{now.Unix(), []string{now.Format(http.TimeFormat)}}
			last.Store(of)
		}
		w.Header()["Date"] = of.header
		next.ServeHTTP(w, r)
	})
}

// settled has the background catch up around the requests of a repeatable sandbox that may see or
// change what it works on.
func (s *Sandbox) settled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.Repeatable() {
			next.ServeHTTP(w, r)
			return
		}
		s.settle(r.Context())
		next.ServeHTTP(w, r)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.settle(r.Context())
		}
	})
}
