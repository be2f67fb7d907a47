package main

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"mintmark/internal/app"
	"mintmark/internal/face/api"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/golden"
)

// TestSettingsManual compares docs/settings.md with the page generated from the code.
func TestSettingsManual(t *testing.T) {
	t.Parallel()
	golden.Compare(t, "../../docs/settings.md", settingsManual())
}

// TestEverySettingIsTold compares settingTexts with the settings of the file, both ways, and with
// the settings that a reload checks.
func TestEverySettingIsTold(t *testing.T) {
	t.Parallel()
	listed := make(map[string]bool)
	for _, k := range app.KnownSettings() {
		listed[k.Name] = true
	}
	names := make(map[string]bool)
	for _, s := range settingsOf(reflect.TypeFor[config](), "") {
		names[s.name] = true
		if !strings.HasSuffix(settingTexts[s.name].meaning, ".") {
			t.Errorf("no sentence says what %s means", s.name)
		}
		group, _, _ := strings.Cut(s.name, ".")
		if !listed[s.name] && !listed[group] {
			t.Errorf("a reload does not look at %s", s.name)
		}
		if strings.Contains(s.name, "..") || strings.HasSuffix(s.name, ".") {
			t.Errorf("%q has no name", s.name)
		}
	}
	for name := range settingTexts {
		if !names[name] {
			t.Errorf("%s is explained and does not exist", name)
		}
	}
	for name := range listed {
		if !names[name] && name != "custody" && name != "openid" {
			t.Errorf("a reload looks at %s, which does not exist", name)
		}
	}
	if len(names) < 40 {
		t.Errorf("there are %d settings only", len(names))
	}
}

// settingText describes a setting in the manual. The code has the rest: the name, the type, the
// default, and whether a reload applies a change.
type settingText struct {
	meaning string
	value   string // allowed values, in addition to the type
	without string // effect of leaving it out, or the default if the code has no fixed one
}

// Ranges of settings, with the bounds that the checks use.
var (
	ofTimeouts = fmt.Sprintf("from `%s` to `%s`", short(minTimeout), short(maxTimeout))
	ofDays     = fmt.Sprintf("from `%dd` to `%dd`", leastDays, mostDays)
)

// settingTexts describes each setting of the file.
var settingTexts = map[string]settingText{
	"listen": {
		meaning: "Address of the JSON interface.",
		value:   "host:port",
	},
	"adminListen": {
		meaning: "Address for operators and the [card " +
			"processor](operating.md#orders-to-the-card-processor): keep it off the internet. " +
			"On loopback plain HTTP, elsewhere HTTPS with the same certificate.",
		value: "host:port",
	},
	"data": {
		meaning: "Directory of the database and the keys.",
		without: "needed",
	},
	"trustedProxies": {
		meaning: "Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.",
		value:   "addresses and CIDR blocks; `/0` is refused",
	},
	"webhooks.allow": {
		meaning: "Where [webhooks](events.md#subscribing) may be sent beside the public internet: " +
			"private networks, the loopback.",
		value: "addresses and CIDR blocks; `/0` is refused",
	},
	"publicUrl": {
		meaning: "Where callers reach the service; download links begin with it, never with the " +
			"`Host` of a request.",
		value:   fmt.Sprintf("`https://host/path`, at most %d characters", api.MaxBaseURL),
		without: "needed",
	},
	"tlsCert": {
		meaning: "Certificate in PEM, reread when it changes; switching TLS on or off takes a " +
			"restart.",
		without: "plain HTTP",
	},
	"tlsKey": {
		meaning: "Private key of the certificate.",
	},

	"limits.headerTimeout": {
		meaning: "Time for the headers of a request to arrive.",
		value:   ofTimeouts,
	},
	"limits.bodyTimeout": {
		meaning: "Time for the body of a request to arrive; after it, the connection is closed.",
		value:   ofTimeouts,
	},
	"limits.answerTimeout": {
		meaning: "Time to answer a request; after it, the answer is 50504.",
		value:   ofTimeouts,
	},
	"limits.idleTimeout": {
		meaning: "Time between two requests on a connection.",
		value:   ofTimeouts,
	},
	"limits.headerBytes": {
		meaning: "Size of request line and headers, in bytes; below 4097 it counts as 4097.",
		value:   fmt.Sprintf("from %d to %d", minBytes, maxHeader),
	},
	"limits.bodyBytes": {
		meaning: "Size of the body, in bytes.",
		value:   fmt.Sprintf("from %d to %d", minBytes, maxBody),
	},
	"limits.connections": {
		meaning: "Open connections of [callers](operating.md#under-load).",
		value:   fmt.Sprintf("from %d to %d", minConnections, maxConnections),
	},
	"limits.adminConnections": {
		meaning: "Open connections to the admin address. At the limit, an idle one is closed for a " +
			"new one.",
		value: fmt.Sprintf("from %d to %d", minConnections, maxAdminConnections),
	},

	"database.url": {
		meaning: "Connection string of a PostgreSQL database; see [Several " +
			"nodes](operating.md#several-nodes).",
		without: "the embedded database",
	},
	"database.readCache": {
		meaning: "Bytes for the read cache of the embedded database, 3 KiB a card.",
		value:   fmt.Sprintf("from %d to %d", minReadCache, maxReadCache),
		without: fmt.Sprintf("`%d`", installation.DefaultReadCache),
	},
	"nodes": {
		meaning: "Number of nodes. Each grants its share of a key's rate.",
		value:   fmt.Sprintf("from 1 to %d", maxNodes),
	},
	"tracesEndpoint": {
		meaning: "Where [spans](operating.md#traces) go, OTLP over HTTP.",
		value:   "such as `http://127.0.0.1:4318`",
		without: "no traces",
	},

	"processor.kind": {
		meaning: "How orders reach the [card processor](processor.md).",
		value:   "`http` or `files`",
		without: "orders wait",
	},
	"processor.url": {
		meaning: "Where the processor takes orders, with `http`; `https` unless on loopback.",
	},
	"processor.jwks": {
		meaning: "File with the processor's public keys; reread when it changes.",
	},
	"processor.folder": {
		meaning: "Folder in which files are exchanged, with `files`.",
	},
	"processor.secrets": {
		meaning: "Secrets that orders are signed with: one, or two during a rotation.",
		value:   fmt.Sprintf("at most %d", maxSecrets),
	},
	"processor.reportSecrets": {
		meaning: "The same for what the processor sends over HTTP: reports, authorizations, " +
			"postings, releases.",
		value:   fmt.Sprintf("at most %d", maxSecrets),
		without: "no message is accepted",
	},

	"custody.passphrases": {
		meaning: "Files with the passphrases of two [custodians](keys.md#two-custodians).",
		value:   "`{ada: FILE, grace: FILE}`",
	},
	"custody.transit.address": {
		meaning: "Key service that unwraps the keys.",
		value:   "such as `https://vault.bank.example:8200`",
	},
	"custody.transit.key": {
		meaning: "Name of the key in the key service.",
	},
	"custody.transit.tokenFile": {
		meaning: "File with the token for the key service, mode 0600.",
	},
	"custody.transit.caFile": {
		meaning: "CA certificates in PEM that verify the key service.",
		without: "those of the system",
	},

	"consoleUrl": {
		meaning: "Address of the console in browsers; links for operators begin with it.",
		value:   "without a path",
		without: "`adminListen`",
	},
	"openid.issuer": {
		meaning: "OpenID Connect provider for [operators](operators.md#operators-roles-sign-in).",
	},
	"openid.clientId": {
		meaning: "Client ID of Mintmark at the provider, which sends browsers back to `consoleUrl` and " +
			"`/console/sign-in/openid`.",
	},
	"openid.clientSecret": {
		meaning: "Client secret at the provider.",
	},
	"openid.scopes": {
		meaning: "Scopes beside `openid`.",
		without: "`[profile, email]`",
	},
	"openid.nameClaim": {
		meaning: "Claim with the name of an operator.",
		without: "`preferred_username`",
	},
	"openid.claim": {
		meaning: "Claim that gives roles.",
		without: "`groups`",
	},
	"openid.grants": {
		meaning: "Roles and banks of each value of the claim: `{value: desk, roles: [support], banks: " +
			"[1]}`; without `banks`, all of them.",
	},

	"fourEyes": {
		meaning: "Acts on operators, tokens and the keys of banks need a second operator.",
	},
	"tokensApprove": {
		meaning: "A token may be the [second operator](operators.md#four-eyes) for the act of " +
			"a person other than its owner.",
	},

	"retention.answers": {
		meaning: "How long answers to repeated requests are " +
			"[kept](privacy.md#how-long-rows-are-kept).",
		value: ofDays,
	},
	"retention.deliveries": {
		meaning: "How long attempts to deliver events, and dead deliveries, are kept.",
		value:   ofDays,
	},
	"retention.orders": {
		meaning: "How long names and addresses stay in orders that are done or dropped.",
		value:   ofDays,
	},
	"retention.approvals": {
		meaning: "How long an approval is kept after it has ended.",
		value:   ofDays,
	},
	"retention.reconciliations": {
		meaning: "How long reports of [reconciliations](data.md#reconciliation) are kept. The newest " +
			"of a program and kind stays.",
		value: ofDays,
	},
	"retention.audit": {
		meaning: "How long entries of the audit stay in the database. Whole months that are " +
			"older are moved to [archives](audit.md#archives).",
		value:   fmt.Sprintf("from `%dd` to `%dd`", minAudit, mostDays),
		without: "no limit",
	},
	"retention.archives": {
		meaning: "Directory of the archives, needed with `retention.audit`; it must exist.",
	},

	"insecure": {
		meaning: "Accepts settings that are [not " +
			"secure](operating.md#settings-that-are-not-secure).",
	},
}

const settingsHead = `# The settings file

Every setting of the YAML file, printed from the code by ` + "`make docs`" + `. The file of banks, programs, keys
and customers is a different one: [load.md](load.md).

An unknown setting is refused. Each command that reads the file checks all of it and reports every
problem at once. "SIGHUP" says whether a running server takes a change with a signal
(` + "`systemctl reload mintmark`" + `) or needs a restart. Files are named relative to the settings file.

| Setting | Value | Default | SIGHUP | Meaning |
|---|---|---|---|---|
`

// settingsManual returns the page docs/settings.md.
func settingsManual() []byte {
	var page bytes.Buffer
	page.WriteString(settingsHead)
	known := app.KnownSettings()
	for _, s := range settingsOf(reflect.TypeFor[config](), "") {
		says := settingTexts[s.name]
		value := s.value
		if says.value != "" {
			value += ", " + says.value
		}
		standard, anew := says.without, "restart"
		for _, k := range known {
			if s.name != k.Name && !strings.HasPrefix(s.name, k.Name+".") {
				continue
			}
			if !k.Restart {
				anew = "yes"
			}
			if standard == "" && s.name == k.Name && k.Value != "" {
				standard = "`" + readable(s.kind, k.Value) + "`"
			}
		}
		if standard == "" {
			standard = "none"
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s | %s |\n", s.name, value, standard, anew,
			says.meaning)
	}
	return page.Bytes()
}

// setting is the name of a setting and the type of its value.
type setting struct {
	name, value string
	kind        reflect.Type
}

// settingsOf lists the settings of a mapping in order, with the prefix before each name.
func settingsOf(mapping reflect.Type, prefix string) []setting {
	var all []setting
	for _, field := range reflect.VisibleFields(mapping) {
		name := prefix + field.Tag.Get("yaml")
		if field.Type.Kind() == reflect.Struct {
			all = append(all, settingsOf(field.Type, name+".")...)
			continue
		}
		all = append(all, setting{name, typeName(field.Type), field.Type})
	}
	return all
}

func typeName(kind reflect.Type) string {
	switch kind {
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[days]():
		return "days"
	case reflect.TypeFor[hiddenText]():
		return "secrets"
	}
	switch kind.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Slice:
		return "list of " + typeName(kind.Elem())
	case reflect.Map:
		return "mapping"
	case reflect.Struct:
		return "mappings"
	}
	return "text"
}

// readable returns a default as it would be written in the file.
func readable(kind reflect.Type, value string) string {
	read, err := time.ParseDuration(value)
	switch {
	case err != nil:
		return value
	case kind == reflect.TypeFor[days]():
		return fmt.Sprintf("%dd", read/(24*time.Hour))
	}
	return short(read)
}

// short formats a duration without minutes and seconds that are 0.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
