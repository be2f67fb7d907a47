package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/app"
)

// config is the settings file of a server. Every setting but data has a good default.
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
	Insecure       bool     `yaml:"insecure"`
}

// database says which database is used, and how.
type database struct {
	URL                 string `yaml:"url"` // of PostgreSQL; without it the database is embedded
	OneCommitPerRequest bool   `yaml:"oneCommitPerRequest"`
	NoReadCache         bool   `yaml:"noReadCache"`
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

// maxBodyBytes is what the interface allows (section 8); a server can only allow less.
const maxBodyBytes = 64 << 10

// check refuses limits that would limit nothing.
func (l limits) check() error {
	timeouts := min(l.HeaderTimeout, l.BodyTimeout, l.AnswerTimeout, l.IdleTimeout)
	if timeouts < 0 || l.HeaderBytes < 0 || l.BodyBytes < 0 || l.Connections < 0 {
		return errors.New("limits: a limit cannot be negative")
	}
	if l.BodyBytes > maxBodyBytes {
		return fmt.Errorf("limits.bodyBytes: at most %d", maxBodyBytes)
	}
	return nil
}

// readConfig reads a settings file. A setting that does not exist is refused, so that a slip of
// the pen cannot leave a default in force.
func readConfig(file string) (config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return config{}, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var c config
	if err := decoder.Decode(&c); err != nil {
		return config{}, fmt.Errorf("%s: %w", file, inPlainWords(err))
	}
	if c.Data == "" {
		return config{}, fmt.Errorf("%s: data: a directory is needed", file)
	}
	for _, path := range []*string{&c.Data, &c.TLSCert, &c.TLSKey} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(filepath.Dir(file), *path)
		}
	}
	return c, nil
}

// inPlainWords takes out of the library's messages what only a reader of this program's code could
// make sense of.
func inPlainWords(err error) error {
	var typed *yaml.TypeError
	if !errors.As(err, &typed) {
		return err
	}
	var problems []error
	for _, text := range typed.Errors {
		text, _, _ = strings.Cut(text, " in type ")
		text, _, _ = strings.Cut(text, " into main.")
		problems = append(problems, errors.New(text))
	}
	return errors.Join(problems...)
}

// settings checks the values and returns what the program is started with.
func (c config) settings() (app.Settings, error) {
	settings := app.Settings{
		Listen: c.Listen, AdminListen: c.AdminListen, Data: c.Data, PublicURL: c.PublicURL,
		TLSCert: c.TLSCert, TLSKey: c.TLSKey, Limits: app.Limits(c.Limits),
		Database: app.Database(c.Database), Nodes: c.Nodes,
	}
	problems := []error{c.Limits.check()}
	for _, text := range c.TrustedProxies {
		prefix, err := parsePrefix(text)
		if err != nil {
			problems = append(problems, fmt.Errorf("trustedProxies: %w", err))
		}
		settings.TrustedProxies = append(settings.TrustedProxies, prefix)
	}
	return settings, errors.Join(problems...)
}

// parsePrefix reads a block of addresses, or one address.
func parsePrefix(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap() // peers are compared in that form
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	return prefix.Masked(), err
}
