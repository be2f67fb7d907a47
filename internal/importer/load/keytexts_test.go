package load

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// TestKeys checks how the keys of a file are parsed.
func TestKeys(t *testing.T) {
	t.Parallel()
	keysOf := func(text string) ([]KeyText, error) {
		t.Helper()
		data, err := Read(fstest.MapFS{"a.yaml": {Data: []byte(text)}}, "a.yaml")
		if err != nil {
			t.Fatal(err)
		}
		return data.Keys()
	}
	keys, err := keysOf(`keys:
  - {name: a, programId: 1, version: 2, secrets: [{secret: hush, expires: 2026-01-01}],
     allow: [192.0.2.0/24], perSecond: 2, compatibility: [earlier-clients]}
  - {name: b, programId: 2, version: 1, secrets: [{secret: other}], allow: ["::1"]}
`)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%v, %v", keys, err)
	}
	a, b := keys[0], keys[1]
	if a.Name != "a" || a.Version != 2 || a.Secret.Reveal() != "hush" || a.PerSecond != 2 ||
		!a.Expires.Equal(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)) ||
		a.Allow[0].String() != "192.0.2.0/24" || len(a.Compatibility) != 1 {
		t.Errorf("%+v", a)
	}
	if b.PerSecond != 15 || !b.Expires.IsZero() || b.ProgramID != 2 {
		t.Errorf("%+v", b)
	}
	if keys, err := keysOf("customers: []\n"); len(keys) > 0 || err != nil {
		t.Errorf("a file without keys has %v, %v", keys, err)
	}
	_, err = keysOf("keys:\n  - {name: a, programId: 1, version: 1, allow: [here]}\n")
	if err == nil || !strings.Contains(err.Error(), "allow") {
		t.Errorf("a wrong key is read: %v", err)
	}
}
