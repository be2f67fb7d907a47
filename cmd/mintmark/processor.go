package main

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/app"
	"mintmark/internal/app/sandboxed"
	"mintmark/internal/vault/signature"
)

// cardProcessor configures how orders reach the card processor and how its reports are
// authenticated.
type cardProcessor struct {
	Kind          string       `yaml:"kind"`   // http or files; empty: orders wait
	URL           string       `yaml:"url"`    // of kind http
	JWKS          string       `yaml:"jwks"`   // relative to the settings file
	Folder        string       `yaml:"folder"` // of kind files; relative to the settings file
	Secrets       []hiddenText `yaml:"secrets"`
	ReportSecrets []hiddenText `yaml:"reportSecrets"`
}

// hiddenText is a secret in the settings file, or the problem with it. No error quotes the secret.
type hiddenText struct {
	signature.Secret
	problem error
}

// UnmarshalYAML reads the secret.
func (h *hiddenText) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode {
		h.problem = errors.New("a secret must be a text")
		return nil
	}
	h.Secret, h.problem = signature.ParseSecret(node.Value)
	return nil
}

// maxSecrets allows a secret and its successor.
const maxSecrets = 2

// settings validates the values.
func (p cardProcessor) settings(f *findings) (app.Processor, []signature.Secret) {
	settings := app.Processor{Kind: p.Kind, URL: p.URL, JWKS: p.JWKS, Folder: p.Folder}
	settings.Secrets = readSecrets("processor.secrets", p.Secrets, f)
	reports := readSecrets("processor.reportSecrets", p.ReportSecrets, f)
	for _, s := range reports {
		if s == sandboxed.ReportSecret {
			f.add("processor.reportSecrets: one of them is that of a sandbox, which is public")
		}
		if slices.Contains(settings.Secrets, s) {
			f.add("processor.reportSecrets: one of them is in processor.secrets, too: an order " +
				"could be sent back as a report")
		}
	}
	switch p.Kind {
	case "":
		if p.URL+p.JWKS+p.Folder != "" || len(p.Secrets) > 0 {
			f.add("processor.kind: %s or %s is needed", app.OverHTTP, app.InFiles)
		}
		return settings, reports
	case app.OverHTTP:
		checkProcessorURL(p.URL, f)
		if len(p.Secrets) == 0 {
			f.add("processor.secrets: a secret is needed to sign orders with")
		}
	case app.InFiles:
		if p.Folder == "" {
			f.add("processor.folder: a folder is needed to exchange files in")
		}
	default:
		f.add("processor.kind: %q is not %s or %s", p.Kind, app.OverHTTP, app.InFiles)
	}
	if p.JWKS == "" {
		f.add("processor.jwks: a file with the processor's public keys is needed")
	}
	return settings, reports
}

// readSecrets returns the valid secrets in a list.
func readSecrets(name string, list []hiddenText, f *findings) []signature.Secret {
	var secrets []signature.Secret
	for i, h := range list {
		if h.problem == nil && slices.Contains(secrets, h.Secret) {
			h.problem = errors.New("it is listed twice")
		}
		if h.problem != nil {
			f.add("%s: number %d: %w", name, i+1, h.problem)
			continue
		}
		secrets = append(secrets, h.Secret)
	}
	if len(list) > maxSecrets {
		f.add("%s: %d secrets, and at most %d can be in use", name, len(list), maxSecrets)
	}
	return secrets
}

// checkProcessorURL rejects an address to which orders cannot or should not be sent.
func checkProcessorURL(address string, f *findings) {
	read, err := url.Parse(address)
	switch {
	case address == "":
		f.add("processor.url: the address of the processor is needed")
	case err != nil || read.Scheme != "http" && read.Scheme != "https" || read.Hostname() == "":
		f.add("processor.url: %q is not an http or https address", hidden(read, address))
	case read.User != nil || read.RawQuery != "" || read.ForceQuery || read.Fragment != "" ||
		strings.HasSuffix(address, "#"):
		f.add("processor.url: %q has more than a host and a path", hidden(read, address))
	case read.Scheme == "http" && !app.OnLoopback(withPort(read)):
		f.addInsecure("processor.url: orders go to %s in plain HTTP: https is needed", read.Host)
	}
}

// withPort returns the host of an address with its port, 80 by default.
func withPort(address *url.URL) string {
	if address.Port() != "" {
		return address.Host
	}
	return address.Host + ":80"
}
