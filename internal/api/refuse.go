package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"mintmark/internal/fault"
)

// notHTTP is the text of 59999 on a request that is no HTTP, or breaks its rules; this
// implementation's choice.
const notHTTP = "The request is not valid HTTP/1.1."

// Refuse returns the whole answer, status line included, to a request that was refused before it
// became one: no HTTP at all, broken rules, headers that are too large. The connection is closed
// behind it.
func (s *Server) Refuse(status int) []byte {
	var refused *fault.Fault
	switch status {
	case http.StatusHTTPVersionNotSupported:
		refused = fault.New(fault.HTTPVersion)
	case http.StatusNotImplemented:
		refused = fault.New(fault.NotImplemented)
	default:
		refused = fault.New(fault.BodyUnreadable, notHTTP)
	}
	x := &exchange{requestID: s.NewRequestID(), started: time.Now(), faults: fault.List{refused}}
	answer := encode(x.requestID, nil, refused)
	x.log(context.Background(), s.Log, answer)
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nCache-Control: no-store\r\n"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s",
		answer.HTTP, http.StatusText(answer.HTTP), contentType, len(answer.Body), answer.Body)
}
