package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMaskedBody(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		``:                                              ``,
		`{"cardId": 5001}`:                              `{"cardId": 5001}`,
		`{"newPin":"1234"}`:                             `{"newPin":"***"}`,
		`{ "a" : [ {"NEWPIN" : 1 } ] }`:                 `{ "a" : [ {"NEWPIN" : "***" } ] }`,
		`{"\u006eewPin":"1234"}`:                        `{"\u006eewPin":"***"}`,
		`{"newPin":{"a":["12",null,false]}}`:            `{"newPin":{"a":["***",null,false]}}`,
		`{"newPin":"1","newPin":"2"}`:                   `{"newPin":"***","newPin":"***"}`,
		`{"birthDate":"1985-03-14","tag":"x"}`:          `{"birthDate":"***","tag":"x"}`,
		`{"tag":"4000 0000 0000 0002"}`:                 `{"tag":"************0002"}`,
		`{"tag":"4000.0000.0000.0002"}`:                 `{"tag":"***"}`,
		`{"tag":4000000000000002}`:                      `{"tag":"************0002"}`,
		`{"tag":"\u0034000000000000002."}`:              `{"tag":"************0002."}`,
		`{"tag":4000000000000100}`:                      `{"tag":4000000000000100}`,
		`[1,2`:                                          `[*,*`,
		`{tag:'1234'}`:                                  `{tag:'****'}`,
		`{"a":1} {"b":2}`:                               `{"a":*} {"b":*}`,
		`{newPin:'1234'}`:                               `{newPin***`,
		`n=1&NEW%50in=Ab1%2B`:                           `n=*&NEW%50in***`,
		`{'tag':"` + strings.Repeat("Ab1+", 12) + `=="`: `{'tag':"***"`,
		`{"4000000000000002":[]}`:                       `{"************0002":[]}`,
		"{\"a\":\"\xff1\"}":                             "{\"a\":\"\uFFFD*\"}",
	} {
		if got := (text{kept: []byte(given)}).masked(); got != want {
			t.Errorf("%s is shown as %s, want %s", given, got, want)
		}
	}
}

// TestMaskedBodiesHoldNoSecret generates bodies with a secret in each secret member, at any depth.
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
			object := map[string]any{"z": true}
			object[rapid.String().Draw(t, "name")] = value // the name may be "z"
			value = object
		}
		indent := rapid.SampledFrom([]string{"", "\t"}).Draw(t, "indent")
		body, err := json.MarshalIndent(value, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		masked := text{kept: body}.masked()
		if strings.Contains(masked, canary) || !json.Valid([]byte(masked)) {
			t.Fatalf("%s is shown as %s", body, masked)
		}
		if !strings.Contains(masked, hidden) {
			t.Fatalf("%s lost what was masked: %s", body, masked)
		}
		at := rapid.IntRange(0, len(body)-1).Draw(t, "cut")
		if masked := (text{body[:at], true}).masked(); strings.Contains(masked, canary[:6]) ||
			strings.Contains(masked, canary[6:]) {
			t.Fatalf("%s, cut at %d, is shown as %s", body, at, masked)
		}
	})
}

// The canaries of TestCuts: an encrypted PIN, an encoded PIN, a birth date, an account number and a
// card number (PAN).
const (
	sealedPin     = "kQ3+xZ/pW7vB9nL2mT5sD8fG1hJ4kR6yU0iO3aE7cV9bN2qXwZtY"
	encodedPin    = "MTIzNA=="
	birthDate     = "1985-03-14"
	accountNumber = "987650123456"
	cardNumber    = "4539578763621486"
)

// cutBodies contain the canaries in all the places and encodings where they may occur.
var cutBodies = []string{
	`{"customerId":1001,"newPin":"` + sealedPin + `","birthDate":"` + birthDate + `"}`,
	`{"accountNumber":"` + accountNumber + `","cardNumberMasked":"` + cardNumber + `","tag":"é"}`,
	"{\n\t\"NEWPIN\" : \"" + encodedPin + "\",\n\t\"accountnumber\" : " + accountNumber +
		" ,\n\t\"a\":[]}",
	`{"\u006eewPin":"` + encodedPin + `","birth\u0044ate":"` + birthDate + `"}`,
	`{"n\u0065w\u0050\u0069n":{"a":["` + encodedPin + `",{"b":"` + birthDate + `"}],"c":1}}`,
	`{"birthDate":"\u0031985-\u00303-14","accountNumber":"\u00398765` + `0123456"}`,
	`[{"tag":"` + cardNumber + `"},{"tag":"4539 5787 6362 1486","a":"4539-5787-6362-1486"}]`,
	`{"tag":` + cardNumber + `,"a":["` + cardNumber + `.",{"` + cardNumber + `":null}],"b":true}`,
	`{"tag":"\u0034539578\u00376362\u00314\u00386","\u0034539578763621486":[ ` + cardNumber +
		` ]}`,
	`{"tag":"\ud83d\ude00 é \"` + cardNumber + `\" \\","a":"😀` + cardNumber + `"}`,
	cardNumber, `"` + cardNumber + `"`, "4539 5787 6362 1486", `[4539 5787 6362 1486]`,
	`customerId=1001&newPin=` + strings.ReplaceAll(sealedPin, "+", "%2B") + `&birthDate=` +
		birthDate,
	`{customerId:1001,newPin:'` + encodedPin + `',birthDate:'` + birthDate + `'}`,
	`{"customerId":1001,"newPin":'` + sealedPin + `',"birthDate":"` + birthDate + `"}`,
	`{"customerId":1001,"newPin":"` + encodedPin + `",}`, `{"tag":` + cardNumber + `,}`,
	`{"tag":"x"} {"newPin":"` + encodedPin + `"}`, `{"a":[1,}` + cardNumber + birthDate,
	`{"n\x65wPin":"` + encodedPin + `"}`, `{'\u{6e}ewPin':'` + encodedPin + `'}`,
	`<request><birthDate>` + birthDate + `</birthDate><newPin>` + encodedPin +
		`</newPin></request>`,
	"\xff{\"newPin\":\"" + encodedPin + "\",\"tag\":\"" + cardNumber + "\"}",
	"pin: >\r\n  " + sealedPin[:40] + "\r\n  " + sealedPin[40:] + "\r\n",
	`{"errors":[{"code":51210,"message":"Card ` + cardNumber + ` is not known."}],"requestId":"r"}`,
}

// shownOf returns the parts of canaries that a string shows: five characters of a number or a PIN,
// four of a date.
func shownOf(masked string) []string {
	plain := masked
	for i := range 128 {
		for _, form := range []string{`\u%04x`, `%%%02X`} {
			plain = strings.ReplaceAll(plain, fmt.Sprintf(form, i), string(rune(i)))
		}
	}
	joined := strings.NewReplacer(" ", "", "-", "").Replace(plain)
	var texts []string
	for canary, length := range map[string]int{
		sealedPin: 5, encodedPin: 5, birthDate: 4, accountNumber: 5, cardNumber: 5,
	} {
		for at := range len(canary) - length + 1 {
			part := canary[at : at+length]
			if strings.Contains(plain, part) || strings.Contains(joined, part) {
				texts = append(texts, part)
			}
		}
	}
	return texts
}

// TestCuts cuts bodies at every byte: in a name, in a value, in an escape. No canary may be shown,
// and of a card number no more than its last four digits.
func TestCuts(t *testing.T) {
	t.Parallel()
	for _, body := range cutBodies {
		for at := range len(body) + 1 {
			s := text{[]byte(body[:at]), at < len(body)}
			masked := s.masked()
			if texts := shownOf(masked); len(texts) > 0 {
				t.Errorf("%q, cut at %d, is shown as %q with %q", body, at, masked, texts)
			}
		}
	}
	if len(shownOf(cutBodies[0])) == 0 || len(shownOf(cutBodies[8])) == 0 {
		t.Error("what is not masked is not noticed")
	}
}

// TestCutsShowTheRest checks that a cut hides only the value that it cuts.
func TestCutsShowTheRest(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		``:                               `…`,
		`{"cardId":5001,"tag":"a b`:      `{"cardId":5001,"tag"…`,
		`{"cardId":5001,"ta`:             `{"cardId":5001…`,
		`{"cardId":5001, `:               `{"cardId":5001…`,
		`{"cardId":5001`:                 `{"cardId"…`,
		`{"newPin":"x","cardId":5001}  `: `{"newPin":"***","cardId":5001}…`,
		`[true,null,{"a":[`:              `[true,null,{"a":[…`,
		`[45 `:                           `[…`,
		`[tru`:                           `[…`,
		`{"tag":"é` + "\xc3":             `{"tag"…`,
		`tag: abc def`:                   `tag: abc ***…`,
	} {
		if got := (text{[]byte(given), true}).masked(); got != want {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}

// FuzzMaskedBody checks that any body can be masked, that the result is valid UTF-8, and that valid
// JSON stays valid.
func FuzzMaskedBody(f *testing.F) {
	for _, text := range []string{`{"newPin":"1"}`, `[[]]`, `nul`, `{"a":1e9}`, "\x00", `" "`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		masked := text{kept: body}.masked()
		isJSON := json.Valid(body) && utf8.Valid(body)
		if isJSON && !json.Valid([]byte(masked)) || !utf8.ValidString(masked) {
			t.Errorf("%q becomes %q", body, masked)
		}
		if !isJSON && strings.ContainsAny(masked, "0123456789") {
			t.Errorf("%q, which is not valid JSON, becomes %q", body, masked)
		}
		if masked := (text{body, true}).masked(); !utf8.ValidString(masked) {
			t.Errorf("%q, cut, becomes %q", body, masked)
		}
	})
}
