package postgres

import (
	"crypto/tls"
	"net/netip"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Unverified returns the hosts of a connection string that a node would reach over a network
// without TLS, or without verifying the certificate. Loopback and Unix sockets need neither.
func Unverified(url string) ([]string, error) {
	config, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	return unverified(config.ConnConfig), nil
}

func unverified(config *pgx.ConnConfig) []string {
	var hosts []string
	note := func(host string, port uint16, settings *tls.Config) {
		network, _ := pgconn.NetworkAddress(host, port)
		if network == "unix" || IsLoopback(host) || verifies(settings) {
			return
		}
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	note(config.Host, config.Port, config.TLSConfig)
	// With sslmode allow and prefer, Fallbacks contains each host again, without TLS.
	for _, next := range config.Fallbacks {
		note(next.Host, next.Port, next.TLSConfig)
	}
	return hosts
}

// IsLoopback reports whether a host is this machine, reached without a network.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// verifies reports whether a connection fails when the certificate of the server is not trusted.
// sslmode=require without a root certificate encrypts, but accepts any server.
func verifies(settings *tls.Config) bool {
	return settings != nil &&
		(!settings.InsecureSkipVerify || settings.VerifyPeerCertificate != nil)
}
