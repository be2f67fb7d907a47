package app

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// certificate is a TLS certificate that is reloaded when its files change, so that it can be
// renewed without a restart. If a file cannot be read, the previous certificate stays in use.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	stamp  time.Time // modification time when the files were read
	looked time.Time // last check of the files
}

// lookEvery is the minimum interval between checks of the files.
const lookEvery = time.Second

// openCertificate reads a certificate and its key. Either both file names are set or neither; with
// neither there is no TLS.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	if certFile == "" || keyFile == "" {
		return nil, errors.New("TLS needs a certificate and its key")
	}
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// config returns the TLS configuration of a listener, nil without a certificate.
func (c *certificate) config() *tls.Config {
	if c == nil {
		return nil
	}
	config := c.encrypted()
	config.NextProtos, config.GetConfigForClient = []string{http11}, c.withoutProtocols
	return config
}

// encrypted returns a configuration for TLS 1.3, and TLS 1.2 with AEAD suites.
func (c *certificate) encrypted() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
			tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
		GetCertificate: c.current,
	}
}

// use replaces the certificate with one read from the same or other files, and returns the old and
// the new name.
func (c *certificate) use(read *certificate) (from, to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, to = name(c.loaded), name(read.loaded)
	c.certFile, c.keyFile = read.certFile, read.keyFile
	c.loaded, c.stamp, c.looked = read.loaded, read.stamp, time.Now()
	return from, to
}

// name identifies a certificate in the log.
func name(loaded *tls.Certificate) string {
	return fmt.Sprintf("%s, serial %x, until %s", loaded.Leaf.Subject, loaded.Leaf.SerialNumber,
		loaded.Leaf.NotAfter.UTC().Format(time.RFC3339))
}

const http11 = "http/1.1"

// current returns the certificate in use.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < lookEvery {
		return c.loaded, nil
	}
	c.looked = time.Now()
	if stamp, err := c.modified(); err == nil && !stamp.Equal(c.stamp) {
		before := name(c.loaded)
		if err := c.load(); err != nil {
			c.log.Error("certificate not reloaded, the old one stays in use", "error", err)
		} else if after := name(c.loaded); after != before {
			c.log.Info("certificate reloaded", "certificate", before+" → "+after)
		}
	}
	return c.loaded, nil
}

// withoutProtocols completes the handshake with a client that offers only HTTP/2, so that an HTTP
// response can tell it to use HTTP/1.1.
func (c *certificate) withoutProtocols(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	if len(hello.SupportedProtos) == 0 || slices.Contains(hello.SupportedProtos, http11) {
		return nil, nil
	}
	return c.encrypted(), nil
}

func (c *certificate) load() error {
	stamp, err := c.modified()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	c.loaded, c.stamp = &pair, stamp
	return nil
}

// modified returns the later modification time of the two files.
func (c *certificate) modified() (time.Time, error) {
	var newest time.Time
	for _, file := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(file)
		if err != nil {
			return time.Time{}, fmt.Errorf("read the certificate: %w", err)
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest, nil
}
