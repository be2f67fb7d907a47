package web

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Response is the answer of a face.
type Response struct {
	Status      int
	ContentType string
	Body        []byte
	Caching     string // Cache-Control; no-store if empty

	// Stream writes a long body piece by piece, instead of Body. The client's time to read it is
	// the answer timeout.
	Stream func(to io.Writer)

	// Owner, if set, is released after the answer has been sent.
	Owner Owner

	written bool // by the handler of a page, headers included
}

// JSONType is the media type of JSON.
const JSONType = "application/json"

// JSON returns an answer with a value as JSON on one line.
func JSON[A any](status int, shown A) (Response, error) {
	text, err := json.Marshal(shown)
	if err != nil {
		return Response{}, err
	}
	return JSONText(status, text), nil
}

// JSONText is like JSON for an encoded value. It appends the newline.
func JSONText(status int, text []byte) Response {
	return Response{Status: status, ContentType: JSONType, Body: append(text, '\n')}
}

// Owner owns the memory of an answer.
type Owner interface{ Release() }

func (r *Response) release() {
	if r.Owner != nil {
		r.Owner.Release()
	}
}

// autoLengthBytes is the length in bytes up to which net/http sets Content-Length itself, after the
// other headers: it buffers slightly more than that before it sends the first byte.
const autoLengthBytes = 2000

func (x *Exchange) send(response Response) {
	if response.written {
		return
	}
	x.limitUnreadBody()
	x.Header["Content-Type"] = []string{response.ContentType}
	x.Header["Cache-Control"] = []string{cmp.Or(response.Caching, "no-store")}
	x.strictTransport()
	if response.Stream != nil {
		x.writer.WriteHeader(response.Status)
		control := http.NewResponseController(x.writer)
		// A connection that rejects a deadline is closed, and the write will fail too.
		_ = control.SetWriteDeadline(time.Now().Add(x.deadline.at.Sub(x.started)))
		response.Stream(x.writer)
		return
	}
	if x.patient {
		// The connection's deadline may have passed. A connection that rejects a new one is closed.
		control := http.NewResponseController(x.writer)
		_ = control.SetWriteDeadline(time.Now().Add(pieceTimeout))
	}
	if len(response.Body) > autoLengthBytes || x.Request.Method == http.MethodHead {
		x.Header["Content-Length"] = []string{strconv.Itoa(len(response.Body))}
	}
	x.writer.WriteHeader(response.Status)
	// An error means that the client has disconnected.
	_, _ = x.writer.Write(response.Body)
}

// limitUnreadBody limits how long the server may read after the answer: net/http drains a body that
// the face did not read, which may take no longer than any body.
func (x *Exchange) limitUnreadBody() {
	if x.Request.Body == http.NoBody || x.read {
		return
	}
	control := http.NewResponseController(x.writer)
	// A connection that rejects a deadline is already closed.
	_ = control.SetReadDeadline(time.Now().Add(x.Settings.BodyTimeout))
}
