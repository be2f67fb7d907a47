package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/app"
)

// config is the settings file of a server. Every setting except data and publicUrl has a useful
// default.
type config struct {
	Listen         string   `yaml:"listen"`
	AdminListen    string   `yaml:"adminListen"`
	Data           string   `yaml:"data"` // relative to the settings file
	TrustedProxies []string `yaml:"trustedProxies"`
	PublicURL      string   `yaml:"publicUrl"`
	TLSCert        string   `yaml:"tlsCert"` // relative to the settings file, like the key
	TLSKey         string   `yaml:"tlsKey"`
	Limits         limits   `yaml:"limits"`
	Database       database `yaml:"database"`
	Nodes          int      `yaml:"nodes"`
	TracesEndpoint string   `yaml:"tracesEndpoint"` // of a collector: OTLP over HTTP

	Processor cardProcessor `yaml:"processor"`

	Custody custodySettings `yaml:"custody"`

	ConsoleURL string `yaml:"consoleUrl"`
	OpenID     openID `yaml:"openid"`

	// FourEyes requires a second operator for acts that belong to no program.
	FourEyes bool `yaml:"fourEyes"`

	// TokensApprove allows tokens to be the second operator.
	TokensApprove bool `yaml:"tokensApprove"`

	Webhooks webhooks `yaml:"webhooks"`

	// Retention is how long rows are stored before a job deletes or empties them.
	Retention retention `yaml:"retention"`

	// Insecure accepts settings that are rejected otherwise: see findings.
	Insecure bool `yaml:"insecure"`
}

// database configures the database.
type database struct {
	URL       string `yaml:"url"` // of PostgreSQL; empty for the embedded database
	ReadCache int64  `yaml:"readCache"`
}

// webhooks lists the networks that webhooks may be sent to.
type webhooks struct {
	Allow []string `yaml:"allow"`
}

// limits bound the resources of connections. Durations are written like 5s.
type limits struct {
	HeaderTimeout time.Duration `yaml:"headerTimeout"`
	BodyTimeout   time.Duration `yaml:"bodyTimeout"`
	AnswerTimeout time.Duration `yaml:"answerTimeout"`
	IdleTimeout   time.Duration `yaml:"idleTimeout"`
	HeaderBytes   int           `yaml:"headerBytes"`
	BodyBytes     int64         `yaml:"bodyBytes"`
	Connections   int           `yaml:"connections"`

	AdminConnections int `yaml:"adminConnections"`
}

// retention is how long rows are stored, in days written like 90d; see docs/privacy.md.
type retention struct {
	Answers    days `yaml:"answers"`
	Deliveries days `yaml:"deliveries"`
	Orders     days `yaml:"orders"`
	Approvals  days `yaml:"approvals"`

	Reconciliations days `yaml:"reconciliations"`

	Audit    days   `yaml:"audit"`
	Archives string `yaml:"archives"` // relative to the settings file
}

// readConfig reads and validates a settings file. Unknown settings are rejected, so that a typo
// cannot leave a default in force. All problems are reported together.
func readConfig(file string) (app.Settings, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return app.Settings{}, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var c config
	// From a file with a mistake, as many settings as possible are read.
	err = decoder.Decode(&c)
	slips := inPlainWords(err)
	if err != nil && slips == nil && !errors.Is(err, io.EOF) {
		return app.Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(slips) > 0 && reflect.ValueOf(c).IsZero() {
		// After a duplicate name the library reads no settings, so none may be reported as missing.
		for i, slip := range slips {
			slips[i] = fmt.Errorf("%s: %w", file, slip)
		}
		return app.Settings{}, errors.Join(slips...)
	}
	if decoder.Decode(new(yaml.Node)) == nil {
		slips = append(slips, errors.New("a second document, after ---, is not allowed"))
	}
	for _, path := range []*string{
		&c.Data, &c.TLSCert, &c.TLSKey, &c.Processor.JWKS, &c.Processor.Folder,
		&c.Retention.Archives,
	} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(filepath.Dir(file), *path)
		}
	}
	c.Custody.locate(filepath.Dir(file))
	settings, err := c.settings()
	problems := slips
	if joined, several := err.(interface{ Unwrap() []error }); several {
		problems = append(problems, joined.Unwrap()...)
	}
	for i, problem := range problems {
		problems[i] = fmt.Errorf("%s: %w", file, problem)
	}
	return settings, errors.Join(problems...)
}

// inPlainWords removes the names of Go types from the library's type errors. It returns nil for any
// other error.
func inPlainWords(err error) []error {
	var typed *yaml.TypeError
	if !errors.As(err, &typed) {
		return nil
	}
	var problems []error
	for _, text := range typed.Errors {
		text, _, _ = strings.Cut(text, " in type ")
		text, _, _ = strings.Cut(text, " into main.")
		text = strings.ReplaceAll(text, "time.Duration", "a duration like 5s")
		problems = append(problems, errors.New(text))
	}
	return problems
}
