package main

import (
	"bufio"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// pinsPerSecond is how many PINs are sent in a second, whether or not earlier ones are answered.
const pinsPerSecond = 200

// pins compares the slowest reads with and without callers that send PINs.
func (b *bench) pins(e engine) (err error) {
	const cards = 10_000
	directory, err := b.data(e, cards, "pins")
	if err != nil {
		return err
	}
	served, err := startServer(b.program, directory, e.settings(directory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, served.stop()) }()
	encrypted, err := encryptPins(filepath.Join(directory, "pin-public.pem"))
	if err != nil {
		return err
	}
	o := &offer{work: resetting(served.address, cards, encrypted)}
	alone := b.slowest(reading(served.address, cards))
	err = b.compareMost(
		fmt.Sprintf("p99 of get, with / without %d resetpin a second", pinsPerSecond), 1.5,
		o.beside(alone), alone)
	if err != nil {
		return err
	}
	sent, taken, refused := o.sent.Load(), o.taken.Load(), o.refused.Load()
	b.report.note("resetpin during the gets",
		fmt.Sprintf("%d offered, %d answered 200, %d refused with 50503", sent, taken, refused),
		"every one answered", taken+refused == sent)
	return nil
}

// encryptPins encrypts some PINs for the public key of a server, as callers do, by the algorithm
// that the demo program names first. They are made before anything is measured.
func encryptPins(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is not in PEM", file)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, isRSA := parsed.(*rsa.PublicKey)
	if !isRSA {
		return nil, fmt.Errorf("%s is no RSA key", file)
	}
	oaep := &rsa.OAEPOptions{Hash: crypto.SHA512, MGFHash: crypto.SHA512}
	pins := make([]string, 100)
	for i := range pins {
		sealed, err := rsa.EncryptOAEPWithOptions(rand.Reader, key, fmt.Appendf(nil, "%04d", i+1),
			oaep)
		if err != nil {
			return nil, err
		}
		pins[i] = base64.StdEncoding.EncodeToString(sealed)
	}
	return pins, nil
}

// resetting sends one card after another a new PIN: a card takes five in an hour only. The turn
// counts over all connections.
func resetting(address string, cards int, encrypted []string) work {
	return work{address: address, request: post(
		func(int, int) string { return "/card/resetpin" },
		func(_, turn int) string {
			n := turn % cards
			return fmt.Sprintf(`{"customerId":%d,"cardId":%d,"newPin":"%s"}`,
				firstCustomer+n/perCustomer, firstCard+n, encrypted[turn%len(encrypted)])
		})}
}

// offer sends requests at their times, evenly spaced. A load that waits for answers would send
// fewer the more the server is held up, and hide what it should show.
type offer struct {
	work                 work
	sent, taken, refused atomic.Int64 // requests; those answered 200; those answered 503
}

// beside is a side that is measured while the requests are sent.
func (o *offer) beside(measured side) side {
	return func() (result float64, err error) {
		// Connections are opened before the time begins. Each has more than half a second for an
		// answer until its next turn.
		connections := make([]net.Conn, pinsPerSecond*5/8)
		for i := range connections {
			connections[i], err = net.Dial("tcp", o.work.address)
			if err != nil {
				return 0, err
			}
			defer connections[i].Close()
		}
		time.Sleep(200 * time.Millisecond) // until the server has taken them all

		failed := make([]error, len(connections))
		var all sync.WaitGroup
		over := make(chan struct{})
		started, first := time.Now(), int(o.sent.Load())
		for i, conn := range connections {
			all.Go(func() { failed[i] = o.send(conn, first, i, len(connections), started, over) })
		}
		result, err = measured()
		close(over)
		all.Wait()
		return result, errors.Join(append(failed, err)...)
	}
}

// send takes one turn after another on one of so many connections.
func (o *offer) send(
	conn net.Conn, first, own, of int, started time.Time, over <-chan struct{},
) error {
	reader := bufio.NewReaderSize(conn, 4<<10)
	var request []byte
	for turn := own; ; turn += of {
		due := time.Duration(turn) * time.Second / pinsPerSecond
		select {
		case <-over:
			return nil
		case <-time.After(time.Until(started.Add(due))):
		}
		request = o.work.request(request[:0], own, first+turn)
		o.sent.Add(1)
		if _, err := conn.Write(request); err != nil {
			return err
		}
		status, err := readAnswer(reader, nil)
		if err != nil {
			return err
		}
		switch status {
		case ok:
			o.taken.Add(1)
		case unavailable:
			o.refused.Add(1)
		default:
			return fmt.Errorf("a PIN was answered %d", status)
		}
	}
}

const unavailable = 503
