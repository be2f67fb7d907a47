package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"mintmark/internal/fault"
)

// notHTTP is the text of 59999 on a request that is no HTTP, or breaks its rules; this
// implementation's choice.
const notHTTP = "The request is not valid HTTP/1.1."

// notTLS is the text of 59999 on plain HTTP where TLS is spoken; this implementation's choice.
const notTLS = "The service is reached over HTTPS here."

// Refuse returns the whole answer, status line included, to a request that was refused before it
// became one: no HTTP at all, broken rules, headers that are too large, no TLS, or a connection for
// which there is no room. The connection is closed behind it.
func (s *Server) Refuse(status int, from net.Addr) []byte {
	var refused *fault.Fault
	retry, secure := "", ""
	if s.settings.Load().Secure {
		secure = hstsName + ": " + hsts + "\r\n"
	}
	switch status {
	case http.StatusHTTPVersionNotSupported:
		refused = fault.New(fault.HTTPVersion)
	case http.StatusNotImplemented:
		refused = fault.New(fault.NotImplemented)
	case http.StatusServiceUnavailable:
		refused, retry = fault.New(fault.Unavailable), "Retry-After: 1\r\n"
	case http.StatusUpgradeRequired: // the answer goes out in the clear, where HSTS has no say
		refused, secure = fault.New(fault.BodyUnreadable, notTLS), ""
	default:
		refused = fault.New(fault.BodyUnreadable, notHTTP)
	}
	x := &exchange{
		requestID: s.newRequestID(), started: time.Now(), faults: fault.List{refused},
		from: readPeer(from.String()).text,
	}
	answer := encode(x.requestID, nil, refused)
	x.log(context.Background(), s.log, answer)
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nCache-Control: no-store\r\n"+
		"%s%sConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		answer.HTTP, http.StatusText(answer.HTTP), contentType, retry, secure, len(answer.Body),
		answer.Body)
}

// Deny answers a request that must not reach the face: 59999, with a text that says why.
func (s *Server) Deny(w http.ResponseWriter, r *http.Request, reason string) {
	x := s.newExchange(w, r)
	defer x.deadline.end()
	denied := fault.New(fault.BodyUnreadable, reason)
	x.from = x.peer().text
	x.troubled(denied)
	answer := encode(x.requestID, nil, denied)
	x.send(answer)
	x.log(&x.deadline, s.log, answer)
}

// The header that has browsers come back by TLS only, for a year.
const (
	hstsName = "Strict-Transport-Security"
	hsts     = "max-age=31536000"
)

var hstsValues = []string{hsts}

// OverTLS serves what is not the face's beside it, where callers reach both by TLS.
func (s *Server) OverTLS(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			w.Header()[hstsName] = hstsValues
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether a service is reached by the name that each machine has for itself. A
// browser would take what it is told of one port of localhost for all of them, the address for
// operators and every other program on the machine included.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

// overTLS reports whether the caller has reached the service by TLS, here or at a proxy.
func (x *exchange) overTLS() bool {
	if x.settings.Secure || len(x.settings.TrustedProxies) == 0 {
		return x.settings.Secure
	}
	forwarded := x.request.Header.Get("X-Forwarded-Proto")
	return strings.EqualFold(forwarded, "https") && x.fromProxy()
}
