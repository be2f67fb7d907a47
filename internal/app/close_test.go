package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// inFlight begins a request, which is not answered until the rest of its body is sent.
func inFlight(t *testing.T, running *App) (conn net.Conn, rest string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(running.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// The server asks for the body once the request has been authenticated.
	_, err = io.WriteString(conn, "POST /card/unlock HTTP/1.1\r\nHost: localhost\r\n"+
		"Authorization: Basic ZXhhbXBsZTE6ZXhhbXBsZTE=\r\nContent-Length: 33\r\n"+
		"Expect: 100-continue\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, line); err != nil {
		t.Fatal(err)
	}
	return conn, `{"customerId":1001,"cardId":5001}`
}

// idling returns a connection on which a request was answered.
func idling(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestCloseLetsRequestsFinish checks that a request in flight is answered, and that new ones are
// refused.
func TestCloseLetsRequestsFinish(t *testing.T) {
	running := start(t, sandboxIn(dataDir(t)))
	idle := map[string]net.Conn{}
	for _, url := range []string{running.URL(), running.AdminURL()} {
		idle[url] = idling(t, url)
	}
	conn, rest := inFlight(t, running)
	closed := make(chan error, 1)
	go func() { closed <- running.Close(context.Background()) }()
	for url, on := range idle {
		// An idle connection is closed after the listener.
		if _, err := on.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Fatalf("an idle connection to %s is not closed: %v", url, err)
		}
		if late, err := net.Dial("tcp", on.RemoteAddr().String()); err == nil {
			late.Close()
			t.Errorf("%s accepts a connection after the end", url)
		}
	}
	select {
	case err := <-closed:
		t.Fatalf("closed with a request in flight: %v", err)
	case <-time.After(50 * time.Millisecond): // no event marks that it stays open
	}
	if _, err := io.WriteString(conn, rest); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("the answer is %s", response.Status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestCloseDoesNotWaitForEver checks that the end of the context, by deadline or cancellation, ends
// the requests in flight.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	before := goleak.IgnoreCurrent()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	over, stopClock := context.WithTimeout(context.Background(), time.Millisecond)
	defer stopClock()
	for _, ctx := range []context.Context{cancelled, over} {
		running := start(t, sandboxIn(dataDir(t)))
		conn, _ := inFlight(t, running)
		if err := running.Close(ctx); !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("closing gives %v", err)
		}
		_, err := conn.Read(make([]byte, 1))
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the connection is open: %v", err)
		}
	}
	goleak.VerifyNone(t, before)
}
