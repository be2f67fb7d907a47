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
	Caching     string // Cache-Control; no-store where it is empty

	// Stream writes a long body piece by piece in place of Body. The client has as long to read it
	// as an answer may take to be made.
	Stream func(to io.Writer)

	// Owner, where it is set, is released once the answer is sent.
	Owner Owner

	written bool // by the handler of a page, headers and all
}

// JSONType is the media type of JSON.
const JSONType = "application/json"

// JSON returns an answer that shows a value as JSON, in one line.
func JSON[A any](status int, shown A) (Response, error) {
	text, err := json.Marshal(shown)
	if err != nil {
		return Response{}, err
	}
	return JSONText(status, text), nil
}

// JSONText is JSON for a value that is encoded already. It adds the end of the line.
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

// counted is how long an answer may be whose length the server adds itself, behind the other
// headers, in bytes. It keeps somewhat more than that before it sends the first of them.
const counted = 2000

// send sends the answer.
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
		// A connection that takes no deadline is at its end, and takes no answer either.
		_ = control.SetWriteDeadline(time.Now().Add(x.deadline.at.Sub(x.started)))
		response.Stream(x.writer)
		return
	}
	if x.patient {
		// The deadline of the connection may be over. One that takes none is at its end.
		control := http.NewResponseController(x.writer)
		_ = control.SetWriteDeadline(time.Now().Add(patience))
	}
	if len(response.Body) > counted || x.Request.Method == http.MethodHead {
		x.Header["Content-Length"] = []string{strconv.Itoa(len(response.Body))}
	}
	x.writer.WriteHeader(response.Status)
	// An error means that the client has gone.
	_, _ = x.writer.Write(response.Body)
}

// limitUnreadBody bounds how long the server may read on behind the answer: it reads what is left
// of a body that the face did not want, and that may take no longer than any body.
func (x *Exchange) limitUnreadBody() {
	if x.Request.Body == http.NoBody || x.read {
		return
	}
	control := http.NewResponseController(x.writer)
	// A connection that takes no deadline is at its end already.
	_ = control.SetReadDeadline(time.Now().Add(x.Settings.BodyTimeout))
}
