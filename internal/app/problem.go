package app

import (
	"net"
	"net/http"

	"mintmark/internal/face/web"
)

// denyOperator sends the response to a request that is rejected.
func (a *App) denyOperator(w http.ResponseWriter, r *http.Request, reason string) {
	a.adminHost.Refuse(web.Pages{}, w, r, &web.Problem{
		Type: "/problems/not-allowed", Title: http.StatusText(http.StatusForbidden),
		Status: http.StatusForbidden, Detail: reason,
	})
}

// refuseOperator returns the whole response to a request to the admin address that could not be
// parsed, or to a connection above the limit.
func refuseOperator(status int, _ net.Addr) []byte {
	refused := web.Problem{
		Type: "/problems/invalid", Title: http.StatusText(status), Status: status,
		Detail: "The request is not valid HTTP.",
	}
	header := "Content-Type: " + web.ProblemType + "\r\n"
	if status == http.StatusServiceUnavailable {
		refused.Type, refused.Detail = "/problems/unavailable", "All connections are in use."
		header += "Retry-After: 1\r\n"
	}
	return web.Raw(status, header, refused.JSON())
}
