package listen

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"mintmark/internal/vault/signature"
)

// Secret signs forwarded events, as a webhook's secret does. Its text form is whsec_ and base64.
type Secret = signature.Secret

// ParseSecret parses a secret. Its error never quotes the text.
func ParseSecret(text string) (Secret, error) { return signature.ParseSecret(text) }

// NewSecret generates a secret of the minimum length that Standard Webhooks allows.
func NewSecret() (Secret, error) {
	key := make([]byte, signature.MinSecretBytes)
	if _, err := rand.Read(key); err != nil {
		return Secret{}, err
	}
	return signature.NewSecret(key)
}

// CheckAddress returns an error unless events can be forwarded to the address.
func CheckAddress(to string) error {
	address, err := url.Parse(to)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" ||
		address.Hostname() == "" {
		return errors.New("an http or https address is needed, such as " +
			"http://127.0.0.1:3000/webhooks")
	}
	return nil
}

// pauses holds the pause before each retry of an event that the receiver rejects. The event is
// dropped after the last one. A receiver that does not answer at all is retried until it does: it
// may be restarting.
var pauses = []time.Duration{time.Second, 5 * time.Second}

// sendTimeout bounds a request to the receiver, as in production.
const sendTimeout = 15 * time.Second

// maxAnswer is how much of a response is read, in bytes, so that the connection can be reused.
const maxAnswer = 64 << 10

type sender struct{ client *http.Client }

func newSender() *sender {
	return &sender{&http.Client{
		Timeout: sendTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// deliver signs an event and, if there is a receiver, posts it until it is accepted or dropped.
func (r *run) deliver(ctx context.Context, d *Delivery) error {
	if r.To == "" {
		return d.sign(r.Secrets, time.Now())
	}
	refusals, silent := 0, false
	for {
		began := time.Now()
		if err := d.sign(r.Secrets, began); err != nil {
			return err
		}
		d.Tries++
		status, err := r.sender.post(ctx, r.To, d.Headers, d.Body)
		d.Status, d.Took = status, time.Since(began)
		pause := retryPause
		switch {
		case d.Taken():
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !silent:
			silent = true
			r.Say("The receiver does not take event %d; trying again until it answers. (%v)",
				d.Event.Sequence, err)
		case err == nil && refusals == len(pauses):
			r.Say("Event %d is dropped: the receiver answered %d. --after %d begins with it.",
				d.Event.Sequence, status, d.Event.Sequence-1)
			return nil
		case err == nil:
			pause = pauses[refusals]
			refusals++
		}
		if !r.wait(ctx, pause) {
			return ctx.Err()
		}
	}
}

// sign sets the headers of a webhook delivery at the given time.
func (d *Delivery) sign(secrets []Secret, at time.Time) error {
	headers, err := signature.Headers(secrets, d.Event.ID, at, d.Body)
	d.Headers = headers
	return err
}

// post sends a body and returns the status of the response. An error means that there is no
// response.
func (s *sender) post(
	ctx context.Context, to string, headers map[string]string, body []byte,
) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Mintmark")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return 0, reason(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	return answer.StatusCode, nil
}

// reason strips the URL, which may contain a password, from an error.
func reason(err error) error {
	var wrapped *url.Error
	if !errors.As(err, &wrapped) {
		return err
	}
	if wrapped.Timeout() {
		return fmt.Errorf("no answer within %v", sendTimeout)
	}
	return wrapped.Err
}
