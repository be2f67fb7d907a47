package recording

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"
)

// Client returns an HTTP client that follows no redirects and records for a test.
func Client(t testing.TB) *http.Client { return &http.Client{Transport: Transport(t)} }

// Transport returns a transport that records the answers for a test.
func Transport(t testing.TB) http.RoundTripper {
	if !On() {
		return http.DefaultTransport
	}
	return transport{t}
}

type transport struct{ t testing.TB }

// RoundTrip sends a request and records it with its whole answer.
func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil && r.Body != http.NoBody {
		var err error
		sent, err = io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	var used *watched
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			used, _ = info.Conn.(*watched) // a TLS connection has another type
			used.forget()
		}})
	began := time.Now()
	response, err := wire().RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	e := Exchange{
		Method: r.Method, Target: r.URL.String(),
		Request: strings.ToValidUTF8(string(sent), "\ufffd"),
		Sent:    append(headers(r.Header), "Host: "+r.Host), Began: began, Ended: time.Now(),
	}
	e.Status, e.Header = used.head(response)
	keep(tr.t, e, body)
	return response, nil
}

func headers(of http.Header) []string {
	var text strings.Builder
	_ = of.Write(&text) // a Builder accepts everything
	return lines(text.String())
}

// wire is the transport of all recorded requests. It stores what it reads, because net/http changes
// the case of header names and hides how an answer gives its length.
var wire = sync.OnceValue(func() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &watched{Conn: conn}, nil
	}
	transport.TLSNextProto = make(map[string]func(string, *tls.Conn) http.RoundTripper)
	return transport
})

// watched is a connection that stores the bytes read for the current request.
type watched struct {
	net.Conn
	mu   sync.Mutex
	read bytes.Buffer
}

// Read reads and stores bytes.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read.Write(p[:n])
	return n, err
}

func (w *watched) forget() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read.Reset()
}

// head returns the status line and the headers of an answer as they were sent, or as net/http
// parsed them if the connection was not watched.
func (w *watched) head(response *http.Response) (status string, header []string) {
	if w == nil {
		return response.Proto + " " + response.Status, headers(response.Header)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	text, _, _ := strings.Cut(w.read.String(), "\r\n\r\n")
	all := lines(text)
	return all[0], all[1:]
}
