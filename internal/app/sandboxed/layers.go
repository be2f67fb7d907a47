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

// Layer wraps a handler in another.
type Layer = func(http.Handler) http.Handler

// Deny sends the response to a rejected request, with the reason.
type Deny = func(w http.ResponseWriter, r *http.Request, reason string)

// PublicLayers returns the layers around the callers' face, the outermost first. Describe serves
// the description of the interface beside it.
func (s *Sandbox) PublicLayers(describe Layer, deny Deny) []Layer {
	return []Layer{
		s.dated, nameEnvironment, s.origins.guard(deny), s.origins.share, describe,
		func(next http.Handler) http.Handler { return s.door.Guard(next, s.requests.Unanswered) },
	}
}

// AdminLayers returns the layers around the faces of the operators' address, the outermost first.
func (s *Sandbox) AdminLayers(deny Deny) []Layer {
	return []Layer{s.dated, nameEnvironment, s.origins.guard(deny), s.settled}
}

// Listening sets the two addresses of the sandbox.
func (s *Sandbox) Listening(addresses ...net.Addr) { s.origins.open(addresses...) }

// Record records a response to a caller before it is sent, so that the caller finds it in the
// record afterwards.
func (s *Sandbox) Record(x *web.Exchange, status int, body []byte) {
	if status != 0 {
		s.sealBehind(x.Request)
	}
	s.requests.Record(x, status, body)
}

// environmentHeader names the environment in every response of a sandbox.
const environmentHeader = "Mintmark-Environment"

// nameEnvironment adds the environment header to every response.
func nameEnvironment(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(environmentHeader, "sandbox")
		next.ServeHTTP(w, r)
	})
}

// NamedRaw does the same for a response below HTTP.
func NamedRaw(refuse wire.Refuse) wire.Refuse {
	return func(status int, from net.Addr) []byte {
		line, rest, _ := bytes.Cut(refuse(status, from), []byte("\r\n"))
		return slices.Concat(line, []byte("\r\n"+environmentHeader+": sandbox\r\n"), rest)
	}
}

// dated sets the Date header of every response to the sandbox's clock, like all times in the
// response. It formats each second once.
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

// settled lets the background catch up before the requests of a repeatable sandbox, because they
// may see its data, and after those that may change it.
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
