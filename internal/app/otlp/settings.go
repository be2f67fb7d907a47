package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// Settings configures where and how spans are sent.
type Settings struct {
	Endpoint string // a URL
	Headers  map[string]string
	Gzip     bool
	Timeout  time.Duration // of one attempt
	TLS      *tls.Config   // nil for the default
}

const (
	tracesPath     = "/v1/traces"
	defaultTimeout = 10 * time.Second
)

// FromEnvironment returns the settings from the variables of OpenTelemetry. A given endpoint
// overrides theirs; Endpoint is empty if neither names one. A variable for traces, such as
// OTEL_EXPORTER_OTLP_TRACES_HEADERS, overrides the one for all signals, OTEL_EXPORTER_OTLP_HEADERS.
func FromEnvironment(endpoint string) (Settings, error) {
	s := Settings{Timeout: defaultTimeout}
	for _, read := range []func(*Settings) error{
		(*Settings).readHeaders, (*Settings).readCompression, (*Settings).readTimeout,
		(*Settings).readTLS,
	} {
		if err := read(&s); err != nil {
			return Settings{}, err
		}
	}
	err := s.readEndpoint(endpoint)
	return s, err
}

// variable returns the value and the name of a variable for traces, or else for all signals.
func variable(suffix string) (value, name string) {
	for _, prefix := range []string{"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"} {
		name = prefix + suffix
		if value = strings.TrimSpace(os.Getenv(name)); value != "" {
			return value, name
		}
	}
	return "", name
}

// readEndpoint reads the address. An endpoint for traces is used unchanged. Any other is the root
// of the collector, unless it comes from the settings and has a path.
func (s *Settings) readEndpoint(endpoint string) error {
	name := "tracesEndpoint"
	if endpoint == "" {
		endpoint, name = variable("ENDPOINT")
	}
	if endpoint == "" {
		return nil
	}
	address, err := url.Parse(endpoint)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return fmt.Errorf("%s must be a URL with http or https, and a host", name)
	}
	if s.TLS != nil && address.Scheme != "https" {
		return fmt.Errorf("%s must be https, because a certificate is set", name)
	}
	switch name {
	case "tracesEndpoint":
		if path.Clean("/"+address.Path) == "/" {
			address.Path = tracesPath
		}
	case "OTEL_EXPORTER_OTLP_ENDPOINT":
		address.Path = path.Join("/", address.Path, tracesPath)
	}
	s.Endpoint = address.String()
	return nil
}

// readHeaders reads name=value,name=value, with URL-escaped values. Its errors contain no value,
// which may be a secret.
func (s *Settings) readHeaders() error {
	text, variable := variable("HEADERS")
	if text == "" {
		return nil
	}
	s.Headers = make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		name, escaped, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(escaped))
		if !ok || err != nil || name == "" {
			return fmt.Errorf("%s must be name=value,name=value", variable)
		}
		s.Headers[name] = value
	}
	return nil
}

func (s *Settings) readCompression() error {
	text, name := variable("COMPRESSION")
	switch text {
	case "", "none":
	case "gzip":
		s.Gzip = true
	default:
		return fmt.Errorf("%s must be gzip or none", name)
	}
	return nil
}

func (s *Settings) readTimeout() error {
	text, name := variable("TIMEOUT")
	if text == "" {
		return nil
	}
	milliseconds, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return fmt.Errorf("%s must be a number of milliseconds", name)
	}
	s.Timeout = time.Duration(milliseconds) * time.Millisecond
	return nil
}

// readTLS reads the authority of the collector, and the certificate that this client presents.
func (s *Settings) readTLS() error {
	authority, name := variable("CERTIFICATE")
	certificate, certificateName := variable("CLIENT_CERTIFICATE")
	key, _ := variable("CLIENT_KEY")
	if authority == "" && (certificate == "" || key == "") {
		return nil
	}
	s.TLS = new(tls.Config)
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.TLS.RootCAs = x509.NewCertPool()
		if !s.TLS.RootCAs.AppendCertsFromPEM(text) {
			return fmt.Errorf("%s: %s contains no certificate", name, authority)
		}
	}
	if certificate != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return fmt.Errorf("%s: %w", certificateName, err)
		}
		s.TLS.Certificates = []tls.Certificate{pair}
	}
	return nil
}
