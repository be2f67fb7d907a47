package signature

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func secretOf(t *testing.T, letter string) Secret {
	t.Helper()
	s, err := NewSecret([]byte(strings.Repeat(letter, MinSecretBytes)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// signed returns the headers of a signed message as they arrive.
func signed(t *testing.T, at time.Time, body string, secrets ...Secret) map[string][]string {
	t.Helper()
	headers, err := Headers(secrets, "msg-1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	arrived := map[string][]string{}
	for name, value := range headers {
		arrived[name] = []string{value}
	}
	return arrived
}

// TestOthersVerify checks that the verifier of the standardwebhooks library accepts our signatures,
// with each of several secrets.
func TestOthersVerify(t *testing.T) {
	t.Parallel()
	old, fresh := secretOf(t, "o"), secretOf(t, "n")
	header := signed(t, time.Now(), "{}", old, fresh)
	for _, s := range []Secret{old, fresh} {
		verifier, err := standardwebhooks.NewWebhook(s.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify([]byte("{}"), header); err != nil {
			t.Errorf("the library refuses: %v", err)
		}
		if verifier.Verify([]byte("{ }"), header) == nil {
			t.Error("the library accepts another body")
		}
	}
}

// TestKnownSignature checks a vector of the specification's own tests.
func TestKnownSignature(t *testing.T) {
	t.Parallel()
	s, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	headers, err := Headers([]Secret{s}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
		time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if err != nil || headers[HeaderSignature] != want {
		t.Errorf("%v, %v, want %s", headers, err, want)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	old, fresh, other := secretOf(t, "o"), secretOf(t, "n"), secretOf(t, "x")
	without := func(name string) map[string][]string {
		header := signed(t, now, "{}", old)
		delete(header, name)
		return header
	}
	twice := signed(t, now, "{}", old)
	twice[HeaderTimestamp] = append(twice[HeaderTimestamp], "1")
	for name, row := range map[string]struct {
		header map[string][]string
		body   string
		good   bool
	}{
		"the first secret":  {signed(t, now, "{}", old), "{}", true},
		"the second secret": {signed(t, now, "{}", fresh), "{}", true},
		"both":              {signed(t, now, "{}", old, fresh), "{}", true},
		"another secret":    {signed(t, now, "{}", other), "{}", false},
		"another body":      {signed(t, now, "{}", old), "{} ", false},
		"in time":           {signed(t, now.Add(-Tolerance), "{}", old), "{}", true},
		"too old":           {signed(t, now.Add(-Tolerance-time.Second), "{}", old), "{}", false},
		"too new":           {signed(t, now.Add(Tolerance+time.Second), "{}", old), "{}", false},
		"no identifier":     {without(HeaderID), "{}", false},
		"no timestamp":      {without(HeaderTimestamp), "{}", false},
		"no signature":      {without(HeaderSignature), "{}", false},
		"two timestamps":    {twice, "{}", false},
		"nothing":           {map[string][]string{}, "{}", false},
	} {
		err := Verify([]Secret{old, fresh}, row.header, []byte(row.body), now)
		if (err == nil) != row.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	if Verify(nil, signed(t, now, "{}", old), []byte("{}"), now) == nil {
		t.Error("a message is accepted without a secret")
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "whsec_", "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", "whsec_!", "whsec_c2VjcmV0",
		"whsec_" + strings.Repeat("A", 31), "whsec_c2VjcmV0c2VjcmV0\nc2VjcmV0c2VjcmV0",
		"whsec_" + strings.Repeat("A", 88),
	} {
		if _, err := ParseSecret(bad); err == nil {
			t.Errorf("%q is a secret", bad)
		} else if len(bad) > 8 && strings.Contains(err.Error(), bad[7:]) {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
	s := secretOf(t, "s")
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v", s, s), string(text)} {
		if strings.Contains(printed, "c3Nz") || strings.Contains(printed, "sss") {
			t.Errorf("a secret prints as %s", printed)
		}
	}
	if _, err := Headers(nil, "a", time.Time{}, nil); err == nil {
		t.Error("a message is signed without a secret")
	}
}
