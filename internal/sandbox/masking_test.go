package sandbox

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMaskedBody(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		``:                                     ``,
		`{"cardId": 5001}`:                     `{"cardId": 5001}`,
		`{"newPin":"1234"}`:                    `{"newPin":"***"}`,
		`{ "a" : [ {"NEWPIN" : 1 } ] }`:        `{ "a" : [ {"NEWPIN" : "***" } ] }`,
		`{"\u006eewPin":"1234"}`:               `{"\u006eewPin":"***"}`,
		`{"newPin":{"a":["12",null,false]}}`:   `{"newPin":{"a":["***",null,false]}}`,
		`{"newPin":"1","newPin":"2"}`:          `{"newPin":"***","newPin":"***"}`,
		`{"birthDate":"1985-03-14","tag":"x"}`: `{"birthDate":"***","tag":"x"}`,
		`{"tag":"4000 0000 0000 0002"}`:        `{"tag":"************0002"}`,
		`{"tag":4000000000000002}`:             `{"tag":"************0002"}`,
		`{"tag":"\u0034000000000000002."}`:     `{"tag":"************0002."}`,
		`{"tag":4000000000000003}`:             `{"tag":4000000000000003}`,
		`[1,2`:                                 `[*,*`,
		`{newPin:'1234'}`:                      `{newPin:'****'}`,
		`{'newPin':"` + strings.Repeat("Ab1+", 12) + `=="`: `{'newPin':"***"`,
		"{\"a\":\"\xff1\"}": "{\"a\":\"\uFFFD*\"}",
	} {
		if got := maskedBody([]byte(given)); got != want {
			t.Errorf("%s is shown as %s, want %s", given, got, want)
		}
	}
}

// TestMaskedBodiesHoldNoSecret generates bodies with a secret under every name, at any depth.
func TestMaskedBodiesHoldNoSecret(t *testing.T) {
	t.Parallel()
	const canary = "canary-7315"
	rapid.Check(t, func(t *rapid.T) {
		var value any = canary
		secret := rapid.SampledFrom(SecretMembers).Draw(t, "member")
		value = map[string]any{secret: value, "tag": rapid.String().Draw(t, "tag")}
		for range rapid.IntRange(0, 4).Draw(t, "depth") {
			if rapid.Bool().Draw(t, "list") {
				value = []any{rapid.Float64().Draw(t, "number"), value, nil}
				continue
			}
			value = map[string]any{rapid.String().Draw(t, "name"): value, "z": true}
		}
		indent := rapid.SampledFrom([]string{"", "\t"}).Draw(t, "indent")
		text, err := json.MarshalIndent(value, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		masked := maskedBody(text)
		if strings.Contains(masked, canary) || !json.Valid([]byte(masked)) {
			t.Fatalf("%s is shown as %s", text, masked)
		}
		if !strings.Contains(masked, hidden) {
			t.Fatalf("%s lost what was masked: %s", text, masked)
		}
	})
}

// FuzzMaskedBody holds that any text can be masked, and is text then.
func FuzzMaskedBody(f *testing.F) {
	for _, text := range []string{`{"newPin":"1"}`, `[[]]`, `nul`, `{"a":1e9}`, "\x00", `" "`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		masked := maskedBody(text)
		isJSON := json.Valid(text) && utf8.Valid(text)
		if isJSON && !json.Valid([]byte(masked)) || !utf8.ValidString(masked) {
			t.Errorf("%q becomes %q", text, masked)
		}
	})
}
