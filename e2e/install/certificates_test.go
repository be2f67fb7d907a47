package install

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCertificates creates certificates for a try-out and verifies them as callers do, for names
// and for addresses, on both sides.
func TestCertificates(t *testing.T) {
	t.Parallel()
	const script = "../../deploy/certificates"
	directory := t.TempDir()
	output(t, script, directory, "cards.example.com,10.0.0.41", "10.0.0.42")
	before, err := os.ReadFile(filepath.Join(directory, "10.0.0.42.crt"))
	if err != nil {
		t.Fatal(err)
	}
	output(t, script, directory, "10.0.0.42", "localhost,::1,127.0.0.1")
	after, err := os.ReadFile(filepath.Join(directory, "10.0.0.42.crt"))
	if err != nil || string(before) != string(after) {
		t.Errorf("a second run makes another certificate, %v", err)
	}
	authority, err := os.ReadFile(filepath.Join(directory, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	for name, files := range map[string]string{
		"cards.example.com": "cards.example.com", "10.0.0.41": "cards.example.com",
		"10.0.0.42": "10.0.0.42", "localhost": "localhost", "::1": "localhost",
		"127.0.0.1": "localhost",
	} {
		path := filepath.Join(directory, files)
		pair, err := tls.LoadX509KeyPair(path+".crt", path+".key")
		if err != nil {
			t.Fatal(err)
		}
		_, err = pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: name,
			KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if pair.Leaf.VerifyHostname("10.0.0.43") == nil {
			t.Errorf("the certificate of %s is good for another address", files)
		}
		info, err := os.Stat(path + ".key")
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the key of %s has %v, %v", files, info.Mode(), err)
		}
	}
	if out, err := exec.Command(script, directory).CombinedOutput(); err == nil {
		t.Errorf("without a name it says %s", out)
	}
}
