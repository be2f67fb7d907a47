package app_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzTarget requests any path with any query. The response must be the envelope with a status of
// success or of the caller's fault, and the same one the next time.
func FuzzTarget(f *testing.F) {
	for _, target := range []string{
		"/program/get", "/card/get/1001/5001", "/card/getbytag/1001/demo-5001",
		"/card/getbytag/1001/?tag=demo-5001", "/card/getbytag/1001/a%2Fb+c",
		"/card/list/1001?status=verified", "/card/list/1001?status=a&status=b",
		"/card/list/1001?status=%zz;x&&=", "/bankdocument/list/en-US/null",
		"/bankdocument/download/en-US/90", "//CARD//get/-1/99999999999/", "*", "http://x/card/get",
		"/card/get/%00/\xff", "/card/lock",
	} {
		f.Add(target)
	}
	s := startLogged(f)
	f.Cleanup(func() { s.stop() })
	f.Fuzz(func(t *testing.T, target string) {
		if target == "" || strings.ContainsAny(target, "\r\n") {
			return // another request, not another target
		}
		status, codes := ask(t, s, target)
		if status >= http.StatusInternalServerError {
			t.Errorf("%q is answered %d, %v", target, status, codes)
		}
		again, codesAgain := ask(t, s, target)
		if status != again || len(codes) != len(codesAgain) {
			t.Errorf("%q is answered %d, then %d", target, status, again)
		}
	})
}

// ask sends a target unchanged and reads the envelope of the response.
func ask(t *testing.T, s *logged, target string) (status int, codes []int) {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	request := "GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
		"Authorization: Basic ZXhhbXBsZTE6ZXhhbXBsZTE=\r\n\r\n"
	if _, err := io.WriteString(connection, request); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatalf("%q: %v", target, err)
	}
	defer response.Body.Close()
	var envelope struct {
		Errors []struct{ Code int }
		Status int
	}
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil {
		t.Fatalf("%q is not answered with the envelope: %v", target, err)
	}
	if envelope.Status != response.StatusCode {
		t.Errorf("%q: status %d in an answer of HTTP status %d",
			target, envelope.Status, response.StatusCode)
	}
	for _, e := range envelope.Errors {
		codes = append(codes, e.Code)
	}
	return envelope.Status, codes
}
