package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Raw returns a whole answer, status line included, for a connection on which no server answers.
// The header is lines that end in CR and LF. The connection is to be closed behind it.
func Raw(status int, header string, body []byte) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		status, http.StatusText(status), header, len(body), body)
}

// Unserved begins the exchange of a request from an address that was refused before it became one.
// It has no Request and no Header; SendRaw ends it.
func (h *Host) Unserved(from net.Addr) *Exchange {
	return &Exchange{
		ID: h.newRequestID(), started: time.Now(), Settings: h.settings.Load(),
		Client: readPeer(from.String()).text, deadline: deadline{Context: context.Background()},
	}
}

// SendRaw returns the whole answer of an unserved exchange, which is logged and observed as any
// other. The header is what the answer needs beside those of every answer, HSTS among it where
// strict is set.
func (h *Host) SendRaw(x *Exchange, response Response, header string, strict bool) []byte {
	h.end(x, response.Status)
	secure := ""
	if strict && x.Settings.Secure {
		secure = hstsName + ": " + hsts + "\r\n"
	}
	return Raw(response.Status, "Content-Type: "+response.ContentType+"\r\n"+
		"Cache-Control: no-store\r\n"+header+secure, response.Body)
}
