// Package httpport sends orders to a card processor over HTTP: each order is a signed POST, and the
// response is its result. Package message owns the body, package signature the headers; the
// dispatcher decides when to send an order again.
package httpport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"mintmark/internal/processor"
	"mintmark/internal/processor/message"
	"mintmark/internal/vault/signature"
)

// Timeout is the timeout of an order, including its response.
const Timeout = 10 * time.Second

// Settings configures the address of the processor, its keys, and the secrets that sign orders.
type Settings struct {
	URL     string             // orders go to URL/orders
	JWKS    string             // file with the public keys of the processor
	Secrets []signature.Secret // all of them sign; several during a rotation
}

// Port sends orders over HTTP. Its methods are safe for concurrent use.
type Port struct {
	client *http.Client
	now    func() time.Time // for signatures: wall time, which both sides share
	inUse  atomic.Pointer[inUse]
}

// inUse holds what a reload replaces.
type inUse struct {
	orders  string // URL of orders
	keys    *message.Keys
	secrets []signature.Secret
}

var _ processor.Port = (*Port)(nil)

// Open returns a port to the processor in the settings, and reads its keys.
func Open(s Settings) (*Port, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// A proxy from the environment would see the orders and respond for the processor.
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 16
	p := &Port{now: time.Now, client: &http.Client{
		Transport: transport,
		// A redirect is a response like any other that does not settle the order.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
	if err := p.Reload(s); err != nil {
		return nil, err
	}
	return p, nil
}

// Reload uses other settings from the next order on, and reads the keys again. After an error the
// previous settings stay in use.
func (p *Port) Reload(s Settings) error {
	next, err := s.read()
	if err != nil {
		return err
	}
	p.inUse.Store(next)
	return nil
}

// KeyName returns the kid of the key to which orders are encrypted.
func (p *Port) KeyName() string { return p.inUse.Load().keys.Name() }

func (s Settings) read() (*inUse, error) {
	address, err := url.Parse(s.URL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return nil, errors.New("the processor's address is not an http or https address")
	}
	if len(s.Secrets) == 0 {
		return nil, errors.New("a secret is needed to sign orders with")
	}
	keys, err := message.ReadKeys(s.JWKS)
	if err != nil {
		return nil, err
	}
	return &inUse{
		orders: strings.TrimSuffix(s.URL, "/") + "/orders", keys: keys, secrets: s.Secrets,
	}, nil
}

// Submit sends an order.
func (p *Port) Submit(ctx context.Context, m processor.Message) (processor.Answer, error) {
	use := p.inUse.Load()
	body, err := message.Encode(m, use.keys)
	if err != nil {
		return processor.Answer{}, err
	}
	headers, err := signature.Headers(use.secrets, m.OrderID, p.now(), body)
	if err != nil {
		return processor.Answer{}, err
	}
	sending, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(sending, http.MethodPost, use.orders,
		bytes.NewReader(body))
	if err != nil {
		return processor.Answer{}, fmt.Errorf("order %s: %w", m.OrderID, withoutAddress(err))
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := p.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return processor.Answer{}, ctx.Err() // this process is stopping, not the processor
		}
		return processor.Answer{}, fmt.Errorf("%w: %w", processor.ErrUnreachable,
			withoutAddress(err))
	}
	defer response.Body.Close()
	answer, err := read(response)
	answer.Reason = withoutSecrets(answer.Reason, m.Secret)
	return answer, err
}

// withoutAddress removes the address from an error of the client, because it may contain a
// password.
func withoutAddress(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Close closes idle connections.
func (p *Port) Close() { p.client.CloseIdleConnections() }
