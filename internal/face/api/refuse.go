package api

import (
	"net"
	"net/http"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/web"
)

// Texts of 59999, this implementation's choice: on a request that is no HTTP, or breaks its rules,
// and on plain HTTP where TLS is spoken.
const (
	notHTTP = "The request is not valid HTTP/1.1."
	notTLS  = "The service is reached over HTTPS here."
)

// Refuse returns the whole answer, status line included, to a request that was refused before it
// became one: no HTTP at all, broken rules, headers that are too large, no TLS, or a connection for
// which there is no room. The connection is closed behind it.
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
	case http.StatusUpgradeRequired: // HSTS is for answers over TLS, and this one is in the clear
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

// Deny answers a request that must not reach the face: 59999, with a text that says why.
func (s *Server) Deny(w http.ResponseWriter, r *http.Request, reason string) {
	s.host.Refuse(s, w, r, fault.New(fault.BodyUnreadable, reason))
}
