// Package transit has a key service wrap and unwrap data keys. It uses the protocol of the transit
// engine of HashiCorp Vault, which OpenBao implements, too. The service holds the key-encryption
// key; this package handles addresses, tokens and responses. Package custody owns what is wrapped.
package transit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"mintmark/internal/base/platform"
	"mintmark/internal/base/secret"
)

// Settings configures the connection to the service.
type Settings struct {
	Address   string // such as https://vault.bank.example:8200
	Key       string // name of the key
	TokenFile string // read for each request, so that an agent can renew the token
	CAFile    string // trusted CA certificates in PEM; empty for the system's

	// Patience is how long requests are retried while the service is unreachable or sealed. Zero
	// means a single attempt.
	Patience time.Duration

	AllowReadable bool // accept a token file that other users may read
}

// Client uses one key of a service.
type Client struct {
	settings Settings
	http     *http.Client
	rest     time.Duration // before the second attempt
}

// Limits of one request (duration, length of the response) and of the pause between attempts
// (first, maximum).
const (
	timeout   = 5 * time.Second
	maxAnswer = 64 << 10
	firstRest = 250 * time.Millisecond
	maxRest   = 4 * time.Second
)

// New returns a client. It does not contact the service yet.
func New(s Settings) (*Client, error) {
	transport := &http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if s.CAFile != "" {
		text, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read the certificates of the key service: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("read the certificates of the key service: %s contains none",
				s.CAFile)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	return &Client{settings: s, rest: firstRest, http: &http.Client{
		Transport: transport, Timeout: timeout,
		// The token must not travel to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}, nil
}

// Name returns the name of the key.
func (c *Client) Name() string { return c.settings.Key }

// message is the body of a request, or the data of a response.
type message struct {
	Plaintext  []byte `json:"plaintext,omitempty"`
	Ciphertext string `json:"ciphertext,omitempty"`
}

// Encrypt has the service encrypt a text.
func (c *Client) Encrypt(ctx context.Context, plain []byte) (string, error) {
	answer, err := c.ask(ctx, "encrypt", message{Plaintext: plain})
	if err == nil && answer.Ciphertext == "" {
		err = c.failure("encrypt", errors.New("its answer has no ciphertext"))
	}
	return answer.Ciphertext, err
}

// Decrypt has the service decrypt a text that it encrypted.
func (c *Client) Decrypt(ctx context.Context, wrapped string) ([]byte, error) {
	answer, err := c.ask(ctx, "decrypt", message{Ciphertext: wrapped})
	if err == nil && len(answer.Plaintext) == 0 {
		err = c.failure("decrypt", errors.New("its answer has no plaintext"))
	}
	return answer.Plaintext, err
}

// failure adds the service, the act and the key to an error.
func (c *Client) failure(act string, err error) error {
	return fmt.Errorf("the key service %s cannot %s with the key %s: %w", c.settings.Address, act,
		c.settings.Key, err)
}

// ask retries a request until the service gives a final response or the patience is over.
func (c *Client) ask(ctx context.Context, act string, body message) (message, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return message{}, err
	}
	end := time.Now().Add(c.settings.Patience)
	for rest := c.rest; ; rest = min(2*rest, maxRest) {
		answer, again, err := c.once(ctx, act, text)
		if err == nil {
			return answer, nil
		}
		if !again || ctx.Err() != nil || time.Now().Add(rest).After(end) {
			return message{}, c.failure(act, err)
		}
		select {
		case <-ctx.Done():
			return message{}, c.failure(act, err)
		case <-time.After(rest):
		}
	}
}

// once makes one attempt, and reports whether a retry may help.
func (c *Client) once(ctx context.Context, act string, body []byte) (message, bool, error) {
	token, err := c.token()
	if err != nil {
		return message{}, false, err
	}
	at := strings.TrimRight(c.settings.Address, "/") + "/v1/transit/" + act + "/" +
		url.PathEscape(c.settings.Key)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return message{}, false, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Vault-Token", token.Reveal())
	request.Header.Set("X-Vault-Request", "true") // required by a proxying agent
	response, err := c.http.Do(request)
	if err != nil {
		return message{}, true, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return message{}, true, err
	}
	if response.StatusCode != http.StatusOK {
		return message{}, passing(response.StatusCode), refusal(response.StatusCode, text)
	}
	var answer struct {
		Data message `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return message{}, false, errors.New("its answer is not from a transit engine")
	}
	return answer.Data, false, nil
}

// passing reports whether a status is temporary: a sealed service responds with 503, one without a
// leader with 500 or 429.
func passing(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests
}

// hints explain the usual meaning of a status.
var hints = map[int]string{
	http.StatusBadRequest:         "another key has wrapped it, or the request is not understood",
	http.StatusForbidden:          "the token is wrong, has expired, or may not use the key",
	http.StatusNotFound:           "there is no such key, or no transit engine under /v1/transit",
	http.StatusServiceUnavailable: "the service is sealed or under maintenance",
}

// refusal returns an error with the errors in the service's response, which contain no secret.
func refusal(status int, text []byte) error {
	var said struct {
		Errors []string `json:"errors"`
	}
	_ = json.Unmarshal(text, &said) // a proxy's response has nothing to add to its status
	hint := cmp.Or(hints[status], "it refuses the request")
	if 300 <= status && status < 400 {
		hint = "it redirects; name the address that answers"
	}
	told := strings.Join(strings.Fields(strings.Join(said.Errors, "; ")), " ")
	if told == "" {
		return fmt.Errorf("status %d: %s", status, hint)
	}
	const enough = 200
	if letters := []rune(told); len(letters) > enough {
		told = string(letters[:enough])
	}
	return fmt.Errorf("status %d: %s (it says %q)", status, hint, told)
}

// token reads the token file, which only its owner may access.
func (c *Client) token() (secret.Text, error) {
	info, err := os.Stat(c.settings.TokenFile)
	if err != nil {
		return secret.Text{}, fmt.Errorf("its token: %w", err)
	}
	if platform.SecretExposed(c.settings.TokenFile, info) && !c.settings.AllowReadable {
		return secret.Text{}, fmt.Errorf("its token: %s has mode %04o, so users other than its "+
			"owner can access it; run chmod 600 %[1]s", c.settings.TokenFile, info.Mode().Perm())
	}
	text, err := os.ReadFile(c.settings.TokenFile)
	if err != nil {
		return secret.Text{}, fmt.Errorf("its token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \r\n\t") {
		return secret.Text{}, fmt.Errorf("its token: %s does not hold one token",
			c.settings.TokenFile)
	}
	return secret.New(token), nil
}
