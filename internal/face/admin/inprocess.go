package admin

import (
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
)

// InProcess returns a client of the interface for an operator who has signed in at the console. Its
// requests go to the handler of the face without a connection. In log and audit they are requests
// of the browser: with its address and its identifier.
func InProcess(handler http.Handler, who operator.Identity, x *web.Exchange) *wire.Client {
	known := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(WithIdentity(r.Context(), who)))
	})
	return wire.Over(web.InProcess{Handler: known, Browser: x}, "http://"+x.Request.Host, "")
}
