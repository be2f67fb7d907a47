package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Errors of reading a body. The server closes the connection after the response to either.
var (
	ErrBodyTooLarge   = errors.New("web: the body is too large")
	ErrBodyUnreadable = errors.New("web: the body cannot be read")
)

// ErrHangUp ends a request without a response and closes its connection: the client was too slow to
// send the request, or a sandbox drops the connection on purpose.
var ErrHangUp = errors.New("web: the connection is closed")

// ReadBody reads a body of at most Settings.BodyLimit bytes. If the client is too slow to send its
// body, the error is ErrHangUp, which the face must return unchanged: it closes the connection
// without a response.
func (x *Exchange) ReadBody() ([]byte, error) { return x.ReadBodyOf(x.Settings.BodyLimit) }

// ReadBodyOf is like ReadBody, with a lower limit.
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
	// A read deadline that stays set would make the server consider the connection dead while the
	// act runs.
	return body, control.SetReadDeadline(time.Time{})
}

// The slowest rate at which a client may send a body that is read with OpenBody.
const (
	minRate = 16 << 10 // bytes a second
	slowFor = 6        // multiple of BodyTimeout for which it may be slower
)

// OpenBody returns a reader of the body of a request that may take longer than usual to send and to
// answer: each piece renews the client's deadline, and the answer may take as long as the client
// waits. Reading fails when the client stays slower than minRate. The reader returns the errors of
// ReadBodyOf. The limit is most, not the host's BodyLimit.
func (x *Exchange) OpenBody(most int64) io.Reader {
	x.patient, x.most = true, most
	return &piecewise{x, most, time.Now().Add(slowFor * x.Settings.BodyTimeout)}
}

type piecewise struct {
	exchange *Exchange
	left     int64
	latest   time.Time // deadline of a client that sends at minRate
}

// Read reads the next piece.
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
		b.latest = most // earlier speed earns no longer pause
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
