package trigger

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// sendHTTP10 sends a request without its body as HTTP/1.0, which Go's client does not support.
func sendHTTP10(request *http.Request) (*http.Response, error) {
	conn, err := dial(request)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.0\r\nHost: %s\r\n\r\n",
		request.Method, request.URL.RequestURI(), request.URL.Host)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	response.Body = &connBody{response.Body, conn}
	return response, nil
}

// dial connects to the server of a request, over TLS if its address requires it.
func dial(request *http.Request) (net.Conn, error) {
	if request.URL.Scheme == "https" {
		return (&tls.Dialer{}).DialContext(request.Context(), "tcp", request.URL.Host)
	}
	return (&net.Dialer{}).DialContext(request.Context(), "tcp", request.URL.Host)
}

// connBody is a response body that closes its connection.
type connBody struct {
	io.ReadCloser
	conn net.Conn
}

// Close closes the body and the connection.
func (b *connBody) Close() error { return errors.Join(b.ReadCloser.Close(), b.conn.Close()) }
