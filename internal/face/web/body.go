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
	x.most = most
	control := http.NewResponseController(x.writer)
	if err := control.SetReadDeadline(time.Now().Add(x.Settings.BodyTimeout)); err != nil {
		return nil, err
	}
	if x.Request.ContentLength > most {
		return nil, x.giveUp(ErrBodyTooLarge)
	}
	body, err := io.ReadAll(io.LimitReader(x.Request.Body, most+1))
	x.Body = body
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

// How slow a client may send a body of OpenBody.
const (
	minRate = 16 << 10 // bytes a second
	slowFor = 6        // times BodyTimeout, in which it may be slower
)

// OpenBody returns the body of a request that may take longer to send, and to answer, than any
// other: the client has time anew for each piece, and the answer takes as long as the client waits.
// Reading from a client that stays slower than minRate fails. Errors of the reader are those of
// ReadBodyOf; the limit is not that of the host.
func (x *Exchange) OpenBody(most int64) io.Reader {
	x.patient, x.most = true, most
	return &piecewise{x, most, time.Now().Add(slowFor * x.Settings.BodyTimeout)}
}

type piecewise struct {
	exchange *Exchange
	left     int64
	latest   time.Time // until when the client may send at minRate
}

// Read reads a piece.
func (b *piecewise) Read(into []byte) (int, error) {
	x := b.exchange
	control := http.NewResponseController(x.writer)
	deadline := time.Now().Add(x.Settings.BodyTimeout)
	if deadline.After(b.latest) {
		deadline = b.latest
	}
	if err := control.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	n, err := x.Request.Body.Read(into)
	b.left -= int64(n)
	b.latest = b.latest.Add(time.Duration(n) * time.Second / minRate)
	if most := time.Now().Add(slowFor * x.Settings.BodyTimeout); b.latest.After(most) {
		b.latest = most // what was sent fast is no reason to wait for the rest
	}
	timeout := (net.Error)(nil)
	switch {
	case b.left < 0:
		return 0, x.giveUp(ErrBodyTooLarge)
	case errors.Is(err, io.EOF):
		x.read = true
		if err := control.SetReadDeadline(time.Time{}); err != nil {
			return n, err
		}
		return n, io.EOF
	case errors.As(err, &timeout) && timeout.Timeout():
		return 0, ErrHangUp
	case err != nil:
		return 0, x.giveUp(ErrBodyUnreadable)
	}
	return n, nil
}

func (x *Exchange) giveUp(err error) error {
	x.Header.Set("Connection", "close")
	return err
}
