package e2e

import (
	"testing"

	"mintmark/client"
	"mintmark/e2e/contract"
)

// connect returns a client that checks every answer against openapi.yaml. The secret of a demo key
// is its name.
func connect(t *testing.T, url, key string) *client.Client {
	t.Helper()
	return client.New(url, key, key, client.HTTPClient(contract.Client(t)))
}
