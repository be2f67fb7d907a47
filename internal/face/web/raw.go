package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Raw returns a complete response, status line included, for a connection that no HTTP server
// handles. Each header line ends in CR LF. The caller closes the connection after it.
func Raw(status int, header string, body []byte) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		status, http.StatusText(status), header, len(body), body)
}

// Unserved starts the exchange for a request that was rejected before it was parsed. The exchange
// has no Request and no Header. SendRaw ends it.
func (h *Host) Unserved(from net.Addr) *Exchange {
	return &Exchange{
		ID: h.newRequestID(), started: time.Now(), Settings: h.settings.Load(),
		Client: readPeer(from.String()).text, deadline: deadline{Context: context.Background()},
	}
}

// SendRaw logs and observes an unserved exchange like any other and returns its complete response.
// The header has the lines that this response needs beyond those of every response; with strict,
// HSTS is added if the host is secure.
func (h *Host) SendRaw(x *Exchange, response Response, header string, strict bool) []byte {
	h.end(x, response.Status)
	secure := ""
	if strict && x.Settings.Secure {
		secure = hstsName + ": " + hsts + "\r\n"
	}
	return Raw(response.Status, "Content-Type: "+response.ContentType+"\r\n"+
		"Cache-Control: no-store\r\n"+header+secure, response.Body)
}
