package otlp

import (
	"strings"
	"testing"
	"time"
)

func TestEndpoint(t *testing.T) {
	for _, row := range []struct{ setting, traces, all, want string }{
		{"", "", "", ""},
		{"http://127.0.0.1:4318", "", "", "http://127.0.0.1:4318/v1/traces"},
		{"http://127.0.0.1:4318/", "", "", "http://127.0.0.1:4318/v1/traces"},
		{"https://c.example/in/traces", "http://a", "http://b", "https://c.example/in/traces"},
		{"", "http://a:1", "http://b", "http://a:1"},
		{"", "http://a:1/x", "http://b", "http://a:1/x"},
		{"", "", "http://b", "http://b/v1/traces"},
		{"", "", "http://b/x/", "http://b/x/v1/traces"},
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", row.traces)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", row.all)
		settings, err := FromEnvironment(row.setting)
		if err != nil || settings.Endpoint != row.want {
			t.Errorf("%+v: %q, %v", row, settings.Endpoint, err)
		}
	}
}

// TestVariables checks that the variable for traces takes precedence over the general one.
func TestVariables(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "2500")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "none")
	settings, err := FromEnvironment("")
	if err != nil || settings.Timeout != 2500*time.Millisecond || settings.Gzip {
		t.Errorf("%+v, %v", settings, err)
	}
}

// TestWrongVariables checks that an error names its variable, and quotes no header, which may be a
// secret.
func TestWrongVariables(t *testing.T) {
	for _, row := range []struct{ variable, value string }{
		{"ENDPOINT", "collector:4318"},
		{"TRACES_ENDPOINT", "ftp://secret"},
		{"HEADERS", "secret"},
		{"HEADERS", "a=%zzsecret"},
		{"COMPRESSION", "zstd"},
		{"TIMEOUT", "10s"},
		{"CERTIFICATE", "no-such-file"},
	} {
		t.Run(row.variable, func(t *testing.T) {
			name := "OTEL_EXPORTER_OTLP_" + row.variable
			t.Setenv(name, row.value)
			_, err := FromEnvironment("")
			if err == nil || !strings.HasPrefix(err.Error(), name+" ") &&
				!strings.HasPrefix(err.Error(), name+": ") ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
