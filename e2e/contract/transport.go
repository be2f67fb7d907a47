package contract

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"mintmark/e2e/recording"
)

// Client returns an HTTP client that checks every answer against the document and reports
// mismatches to the test.
func Client(t testing.TB) *http.Client {
	return &http.Client{Transport: transport{t, recording.Transport(t)}}
}

type transport struct {
	t    testing.TB
	wire http.RoundTripper
}

// RoundTrip sends a request and checks its answer before the caller gets it.
func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := tr.wire.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	answer := Answer{r.Method, r.URL, response.StatusCode, response.Header, body}
	if err := answer.Check(); err != nil {
		tr.t.Errorf("%s %s: the answer is not as openapi.yaml says: %v\n%s",
			r.Method, r.URL.Path, err, body)
	}
	return response, nil
}
