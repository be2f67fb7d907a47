package api

import (
	"encoding/base64"
	"fmt"
	"io"
	"testing"
	"time"

	"mintmark/internal/face/web"
)

// patience is the body timeout of these tests.
const patience = 100 * time.Millisecond

// unfinished returns a request whose body is incomplete.
func unfinished(method, path, key string) string {
	token := base64.StdEncoding.EncodeToString([]byte(key + ":" + key))
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\nAuthorization: Basic %s\r\n"+
		"Content-Length: 50\r\n\r\n{", method, path, token)
}

// TestSlowBodyIsHungUpOn checks that a caller whose body does not arrive in time gets no response
// and is disconnected.
func TestSlowBodyIsHungUpOn(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{BodyTimeout: patience}, taking())
	began := time.Now()
	got, err := f.raw(unfinished("POST", "/test/probe", "free"), 10*time.Second)
	if err == nil {
		t.Errorf("the answer is %s", got.Status)
	}
	if took := time.Since(began); took < patience || took > 5*time.Second {
		t.Errorf("the connection was closed after %s", took)
	}
}

// TestUnwantedBodyIsNotWaitedFor checks that a request that is refused before its body is read, or
// that needs no body, is answered without waiting for one.
func TestUnwantedBodyIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{BodyTimeout: patience})
	for _, row := range []struct {
		name, method, path, key string
		status                  int
	}{
		{"no credentials", "POST", "/card/lock", "nobody", 401},
		{"no route", "POST", "/nowhere/at/all", "free", 404},
		{"a route without a body", "GET", "/program/get", "free", 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := f.raw(unfinished(row.method, row.path, row.key), 10*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if got.StatusCode != row.status {
				t.Errorf("the answer is %s, want %d", got.Status, row.status)
			}
			if _, err := io.ReadAll(got.Body); err != nil {
				t.Error(err)
			}
			if !got.Close {
				t.Error("the connection stays open in the middle of a request")
			}
		})
	}
}
