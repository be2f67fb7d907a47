package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Errors of a body. The connection is closed behind the answer to either.
var (
	ErrBodyTooLarge   = errors.New("web: the body is too large")
	ErrBodyUnreadable = errors.New("web: the body cannot be read")
)

// ErrHangUp ends a request without an answer, and closes its connection: the client was too slow
// to send it, or a sandbox has lost the answer on purpose.
var ErrHangUp = errors.New("web: the connection is closed")

// ReadBody reads a body of at most the limit. The connection of a client that is too slow to send
// its body is closed without an answer: the error then is to be returned as it is.
func (x *Exchange) ReadBody() ([]byte, error) { return x.ReadBodyOf(x.Settings.BodyLimit) }

// ReadBodyOf is ReadBody with a limit of its own, which may be lower.
func (x *Exchange) ReadBodyOf(most int64) ([]byte, error) {
	most = min(most, x.Settings.BodyLimit)
	control := http.NewResponseController(x.writer)
	if err := control.SetReadDeadline(time.Now().Add(x.Settings.BodyTimeout)); err != nil {
		return nil, err
	}
	if x.Request.ContentLength > most {
		return nil, x.giveUp(ErrBodyTooLarge)
	}
	body, err := io.ReadAll(io.LimitReader(x.Request.Body, most+1))
	if timeout := (net.Error)(nil); errors.As(err, &timeout) && timeout.Timeout() {
		return nil, ErrHangUp
	}
	if err != nil {
		return nil, x.giveUp(ErrBodyUnreadable)
	}
	if int64(len(body)) > most {
		return nil, x.giveUp(ErrBodyTooLarge)
	}
	x.read = true
	// With the deadline still set, the server would take the connection for dead while the act is
	// at work.
	return body, control.SetReadDeadline(time.Time{})
}

func (x *Exchange) giveUp(err error) error {
	x.Header.Set("Connection", "close")
	return err
}
