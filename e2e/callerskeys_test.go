package e2e

import (
	"errors"
	"net/http"
	"testing"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/e2e/contract"
)

// TestKeyOfACaller issues a key as an operator, calls with it, rotates it with an overlap in which
// both secrets work, and revokes it. Each act is effective when it is answered.
func TestKeyOfACaller(t *testing.T) {
	t.Parallel()
	running := sandbox(t)
	operator := admin.New(running.adminURL(), "sandbox-security")
	ask := func(path string, body any) admin.Key {
		t.Helper()
		key, err := admin.Do[admin.Key](t.Context(), operator, admin.Request{
			Method: http.MethodPost, Path: "programs/1/keys" + path, Body: body,
		})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	key := ask("", admin.NewKey{
		Name: "shop", Allow: []string{"127.0.0.0/8"}, RatePerSecond: new(float64),
	})
	opens := func(secret string) bool {
		t.Helper()
		caller := client.New(running.url, key.Key, secret, client.HTTPClient(contract.Client(t)))
		_, err := caller.ProgramGet(t.Context())
		failure := (*client.Failure)(nil)
		if err != nil && (!errors.As(err, &failure) || !failure.Has(50401)) {
			t.Fatal(err)
		}
		return err == nil
	}
	if !opens(key.Secret) {
		t.Error("the new key opens nothing")
	}

	rotated := ask("/shop/rotate", admin.RotateKey{Overlap: "1h"})
	if !opens(rotated.Secret) {
		t.Error("the rotated key opens nothing")
	}
	if !opens(key.Secret) || rotated.PreviousUntil == nil {
		t.Errorf("within the overlap the old secret opens nothing: %v", rotated.PreviousUntil)
	}

	problem := (*admin.Problem)(nil)
	request := admin.Request{Method: http.MethodPost, Path: "programs/1/keys/shop/revoke"}
	_, err := admin.Do[admin.Key](t.Context(), operator, request)
	if !errors.As(err, &problem) || problem.Name() != admin.Invalid {
		t.Errorf("a key is revoked without a reason: %v", err)
	}
	request.Reason = "leaked"
	revoked, err := admin.Do[admin.Key](t.Context(), operator, request)
	if err != nil || revoked.State != "revoked" {
		t.Fatalf("the key is %s: %v", revoked.State, err)
	}
	if opens(rotated.Secret) || opens(key.Secret) {
		t.Error("the revoked key opens")
	}
}
