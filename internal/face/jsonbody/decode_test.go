package jsonbody

import (
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
)

// ref is embedded, like the shared members of the interface's requests.
type ref struct {
	CustomerID int `json:"customerId"`
}

// everything has one member of each kind beyond the recorded requests.
type everything struct {
	ref
	Priority *int            `json:"priority"`
	Amount   decimal.Decimal `json:"amount" body:"amount"`
	Rate     decimal.Decimal `json:"rate" body:"rate"`
	NewPin   string          `json:"newPin" body:"secret"`
	Born     time.Time       `json:"born" body:"secret"`
	Code     int             `json:"code" body:"secret"`
	Tag      string          `json:"tag"`
	When     time.Time       `json:"when"`
	Flag     *bool           `json:"flag"`
	Limit    Limit           `json:"limit"`
	Accounts []Account       `json:"accounts"`
	IDs      []int           `json:"ids"`
	Map      map[string]int  `json:"map"`
	Ignored  int             `json:"-"`
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

// accept checks how a body is bound.
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

func TestPrecision(t *testing.T) {
	const badAmount = "Value for property 'amount' is not formatted as a valid decimal " +
		"(precision up to 2)."
	const badRate = "Value for property 'rate' is not formatted as a valid decimal " +
		"(precision up to 11)."
	refuse(t, []refusal{
		{`{"amount":1.234}`, 59954, badAmount},
		{`{"amount":"0.001"}`, 59954, badAmount},
		{`{"amount":1e-3}`, 59954, badAmount},
		{`{"amount":1.` + strings.Repeat("0", 80) + `1}`, 59954, badAmount},
		{`{"rate":0.123456789012}`, 59955, badRate},
		{`{"rate":"abc"}`, 59955, badRate},
		{`{"rate":undefined}`, 59955, badRate},
		{`{"rate":[]}`, 59904, "Error reading decimal. Unexpected token: StartArray. " +
			"Path 'rate', line 1, position 9."},
	})
	accept(t, `{"amount":1.500,"rate":0.12345678901}`, func(e *everything) {
		e.Amount = decimal.RequireFromString("1.5")
		e.Rate = decimal.RequireFromString("0.12345678901")
	})
	accept(t, `{"amount":"1.5","amount":"","rate":null}`, func(*everything) {})
}

func TestNotGiven(t *testing.T) {
	accept(t, `{"customerId":null,"priority":"","when":"","born":null,"limit":"","tag":null,`+
		`"accounts":null,"ids":"","map":"","flag":""}`, func(*everything) {})
	accept(t, `{"priority":0,"flag":0}`, func(e *everything) {
		e.Priority, e.Flag = new(int), new(bool)
	})
	accept(t, `{"priority":5,"priority":null,"flag":1,"flag":undefined}`, func(*everything) {})
	accept(t, `{"flag":"\u0000\u3000tRUE "}`, func(e *everything) {
		is := true
		e.Flag = &is
	})
	accept(t, `{"limit":,"accounts":undefined,"map":,}`, func(*everything) {})
	refuse(t, []refusal{
		{`{"ids":[1,null]}`, 59956, "Value for property 'ids[1]' is not acceptable. Specifics: " +
			"Error converting value {null} to type 'System.Int32'."},
		{`{"ids":[""]}`, 59956, "Value for property 'ids[0]' is not acceptable. Specifics: " +
			"Error converting value {null} to type 'System.Int32'."},
		{`{"map":{"a":null}}`, 59956, "Value for property 'map.a' is not acceptable. Specifics: " +
			"Error converting value {null} to type 'System.Int32'."},
	})
}

func TestContainers(t *testing.T) {
	accept(t, `{"accounts":[{"accountId":1,"balanceLimit":{"minimumAmount":2}},null,{}],`+
		`"map":{"a":1,"a":2,"b":"3"},"ids":[],"limit":{"minimumAmount":1},`+
		`"limit":{"maximumAmount":4},"Ignored":7,"-":8}`, func(e *everything) {
		e.Accounts = []Account{{AccountID: 1}, {}, {}}
		e.Accounts[0].BalanceLimit.MinimumAmount = decimal.NewFromInt(2)
		e.Map = map[string]int{"a": 2, "b": 3}
		e.IDs = []int{}
		e.Limit.MaximumAmount = decimal.NewFromInt(4)
	})
	accept(t, `{"ids":[1],"ids":[2,3],"unknown":new Date(1,[2],{a:3})}`, func(e *everything) {
		e.IDs = []int{2, 3}
	})
	const specifics = " is not acceptable. Specifics: "
	refuse(t, []refusal{
		{`{"limit":new Date(1)}`, 59956, "Value for property 'limit'" + specifics +
			`Error converting value "Date" to type 'Api.Limit'.`},
		{`{"map":5}`, 59956, "Value for property 'map'" + specifics + "Error converting value 5 " +
			"to type 'System.Collections.Generic.Dictionary`2[System.String,System.Int32]'."},
		{`{"limit":"2015-01-01T00:00:00Z"}`, 59956, "Value for property 'limit'" + specifics +
			"Error converting value 01/01/2015 00:00:00 to type 'Api.Limit'."},
		{`{"accounts":{"x":1}}`, 59956, "Value for property 'accounts.x'" + specifics +
			"Error reading object. Unexpected token: StartObject."},
		{`{"accounts":{`, 59950,
			"Unexpected end when deserializing object. Path 'accounts', line 1, position 13."},
		{`{"accounts":{,`, 59949, "Invalid property identifier character: ,. " +
			"Path 'accounts', line 1, position 13."},
		{`{"map":{"a":1`, 59950,
			"Unexpected end when deserializing object. Path 'map.a', line 1, position 13."},
		{`{"map":{"a":`, 59957, "Missing a closing curly brace. Specifics: " +
			"Unexpected end when setting a's value. Path 'map.a', line 1, position 12."},
		{`{"unknown":`, 59950,
			"Unexpected end when deserializing object. Path 'unknown', line 1, position 11."},
		{`{"ids":{`, 59950,
			"Unexpected end when deserializing object. Path 'ids', line 1, position 8."},
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
		{"\xff\xfe" + wide(`{"tag":"`) + "\x00\xd8" + wide(`"}`), 59956, message},
		{"{\"map\":{\"\xff\":1}}", 59956, "Value for property 'map.\ufffd' is not acceptable. " +
			"Specifics: The text is not valid UTF-8."},
		// Whatever else is wrong comes first, and only the first such text is named.
		{"{\"tag\":\"\xff\"", 59950,
			"Unexpected end when deserializing object. Path 'tag', line 1, position 10."},
		{"{\"tag\":\"\xff\",\"newPin\":\"\xff\"}", 59956, message},
	})
	accept(t, "{\"unknown\":{\"\xff\":\"\xff\"}}", func(*everything) {})
	accept(t, `{"tag":"\uD83D\ude00 \u00E9"}`, func(e *everything) { e.Tag = "😀 é" })
	// U+FFFD is a character as any other where it was sent as one.
	for _, body := range []string{
		"{\"tag\":\"\ufffd\"}", `{"tag":"\ufffd"}`, "{\"unknown\":\"\xff\",\"tag\":\"\ufffd\"}",
		"\xff\xfe" + wide("{\"unknown\":\"😀\",\"tag\":\"\ufffd\"}"),
	} {
		accept(t, body, func(e *everything) { e.Tag = "\ufffd" })
	}
}

// wide is a text in UTF-16, the low byte first.
func wide(text string) string {
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
		{`{"map":{"` + path + `qr":`, 59957, "Missing a closing curly brace. Specifics: " +
			"Unexpected end when setting " + path + "q…'s value. Path 'map." + path[:252] +
			"…', line 1, position 268."},
		{"{}" + strings.Repeat(" ", MaxBytes-1), 59999, "The request body is too large."},
		{`{"unknown":"` + strings.Repeat("\xff", 30000) + `"}`, 59999,
			"The request body is too large."},
	})
}
