package main

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
)

// outgoing compares acts that a card processor and a subscriber are told of with acts that nobody
// is told of: their orders wait, and their events are sealed and go nowhere.
func (b *bench) outgoing(e engine) (err error) {
	const cards = 10_000
	others, err := acceptEverything()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, others.Close()) }()
	telling, err := b.servedTo(e, cards, others.Addr().String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, telling.stop()) }()
	silent, err := b.served(e, cards, "silent")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, silent.stop()) }()
	for _, act := range []struct {
		name string
		work func(address string, cards int) work
	}{{"lock", locking}, {"initiate", ordering}} {
		err := b.compare(fmt.Sprintf("%s, told to a processor and a subscriber / to nobody, %d "+
			"connections", act.name, many), 0.85,
			b.rate(act.work(telling.address, cards), many),
			b.rate(act.work(silent.address, cards), many))
		if err != nil {
			return err
		}
	}
	return nil
}

// servedTo starts a server on data of its own whose orders and events go to an address.
func (b *bench) servedTo(e engine, cards int, address string) (*server, error) {
	directory, err := b.data(e, cards, "telling")
	if err != nil {
		return nil, err
	}
	more, err := processorSettings(directory, address)
	if err != nil {
		return nil, err
	}
	settings := e.settings(directory) + more + "webhooks: {allow: [127.0.0.1]}\n"
	config := filepath.Join(directory, "subscribe.yaml")
	text := "data: " + directory + "\n" + publicURL + settings
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	file := filepath.Join(directory, "webhooks.yaml")
	text = fmt.Sprintf("programs: [{programId: 1, webhooks: [{url: 'http://%s/events', "+
		"secrets: [%s]}]}]\n", address, newSecret())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	out, err := exec.Command(b.program, "load", file, "--config", config).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("load a webhook: %w: %s", err, out)
	}
	return startServer(b.program, directory, settings)
}

// acceptEverything listens as a card processor that does every order at once, and as a subscriber.
func acceptEverything() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	done := []byte(`{"result":"done"}`)
	server := &http.Server{Handler: http.HandlerFunc(func(
		answer http.ResponseWriter, order *http.Request,
	) {
		// A server that goes away takes its orders with it.
		_, _ = io.Copy(io.Discard, order.Body)
		_, _ = answer.Write(done)
	})}
	go func() { _ = server.Serve(listener) }() // until the listener is closed
	return listener, nil
}

// processorSettings are the lines of the settings file that send orders to an address, with a key
// and secrets of their own.
func processorSettings(directory, address string) (string, error) {
	private, err := rsa.GenerateKey(rand.Reader, 3072)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	keys, err := json.Marshal(map[string]any{"keys": []map[string]string{{
		"kty": "RSA", "kid": "bench", "use": "enc", "alg": "RSA-OAEP-256",
		"n": encode(private.N.Bytes()), "e": encode(big.NewInt(int64(private.E)).Bytes()),
	}}})
	if err != nil {
		return "", err
	}
	file := filepath.Join(directory, "processor.jwks")
	if err := os.WriteFile(file, keys, 0o600); err != nil {
		return "", err
	}
	return fmt.Sprintf("processor: {kind: http, url: 'http://%s', jwks: %s, secrets: ['%s'], "+
		"reportSecrets: ['%s']}\n", address, file, newSecret(), newSecret()), nil
}

// newSecret returns a secret to sign with.
func newSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(random)
}
