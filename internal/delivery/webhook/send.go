package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"mintmark/internal/base/secret"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
)

// sendTimeout bounds a delivery, from the lookup of the host to the end of the response.
const sendTimeout = 15 * time.Second

// connectionsPerHost limits the idle connections to a receiver that stay open.
const connectionsPerHost = 4

// Sender sends events over HTTP.
type Sender struct{ client *http.Client }

// NewSender returns a Sender that connects only to addresses that reach currently allows. A nil
// resolver means the resolver of the system.
func NewSender(reach func() subscription.Reach, resolver *net.Resolver) *Sender {
	dial := dialer{reach: reach, resolver: resolver}
	return &Sender{client: &http.Client{
		Timeout: sendTimeout,
		Transport: &http.Transport{
			// With a proxy from the environment, dialer would check the proxy's address.
			Proxy: nil, DialContext: dial.connect, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: connectionsPerHost, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: sendTimeout, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// dialer connects only to addresses that are open to webhooks.
type dialer struct {
	reach    func() subscription.Reach
	resolver *net.Resolver
}

// connect checks the address that it really connects to, after name resolution.
func (d dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	through := net.Dialer{Resolver: d.resolver}
	through.Control = func(_, resolved string, _ syscall.RawConn) error { return d.check(resolved) }
	to, err := through.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return connection{to, d}, nil
}

// check returns an error if an address is closed to webhooks.
func (d dialer) check(resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return err
	}
	if why := d.reach().CheckAddress(at.Addr()); why != "" {
		return closedError(why)
	}
	return nil
}

// connection is reused for later deliveries while its address is open to webhooks.
type connection struct {
	net.Conn
	dialer
}

// Write writes text, unless a reload of the settings has closed the address.
func (c connection) Write(text []byte) (int, error) {
	if err := c.check(c.RemoteAddr().String()); err != nil {
		return 0, err
	}
	return c.Conn.Write(text)
}

// closedError is the reason why an address is closed to webhooks.
type closedError string

func (e closedError) Error() string { return string(e) }

// reply is the outcome of an attempt.
type reply struct {
	subscription.Attempt
	retryAfter time.Duration
}

// gone reports whether the receiver wants no more events.
func (r reply) gone() bool { return r.Status == http.StatusGone }

// Send posts an event, signed with each of the secrets.
func (s *Sender) Send(
	ctx context.Context, to string, secrets []secret.Text, e event.Event,
) reply {
	began := time.Now()
	r := s.post(ctx, to, secrets, e, began)
	r.Duration = time.Since(began)
	return r
}

func (s *Sender) post(
	ctx context.Context, to string, secrets []secret.Text, e event.Event, now time.Time,
) (r reply) {
	fail := func(err error) reply {
		r.Error = reason(err)
		return r
	}
	body, err := e.Body()
	if err != nil {
		return fail(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return fail(err)
	}
	signature, err := sign(secrets, e.ID, now, body)
	if err != nil {
		return fail(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Mintmark")
	request.Header.Set(standardwebhooks.HeaderWebhookID, e.ID)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	answer, err := s.client.Do(request)
	if err != nil {
		return fail(err)
	}
	defer answer.Body.Close()
	// The status decides; a truncated body is as good as a short one.
	text, _ := io.ReadAll(io.LimitReader(answer.Body, subscription.MaxAnswer))
	_, _ = io.CopyN(io.Discard, answer.Body, 16<<10) // so that the connection can be reused
	r.Status, r.Answer = answer.StatusCode, strings.ToValidUTF8(string(text), "�")
	r.retryAfter = retryAfter(answer.Header.Get("Retry-After"), now)
	switch status := answer.StatusCode; {
	case status >= 200 && status < 300:
	case status >= 300 && status < 400:
		r.Error = fmt.Sprintf("the answer is %d, and redirects are not followed", status)
	default:
		r.Error = fmt.Sprintf("the answer is %d", status)
	}
	return r
}

// sign returns the signatures with all secrets, separated by spaces.
func sign(secrets []secret.Text, id string, now time.Time, body []byte) (string, error) {
	signatures := make([]string, len(secrets))
	for i, text := range secrets {
		signer, err := standardwebhooks.NewWebhook(text.Reveal())
		if err != nil {
			return "", errors.New("a webhook secret is not valid base64")
		}
		signatures[i], err = signer.Sign(id, now, body)
		if err != nil {
			return "", err
		}
	}
	return strings.Join(signatures, " "), nil
}

// maxErrorText bounds a stored error, in bytes: a certificate may have many names.
const maxErrorText = 200

// reason describes why there is no response. It omits the URL, which may contain a password, and
// what the receiver sent, which may be personal data.
func reason(err error) string {
	var closed closedError
	var wrapped *url.Error
	var name *net.DNSError
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &closed):
		return closed.Error()
	case !errors.As(err, &wrapped):
		return err.Error() // nothing was sent
	case wrapped.Timeout():
		return "no answer within " + sendTimeout.String()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed without an answer"
	case errors.As(err, &name) && name.IsNotFound:
		return value.Cut("no such host: "+name.Name, maxErrorText)
	case errors.As(err, &name):
		return value.Cut("the host "+name.Name+" could not be looked up: "+name.Err, maxErrorText)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: nothing listens at the address and port"
	case errors.As(err, &certificate):
		return value.Cut("the certificate is not trusted: "+certificate.Err.Error(), maxErrorText)
	case errors.Is(err, http.ErrSchemeMismatch):
		return "the receiver speaks plain HTTP, not HTTPS"
	case errors.As(err, &network), errors.Is(err, context.Canceled):
		return value.Cut(wrapped.Err.Error(), maxErrorText)
	}
	return "the answer is not valid HTTP"
}

// retryAfter parses a Retry-After header, seconds or a date, and returns the time to wait. It
// returns 0 for an unreadable header.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		const most = 1 << 30
		return time.Duration(max(0, min(seconds, most))) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, date.Sub(now))
}
