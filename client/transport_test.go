package client

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOwnTransportSpeaksHTTP1 checks that the client speaks HTTP/1.1 to a server that prefers
// HTTP/2. It is in package client because the transport needs the server's certificate.
func TestOwnTransportSpeaksHTTP1(t *testing.T) {
	var protocol string
	server := httptest.NewUnstartedServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			protocol = r.Proto
			_, _ = io.WriteString(w, `{"data":{},"errors":[],"status":200}`)
		}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)

	c := New(server.URL, "k", "s")
	trusted := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c.http.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: trusted}
	_, err := c.ProgramGet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if protocol != "HTTP/1.1" {
		t.Errorf("the client spoke %s, want HTTP/1.1", protocol)
	}
}
