package api

import (
	"net"
	"net/http"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/web"
)

// Texts of 59999, this implementation's choice: for a request that is not HTTP or breaks its rules,
// and for plain HTTP on a TLS port.
const (
	notHTTP = "The request is not valid HTTP/1.1."
	notTLS  = "The service is reached over HTTPS here."
)

// Refuse returns the complete response, status line included, to a request that was rejected before
// it was parsed: not HTTP, malformed, headers too large, no TLS, or a connection over the limit.
// The connection is closed after it.
func (s *Server) Refuse(status int, from net.Addr) []byte {
	var refused *fault.Fault
	retry, strict := "", true
	switch status {
	case http.StatusHTTPVersionNotSupported:
		refused = fault.New(fault.HTTPVersion)
	case http.StatusNotImplemented:
		refused = fault.New(fault.NotImplemented)
	case http.StatusServiceUnavailable:
		refused, retry = fault.New(fault.Unavailable), "Retry-After: 1\r\n"
	case http.StatusUpgradeRequired: // HSTS is for TLS; this answer is sent in the clear
		refused, strict = fault.New(fault.BodyUnreadable, notTLS), false
	default:
		refused = fault.New(fault.BodyUnreadable, notHTTP)
	}
	x := s.host.Unserved(from)
	x.Actor = actor("")
	faults, answer := encodeProblem(x.ID, refused)
	x.Note(codesOf(faults))
	x.Codes = distinct(faults)
	response := web.Response{Status: answer.Status, ContentType: contentType, Body: answer.Body}
	return s.host.SendRaw(x, response, retry, strict)
}

// Deny answers a request that must not reach the face with 59999 and the reason.
func (s *Server) Deny(w http.ResponseWriter, r *http.Request, reason string) {
	s.host.Refuse(s, w, r, fault.New(fault.BodyUnreadable, reason))
}
