package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// answerInProcess calls a handler in-process, as the console does.
func answerInProcess(t *testing.T, handler http.HandlerFunc) *http.Response {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	inside := InProcess{handler, &Exchange{Request: request, ID: "a"}}
	response, err := inside.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// TestAnswersInProcess reads a complete response.
func TestAnswersInProcess(t *testing.T) {
	t.Parallel()
	answer := answerInProcess(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "text of "+r.Header.Get("X-Request-Id"))
	})
	text, err := io.ReadAll(answer.Body)
	if err != nil || string(text) != "text of a" || answer.StatusCode != http.StatusCreated ||
		answer.ContentLength != 9 || answer.Header.Get("ETag") != `"1"` {
		t.Errorf("%+v, %s, %v", answer, text, err)
	}
}

// TestPanicInProcess checks that a handler's panic reaches the server of the page.
func TestPanicInProcess(t *testing.T) {
	t.Parallel()
	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler {
			t.Errorf("the panic is %v", cause)
		}
	}()
	answerInProcess(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
}
