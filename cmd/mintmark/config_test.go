package main

import (
	"testing"
	"time"
)

// TestParsePrefix holds the ways to write a trusted proxy, among them an IPv4 address in the form
// that a socket for both versions of IP shows.
func TestParsePrefix(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32",
		"192.0.2.77/24": "192.0.2.0/24", "2001:db8::1": "2001:db8::1/128",
	} {
		if got, err := parsePrefix(text); err != nil || got.String() != want {
			t.Errorf("%q gives %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "proxy", "192.0.2.1/33"} {
		if got, err := parsePrefix(text); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

// TestLimitsAreLimits refuses what would turn a limit off.
func TestLimitsAreLimits(t *testing.T) {
	t.Parallel()
	for _, bad := range []limits{
		{HeaderTimeout: -1}, {BodyTimeout: -time.Second}, {AnswerTimeout: -1}, {IdleTimeout: -1},
		{HeaderBytes: -1}, {BodyBytes: -1}, {BodyBytes: maxBodyBytes + 1}, {Connections: -1},
	} {
		if _, err := (config{Limits: bad}).settings(); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	for _, good := range []limits{{}, {BodyBytes: maxBodyBytes}, {IdleTimeout: time.Hour}} {
		if _, err := (config{Limits: good}).settings(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
}
