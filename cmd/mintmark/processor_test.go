package main

import (
	"fmt"
	"mintmark/internal/app/sandboxed"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	firstSecret  = "whsec_Zmlyc3RmaXJzdGZpcnN0Zmlyc3RmaXJz"
	secondSecret = "whsec_c2Vjb25kc2Vjb25kc2Vjb25kc2Vjb25k"
)

// processorSettings reads a settings file with this processor section, and returns its path.
func processorSettings(t *testing.T, section string) (file string, err error) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "mintmark.yaml")
	text := "data: data\npublicUrl: https://cards.example.com\nprocessor: " + section + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = readConfig(file)
	return file, err
}

// TestProcessorSettings checks the messages for mistakes in the section. All are reported together,
// and none repeats a secret.
func TestProcessorSettings(t *testing.T) {
	t.Parallel()
	for section, wants := range map[string][]string{
		"{}": nil,
		"{kind: http, url: 'https://p.example/api', jwks: k, secrets: [" + firstSecret + "]}": nil,
		"{kind: http, url: 'http://127.0.0.1:9', jwks: k, folder: f, secrets: [" +
			firstSecret + ", " + secondSecret + "]}": nil,
		"{kind: files, folder: f, jwks: k, reportSecrets: [" + firstSecret + "]}": nil,
		"{reportSecrets: [" + firstSecret + "]}":                                  nil,
		"{kind: http}": {"processor.url: the address", "processor.secrets: a secret is needed",
			"processor.jwks: a file"},
		"{kind: files}": {"processor.folder: a folder",
			"processor.jwks: a file"},
		"{kind: ftp, jwks: k}":               {`processor.kind: "ftp" is not http or files`},
		"{url: 'https://p.example'}":         {"processor.kind: http or files is needed"},
		"{kind: files, folder: f, keys: k}":  {"field keys not found", "processor.jwks"},
		"{kind: http, url: 'p.example'}":     {"processor.url: \"p.example\" is not an http"},
		"{kind: http, url: 'https://p?x=y'}": {"has more than a host and a path"},
		"{kind: http, url: 'https://u:" + firstSecret + "@p'}": {
			"has more than a host and a path"},
		"{kind: http, url: 'http://p.example/x'}": {
			"orders go to p.example in plain HTTP: https is needed; to accept this, set insecure"},
		"{secrets: [" + firstSecret + ", short]}": {"processor.secrets: number 2: a secret begins"},
		"{reportSecrets: [whsec_c2hvcnQ=]}": {
			"processor.reportSecrets: number 1: a secret has 24 to 64 bytes, not 5"},
		"{reportSecrets: [whsec_Zmlyc3Rma*XJzdGZpcnN0Zmlyc3Q]}": {
			"number 1: a secret is whsec_ and"},
		"{reportSecrets: [" + sandboxed.ReportSecret.Reveal() + "]}": {
			"processor.reportSecrets: one of them is that of a sandbox, which is public"},
		"{reportSecrets: [[a]]}": {"number 1: a secret must be a text"},
		"{reportSecrets: [" + firstSecret + ", " + firstSecret + "]}": {
			"number 2: it is listed twice"},
		"{secrets: [" + firstSecret + "], reportSecrets: [" + firstSecret + "]}": {
			"one of them is in processor.secrets, too"},
		"{reportSecrets: [" + firstSecret + ", " + secondSecret + ", 'whsec_dGhpcmR0aGlyZHRoaXJkd" +
			"GhpcmR0aGly']}": {"3 secrets, and at most 2"},
	} {
		file, err := processorSettings(t, section)
		text := fmt.Sprint(err)
		if (err == nil) != (wants == nil) {
			t.Errorf("%s gives %v", section, err)
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s gives %v, want %q", section, err, want)
			}
		}
		for line := range strings.SplitSeq(text, "\n") {
			if err != nil && !strings.HasPrefix(line, file+": ") {
				t.Errorf("%s gives the line %s", section, line)
			}
		}
		if strings.Contains(text, "Zmly") || strings.Contains(text, "c2Vj") {
			t.Errorf("the message shows a secret: %v", err)
		}
	}
}

// TestProcessorPaths checks that paths are relative to the settings file.
func TestProcessorPaths(t *testing.T) {
	t.Parallel()
	file, err := processorSettings(t, "{kind: files, folder: f, jwks: keys/k}")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := readConfig(file)
	dir := filepath.Dir(file)
	if err != nil || settings.Processor.Folder != filepath.Join(dir, "f") ||
		settings.Processor.JWKS != filepath.Join(dir, "keys/k") {
		t.Errorf("%+v, %v", settings.Processor, err)
	}
	if printed := fmt.Sprintf("%+v", settings); strings.Contains(printed, "whsec_") {
		t.Error("settings print a secret")
	}
}
