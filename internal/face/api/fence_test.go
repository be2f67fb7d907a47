package api

import (
	"context"
	"testing"

	"mintmark/internal/face/web"
)

// TestFence checks that callers of a program that moves to another installation are told to retry
// later, and that callers of other programs are served.
func TestFence(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{}, probe(func(context.Context, *call) (web.Response, error) {
		return web.Response{Status: 204}, nil
	}, nil))
	fenced := 0
	f.service.IsFenced = func(programID int) bool { return programID == fenced }
	if got := f.send("GET", "/test/probe", "free", ""); got.StatusCode != 204 {
		t.Errorf("without a fence the status is %d", got.StatusCode)
	}
	fenced = 1
	got := f.send("GET", "/test/probe", "free", "")
	got.want(t, 503, 50503)
	if got.Header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
	}
}
