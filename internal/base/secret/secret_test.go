package secret_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"mintmark/internal/base/secret"
)

const hush = "4111111111111111"

// password is a secret type like those of other packages.
type password struct{ secret.Text }

func TestRevealGivesTheTextBack(t *testing.T) {
	if got := (password{secret.New(hush)}).Reveal(); got != hush {
		t.Errorf("Reveal() = %q, want %q", got, hush)
	}
	if got := (password{}).Reveal(); got != "" {
		t.Errorf("Reveal() of a zero secret = %q, want nothing", got)
	}
}

func TestSecretsCompareByTheirText(t *testing.T) {
	text, same, other := secret.New("a"), secret.New("a"), secret.New("b")
	if text != same {
		t.Error("two secrets of the same text differ")
	}
	if text == other {
		t.Error("two secrets of different texts are equal")
	}
}

// TestEveryVerbHidesTheText also prints secrets in an unexported field and behind a pointer, where
// fmt finds no methods to call, and uses invalid verbs.
func TestEveryVerbHidesTheText(t *testing.T) {
	hidden := password{secret.New(hush)}
	holder := struct{ field password }{hidden}
	for verb := 'A'; verb <= 'z'; verb++ {
		if verb > 'Z' && verb < 'a' {
			continue
		}
		for _, flags := range []string{"", "+", "#", " ", "-30", ".3"} {
			format := "%" + flags + string(verb)
			for _, operand := range []any{hidden, &hidden, holder, &holder, []password{hidden}} {
				wantHidden(t, format, fmt.Sprintf(format, operand))
				wantHidden(t, format, fmt.Errorf(format, operand).Error())
			}
			if strings.ContainsRune("pTw", verb) {
				continue // these three do not call the operand's methods
			}
			if got := fmt.Sprintf(format, hidden); got != secret.Redacted {
				t.Errorf("Sprintf(%q) = %q, want %q", format, got, secret.Redacted)
			}
		}
	}
	for _, got := range []string{hidden.String(), hidden.GoString(), fmt.Sprint(hidden)} {
		if got != secret.Redacted {
			t.Errorf("a secret prints as %q, want %q", got, secret.Redacted)
		}
	}
	// Too many and too few operands; go vet does not check formats from a slice.
	for _, format := range []string{"no blank", "%v %v", "%[3]v"} {
		wantHidden(t, format, fmt.Sprintf(format, hidden))
	}
}

func TestEncodingsHideTheText(t *testing.T) {
	body := struct {
		Password password
		Others   map[password]int
	}{password{secret.New(hush)}, map[password]int{{secret.New(hush)}: 1}}
	got, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"Password":"***","Others":{"***":1}}`; string(got) != want {
		t.Errorf("JSON is %s, want %s", got, want)
	}
	got, err = xml.Marshal(body.Password)
	if err != nil {
		t.Fatal(err)
	}
	if want := `<password>***</password>`; string(got) != want {
		t.Errorf("XML is %s, want %s", got, want)
	}
}

func TestLogsHideTheText(t *testing.T) {
	hidden := password{secret.New(hush)}
	for _, kind := range []string{"text", "json"} {
		var out bytes.Buffer
		var handler slog.Handler = slog.NewTextHandler(&out, nil)
		if kind == "json" {
			handler = slog.NewJSONHandler(&out, nil)
		}
		slog.New(handler).Info("said", "plain", hidden, "pointer", &hidden,
			"inside", struct{ Field password }{hidden}, "within", struct{ field password }{hidden})
		wantHidden(t, kind, out.String())
		if !strings.Contains(out.String(), secret.Redacted) {
			t.Errorf("the %s log does not say %s: %s", kind, secret.Redacted, out.String())
		}
	}
}

func wantHidden(t *testing.T, how, printed string) {
	t.Helper()
	for _, leak := range []string{hush, fmt.Sprintf("%x", hush), fmt.Sprint([]byte(hush))} {
		if strings.Contains(strings.ToLower(printed), strings.ToLower(leak)) {
			t.Errorf("%s lets the secret out: %s", how, printed)
		}
	}
}
