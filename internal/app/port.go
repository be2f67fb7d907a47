package app

import (
	"context"
	"fmt"
	"strings"

	"mintmark/internal/processor"
	"mintmark/internal/processor/fileport"
	"mintmark/internal/processor/httpport"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/vault/signature"
)

// The kinds of port.
const (
	OverHTTP = "http"
	InFiles  = "files"
)

// Processor configures how orders reach the card processor. Without a kind they wait.
type Processor struct {
	Kind    string             // OverHTTP or InFiles
	URL     string             // for OverHTTP
	Folder  string             // for InFiles
	JWKS    string             // file with the public keys of the processor
	Secrets []signature.Secret // sign orders over HTTP
}

// port is a processor.Port that can reload its settings.
type port interface {
	processor.Port
	// reload applies other settings, and reads the keys again. After an error nothing has changed.
	reload(Processor) error
	// KeyName returns the kid of the key to which orders are encrypted.
	KeyName() string
	Close()
}

// overHTTP is a port over HTTP.
type overHTTP struct{ *httpport.Port }

func (p overHTTP) reload(s Processor) error { return p.Reload(s.http()) }

func (s Processor) http() httpport.Settings {
	return httpport.Settings{URL: s.URL, JWKS: s.JWKS, Secrets: s.Secrets}
}

// inFiles is a port that exchanges files.
type inFiles struct{ *fileport.Port }

func (p inFiles) reload(s Processor) error { return p.Reload(s.files()) }

// Close does nothing: no file stays open.
func (inFiles) Close() {}

func (s Processor) files() fileport.Settings {
	return fileport.Settings{Folder: s.Folder, JWKS: s.JWKS}
}

// inProcess is the simulator of a sandbox.
type inProcess struct{ *simulator.Port }

func (inProcess) reload(Processor) error { return nil }

// KeyName is empty: orders to the simulator are not encrypted.
func (inProcess) KeyName() string { return "" }

// Close does nothing.
func (inProcess) Close() {}

// openPort returns the port to the card processor, nil if there is none.
func (a *App) openPort(ctx context.Context) (port, error) {
	if a.sandbox != nil {
		return inProcess{a.sandbox.Processor()}, nil
	}
	switch s := a.Processor; s.Kind {
	case OverHTTP:
		opened, err := httpport.Open(s.http())
		if err != nil {
			return nil, fmt.Errorf("set up the card processor: %w", err)
		}
		return overHTTP{opened}, nil
	case InFiles:
		opened, err := fileport.Open(ctx, s.files(), a.store, a.Log)
		if err != nil {
			return nil, fmt.Errorf("set up the card processor: %w", err)
		}
		return inFiles{opened}, nil
	}
	a.Log.Warn("no card processor configured, orders wait: set processor.kind")
	return nil, nil
}

// reloadPort makes the port use other settings and read its keys again. It returns which key
// replaces which, if the key changes. Settings that need a restart stay unchanged.
func (a *App) reloadPort(settings Settings) (key string, err error) {
	if a.port == nil {
		return "", nil
	}
	before := a.port.KeyName()
	if err := a.port.reload(a.portSettings(settings)); err != nil {
		return "", err
	}
	if after := a.port.KeyName(); after != before {
		key = before + " → " + after
	}
	return key, nil
}

// portSettings returns the settings of a reload, without the changes that need a restart.
func (a *App) portSettings(settings Settings) Processor {
	next, inForce := settings.Processor, a.inForce.Load().Processor
	if next.Kind != inForce.Kind {
		return inForce
	}
	next.Folder = inForce.Folder
	return next
}

// revealed returns the secrets in the clear, to detect a change of the list. Its result is never
// shown.
func revealed(secrets []signature.Secret) string {
	var all strings.Builder
	for _, s := range secrets {
		all.WriteString(s.Reveal() + " ")
	}
	return all.String()
}
