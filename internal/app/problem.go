package app

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

// problem is how the admin address says what is wrong (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
}

const problemType = "application/problem+json"

// denyOperator answers a request that is not let in.
func denyOperator(w http.ResponseWriter, _ *http.Request, reason string) {
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(http.StatusForbidden)
	denied := problem{
		Type: "/problems/not-allowed", Title: "Not allowed", Status: http.StatusForbidden,
		Detail: reason,
	}
	// A write error means that the client has gone.
	_ = json.NewEncoder(w).Encode(denied)
}

// refuseOperator returns the whole answer to a request to the admin address that was refused
// before it became one, or to a connection for which there is no room.
func refuseOperator(status int, _ net.Addr) []byte {
	refused := problem{
		Type: "/problems/invalid", Title: http.StatusText(status), Status: status,
	}
	retry := ""
	if status == http.StatusServiceUnavailable {
		refused.Type, retry = "/problems/unavailable", "Retry-After: 1\r\n"
	}
	body, err := json.Marshal(refused)
	if err != nil {
		panic(err) // a problem is made of texts and a number
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%s"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s",
		status, http.StatusText(status), problemType, retry, len(body), body)
}
