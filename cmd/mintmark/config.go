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

// config is the settings file of a server. Every setting but data and publicUrl has
// a good default.
type config struct {
	Listen         string   `yaml:"listen"`
	AdminListen    string   `yaml:"adminListen"`
	Data           string   `yaml:"data"` // relative to the file
	TrustedProxies []string `yaml:"trustedProxies"`
	PublicURL      string   `yaml:"publicUrl"`
	TLSCert        string   `yaml:"tlsCert"` // relative to the file, as is the key
	TLSKey         string   `yaml:"tlsKey"`
	Limits         limits   `yaml:"limits"`
	Database       database `yaml:"database"`
	Nodes          int      `yaml:"nodes"`

	// Insecure lets pass what would otherwise be refused: see findings.
	Insecure bool `yaml:"insecure"`
}

// database says which database is used, and how.
type database struct {
	URL string `yaml:"url"` // of PostgreSQL; without it the database is embedded
}

// limits bound what a connection may cost. Durations are written like 5s.
type limits struct {
	HeaderTimeout time.Duration `yaml:"headerTimeout"`
	BodyTimeout   time.Duration `yaml:"bodyTimeout"`
	AnswerTimeout time.Duration `yaml:"answerTimeout"`
	IdleTimeout   time.Duration `yaml:"idleTimeout"`
	HeaderBytes   int           `yaml:"headerBytes"`
	BodyBytes     int64         `yaml:"bodyBytes"`
	Connections   int           `yaml:"connections"`
}

// readConfig reads a settings file and checks it. A setting that does not exist is refused, so that
// a slip of the pen cannot leave a default in force. Whatever is wrong is told at once.
func readConfig(file string) (app.Settings, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return app.Settings{}, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var c config
	// What can be read of a file with a slip in it is read all the same.
	err = decoder.Decode(&c)
	slips := inPlainWords(err)
	if err != nil && slips == nil && !errors.Is(err, io.EOF) {
		return app.Settings{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(slips) > 0 && reflect.ValueOf(c).IsZero() {
		// A name that stands twice keeps the library from reading anything: what is in the file
		// must not be called missing.
		for i, slip := range slips {
			slips[i] = fmt.Errorf("%s: %w", file, slip)
		}
		return app.Settings{}, errors.Join(slips...)
	}
	if decoder.Decode(new(yaml.Node)) == nil {
		slips = append(slips, errors.New("a second document, behind ---, is not read"))
	}
	for _, path := range []*string{&c.Data, &c.TLSCert, &c.TLSKey} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(filepath.Dir(file), *path)
		}
	}
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

// inPlainWords takes out of the library's messages what only a reader of this program's code could
// make sense of. What is no YAML at all has none.
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
