package app

import (
	"net"
	"net/http"

	"mintmark/internal/web"
)

// denyOperator answers a request that is refused.
func denyOperator(w http.ResponseWriter, _ *http.Request, reason string) {
	denied := web.Problem{
		Type: "/problems/not-allowed", Title: "Not allowed", Status: http.StatusForbidden,
		Detail: reason,
	}
	w.Header().Set("Content-Type", web.ProblemType)
	w.WriteHeader(denied.Status)
	// A write error means that the client has disconnected.
	_, _ = w.Write(append(denied.JSON(), '\n'))
}

// refuseOperator returns the whole response to a request to the admin address that could not be
// parsed, or to a connection above the limit.
func refuseOperator(status int, _ net.Addr) []byte {
	refused := web.Problem{
		Type: "/problems/invalid", Title: http.StatusText(status), Status: status,
	}
	header := "Content-Type: " + web.ProblemType + "\r\n"
	if status == http.StatusServiceUnavailable {
		refused.Type = "/problems/unavailable"
		header += "Retry-After: 1\r\n"
	}
	return web.Raw(status, header, refused.JSON())
}
