package jsonbody

import (
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// ref is embedded, like the shared members of the interface's requests.
type ref struct {
	CustomerID int `json:"customerId"`
}

// everything has a member of each kind that the recorded requests lack.
type everything struct {
	ref
	Priority *int      `json:"priority"`
	NewPin   string    `json:"newPin" body:"secret"`
	Born     time.Time `json:"born" body:"secret"`
	Code     int       `json:"code" body:"secret"`
	Tag      string    `json:"tag"`
	Name     *string   `json:"name"`
	When     time.Time `json:"when"`
	Ignored  int       `json:"-"`
}

var everythings = For[everything]("Everything")

// refuse checks that each body is refused with its code and message.
func refuse(t *testing.T, cases []refusal) {
	t.Helper()
	for _, c := range cases {
		var into everything
		code, message := answer(t, everythings.Decode([]byte(c.body), &into))
		if code != c.code || message != c.message {
			t.Errorf("%.200q\n got %d %s\nwant %d %s", c.body, code, message, c.code, c.message)
		}
	}
}

type refusal struct {
	body    string
	code    int
	message string
}

// accept checks that a body is accepted, and how it is bound.
func accept(t *testing.T, body string, want func(*everything)) {
	t.Helper()
	got, expected := everything{Tag: "left over"}, everything{}
	if err := everythings.Decode([]byte(body), &got); err != nil {
		t.Errorf("%.200q is refused: %v", body, err)
		return
	}
	want(&expected)
	if diff := cmp.Diff(expected, got, cmp.AllowUnexported(everything{})); diff != "" {
		t.Errorf("%.200q is bound otherwise (-want +got):\n%s", body, diff)
	}
}

func TestNotGiven(t *testing.T) {
	accept(t, `{"customerId":null,"priority":"","when":"","born":null,"tag":null,"name":null}`,
		func(*everything) {})
	accept(t, `{"priority":0,"name":""}`, func(e *everything) {
		e.Priority, e.Name = new(int), new(string)
	})
	accept(t, `{"priority":5,"priority":null,"tag":"a","tag":null,"Ignored":7,"-":8}`,
		func(*everything) {})
}

// TestUnknownMembers checks that the values of unknown members are parsed and discarded.
func TestUnknownMembers(t *testing.T) {
	accept(t, `{"unknown":new Date(1,[2],{a:3}),"limit":{"a":1,"a":2},"ids":[1,,null]}`,
		func(*everything) {})
	refuse(t, []refusal{
		{`{"unknown":`, 59950,
			"Unexpected end when deserializing object. Path 'unknown', line 1, position 11."},
		{`{"ids":{`, 59950,
			"Unexpected end when deserializing object. Path 'ids', line 1, position 8."},
		{`{"accounts":{,`, 59949, "Invalid property identifier character: ,. " +
			"Path 'accounts', line 1, position 13."},
	})
}

// TestWrongKinds decodes values of types that a member does not accept.
func TestWrongKinds(t *testing.T) {
	const specifics = " is not acceptable. Specifics: "
	refuse(t, []refusal{
		{`{"customerId":new Date(1)}`, 59956, "Value for property 'customerId'" + specifics +
			"Error reading integer. Unexpected token: StartConstructor."},
		{`{"tag":{}}`, 59956, "Value for property 'tag'" + specifics +
			"Error reading string. Unexpected token: StartObject."},
		{`{"when":[]}`, 59904, "Error reading date. Unexpected token: StartArray. " +
			"Path 'when', line 1, position 9."},
		{`{"priority":undefined}`, 59956, "Value for property 'priority'" + specifics +
			"Error reading integer. Unexpected token: Undefined."},
		{`{"tag":`, 59957, "Missing a closing curly brace. Specifics: " +
			"Unexpected end when setting tag's value. Path 'tag', line 1, position 7."},
	})
}

func TestUnclean(t *testing.T) {
	const message = "Value for property 'tag' is not acceptable. Specifics: " +
		"The text is not valid UTF-8."
	refuse(t, []refusal{
		{"{\"tag\":\"\xff\"}", 59956, message},
		{`{"tag":"\ud800x"}`, 59956, message},
		{`{"tag":"\n\udc00\ud800"}`, 59956, message},
		{`{"tag":"\ud83dx\ude00"}`, 59956, message},
		{"\xff\xfe" + encodeUTF16(`{"tag":"`) + "\x00\xd8" + encodeUTF16(`"}`), 59956, message},
		// Any other problem is reported first, and only the first invalid string is named.
		{"{\"tag\":\"\xff\"", 59950,
			"Unexpected end when deserializing object. Path 'tag', line 1, position 10."},
		{"{\"tag\":\"\xff\",\"newPin\":\"\xff\"}", 59956, message},
	})
	accept(t, "{\"unknown\":{\"\xff\":\"\xff\"}}", func(*everything) {})
	accept(t, `{"tag":"\uD83D\ude00 \u00E9"}`, func(e *everything) { e.Tag = "😀 é" })
	// U+FFFD is an ordinary character if it was sent as one.
	for _, body := range []string{
		"{\"tag\":\"\ufffd\"}", `{"tag":"\ufffd"}`, "{\"unknown\":\"\xff\",\"tag\":\"\ufffd\"}",
		"\xff\xfe" + encodeUTF16("{\"unknown\":\"😀\",\"tag\":\"\ufffd\"}"),
	} {
		accept(t, body, func(e *everything) { e.Tag = "\ufffd" })
	}
}

// encodeUTF16 encodes text as UTF-16, low byte first.
func encodeUTF16(text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return string(out)
}

func TestSecretsAreNotRepeated(t *testing.T) {
	refuse(t, []refusal{
		{`{"newPin":12a4}`, 59949, "Input string '***' is not a valid number. " +
			"Path 'newPin', line 1, position 14."},
		{`{"newPin":"\u12x4"}`, 59949, `Invalid Unicode escape sequence: \u***. ` +
			"Path 'newPin', line 1, position 13."},
		{`{"born":1985-03-14}`, 59949, "Input string '***' is not a valid number. " +
			"Path 'born', line 1, position 18."},
		{`{"born":"1985-14-03"}`, 59952, "Value for property 'born' is not formatted as a valid " +
			"ISO-8601 DateTime. Example value=2015-06-01T12:34:56.789+00:00"},
		{`{"CODE":"12x4"}`, 59900, "Could not convert string to integer: ***. " +
			"Path 'CODE', line 1, position 14."},
		{`{"code":12.4}`, 59956, "Value for property 'code' is not acceptable. Specifics: " +
			"Input string '***' is not a valid integer."},
		{`{"code":1,"customerId":"x"}`, 59900, "Could not convert string to integer: x. " +
			"Path 'customerId', line 1, position 26."},
		{`{"code":1,"unknown":12a4}`, 59949, "Input string '12a4' is not a valid number. " +
			"Path 'unknown', line 1, position 24."},
	})
}

func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 99)
	path := strings.Repeat("p", 255)
	deep := func(n int) string {
		return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n)
	}
	accept(t, deep(64), func(*everything) {})
	accept(t, `{"a":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}`, func(*everything) {})
	accept(t, "{}"+strings.Repeat(" ", MaxBytes-2), func(*everything) {})
	refuse(t, []refusal{
		{deep(65), 59949, "The reader's MaxDepth of 64 has been exceeded. Path '" +
			strings.Repeat("a.", 63) + "a', line 1, position 321."},
		{`{"a":` + strings.Repeat("[", 64), 59949,
			"The reader's MaxDepth of 64 has been exceeded. Path 'a" +
				strings.Repeat("[0]", 63) + "', line 1, position 69."},
		{`{"customerId":"` + long + `y"}`, 59900, "Could not convert string to integer: " +
			long + "y. Path 'customerId', line 1, position 116."},
		{`{"customerId":"` + long + `yz"}`, 59900, "Could not convert string to integer: " +
			long + "y…. Path 'customerId', line 1, position 117."},
		{`{"customerId":"` + long + `😀"}`, 59900, "Could not convert string to integer: " +
			long + "…. Path 'customerId', line 1, position 117."},
		{`"` + long + `yz"`, 59951, "Error converting value '" + long + "y…' to type " +
			"'Everything'. Path '', line 1, position 103."},
		{`{"` + path + `q":NULL}`, 59905, "Error parsing NaN value. Path '" + path +
			"q', line 1, position 260."},
		{`{"` + path + `qr":NULL}`, 59905, "Error parsing NaN value. Path '" + path +
			"q…', line 1, position 261."},
		{`{"map":{"` + path + `qr":NULL`, 59905, "Error parsing NaN value. Path 'map." + path[:252] +
			"…', line 1, position 268."},
		{"{}" + strings.Repeat(" ", MaxBytes-1), 59999, "The request body is too large."},
		{`{"unknown":"` + strings.Repeat("\xff", 30000) + `"}`, 59999,
			"The request body is too large."},
	})
}
