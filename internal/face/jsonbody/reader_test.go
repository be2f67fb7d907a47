package jsonbody

import (
	"strings"
	"testing"
)

// TestGrammar checks the names and values that the reader accepts beyond JSON.
func TestGrammar(t *testing.T) {
	accepted := func(body string) {
		t.Helper()
		accept(t, body, func(e *everything) { e.CustomerID = 1 })
	}
	accepted("\ufeff{'customerId':1}")
	accepted("\x00\u2003{\x00customerId\u00a0:\u30001\u202f}\x00")
	accepted(`{customerId:1,é:[NaN,Infinity,-Infinity,undefined,],$_9:new  A1 (,)/**/}//c`)
	accepted("{customerId\x00:1}")
	accepted(`{/**//***/"customerId"://c` + "\r" + `/*c*/1/*c*/,"unknown":/*c*/{"a"://` +
		"\n2}}/**/!")
	accepted(`{"customerId":1,"unknown":[true/**/,null,false` + "\x00" + `]}`)
	accepted(`{"customerId":1,"unknown":[1,1.5,.5,5.,0x1F,017,-1e5,12345678901234567890]}`)
	accepted("\xff\xfe{\x00c\x00u\x00s\x00t\x00o\x00m\x00e\x00r\x00I\x00d\x00:\x001\x00}\x00")
	accepted("{\"customerId\":1,\"unknown\":\"\\b\\t\\n\\f\\r\\\\\\\"\\'\\/\r\n\"}")
	accept(t, `{"tag":"\b\t\n\f\r\\\"\'\/\u00e9"}`, func(e *everything) {
		e.Tag = "\b\t\n\f\r\\\"'/é"
	})
}

func TestSyntax(t *testing.T) {
	const notOpened = "Missing an opening curly brace. Specifics: "
	const notClosed = "Missing a closing curly brace. Specifics: "
	const afterValue = "After parsing a value an unexpected character was encountered: "
	refuse(t, []refusal{
		{`{cust`, 59957, notClosed + "Unexpected end while parsing unquoted property name. " +
			"Path '', line 1, position 5."},
		{`{"a":n`, 59957, notClosed + "Unexpected end. Path 'a', line 1, position 6."},
		{`n`, 59958, notOpened + "Unexpected end. Path '', line 1, position 1."},
		{`nettle`, 59958, notOpened + "Unexpected content while parsing JSON. " +
			"Path '', line 0, position 0."},
		{`{"a":newt`, 59949, "Unexpected content while parsing JSON. " +
			"Path 'a', line 1, position 8."},
		{`{"a":new Date`, 59957, notClosed + "Unexpected end while parsing constructor. " +
			"Path 'a', line 1, position 13."},
		{`{"a":new Da_te(`, 59949, "Unexpected character while parsing constructor: _. " +
			"Path 'a', line 1, position 11."},
		{`{"a":new Date(1]`, 59957, notClosed + "JsonToken EndArray is not valid for closing " +
			"JsonType Constructor. Path 'a', line 1, position 16."},
		{`{"a":[NULL)`, 59905, "Error parsing NaN value. Path 'a', line 1, position 6."},
		{`{"a":[1)`, 59957, notClosed + "JsonToken EndConstructor is not valid for closing " +
			"JsonType Array. Path 'a', line 1, position 8."},
		{`tru`, 59958, notOpened + "Error parsing boolean value. Path '', line 0, position 0."},
		{`truer`, 59958, notOpened + "Error parsing boolean value. Path '', line 1, position 4."},
		{`{"a":true)`, 59949, "Error parsing boolean value. Path 'a', line 1, position 9."},
		{`{"a":true/x`, 59949, "Error parsing boolean value. Path 'a', line 1, position 9."},
		{`{"customerId":true;}`, 59906, afterValue + ";. Path 'customerId', line 1, position 18."},
		{`{"ids":[1;2]}`, 59906, afterValue + ";. Path 'ids[0]', line 1, position 9."},
		{`{"a":1x}`, 59949, "Input string '1x' is not a valid number. " +
			"Path 'a', line 1, position 7."},
		{`{"a":08}`, 59949, "Input string '08' is not a valid number. " +
			"Path 'a', line 1, position 7."},
		{`{"a":1e999}`, 59949, "Input string '1e999' is not a valid number. " +
			"Path 'a', line 1, position 10."},
		{`{"a":1` + strings.Repeat("0", 380) + `}`, 59949, "JSON integer 1" +
			strings.Repeat("0", 99) + "… is too large to parse. Path 'a', line 1, position 386."},
		{`{"a":😀}`, 59949, "Unexpected character encountered while parsing value: \ufffd. " +
			"Path 'a', line 1, position 5."},
		// The reader treats a surrogate as neither a letter nor a digit.
		{`{𝒳:1}`, 59949, "Invalid property identifier character: \ufffd. " +
			"Path '', line 1, position 1."},
		{`{"a":𝟏}`, 59949, "Unexpected character encountered while parsing value: \ufffd. " +
			"Path 'a', line 1, position 5."},
		{`{"tag":"\`, 59949, "Unterminated string. Expected delimiter: \". " +
			"Path 'tag', line 1, position 9."},
		{`{"tag":"\u00`, 59949, "Unterminated string. Expected delimiter: \". " +
			"Path 'tag', line 1, position 12."},
		{`{"a":1}/xy`, 59949, "Error parsing comment. Expected: *, got x. " +
			"Path '', line 1, position 8."},
		{`{"a":1}/`, 59949, "Unexpected end while parsing comment. Path '', line 1, position 8."},
		{`null x`, 59949, "Additional text encountered after finished reading JSON content: x. " +
			"Path '', line 1, position 5."},
		{`undefined`, 59958, notOpened + "The request body holds no JSON object."},
		{`12a`, 59949, "Input string '12a' is not a valid number. Path '', line 1, position 3."},
		{`-Infinity`, 59951, "Error converting value '-Infinity' to type 'Everything'. " +
			"Path '', line 1, position 9."},
	})
}

func TestLinesAndPositions(t *testing.T) {
	const end = "Unexpected end when deserializing object. Path 'a', "
	refuse(t, []refusal{
		{"{\"a\":1\r\n", 59950, end + "line 3, position 1."},
		{"{\"a\":1\r\n ", 59950, end + "line 2, position 2."},
		{"{\"a\":1\n\r\n\n", 59950, end + "line 4, position 1."},
		{"{\"a\":\"\r\n\u2028\r\"", 59950, end + "line 3, position 2."},
		{"{\"a\":1/*\n😀*/", 59950, end + "line 2, position 5."},
		{"{\"a\":1//\n", 59950, end + "line 2, position 1."},
		// Positions count UTF-16 code units as .NET does; each invalid byte sequence counts as
		// one.
		{"{\"a\":\"\xf0\x9f\x98\"", 59950, end + "line 1, position 8."},
		{"{\"a\":\"\xed\xa0\x80\"", 59950, end + "line 1, position 10."},
		{"\xfe\xff\x00{\x00\"\x00a\x00\"\x00:\x001\xd8\x3d", 59949, "Unexpected character " +
			"encountered while parsing number: \ufffd. Path 'a', line 1, position 6."},
		{"\xff\xfe{\x00\"\x00a\x00\"\x00:\x001", 59949, "Unexpected character " +
			"encountered while parsing value: \ufffd. Path 'a', line 1, position 5."},
		// A line break that follows a backslash does not end the line.
		{"{\"a\":\"\\\n\"", 59949, "Bad JSON escape sequence: \\\n. Path 'a', line 1, position 8."},
		{"\n\nx", 59958, "Missing an opening curly brace. Specifics: Unexpected character " +
			"encountered while parsing value: x. Path '', line 3, position 1."},
	})
}

func TestPaths(t *testing.T) {
	path := func(body, want string) {
		t.Helper()
		var into everything
		_, message := answer(t, everythings.Decode([]byte(body), &into))
		if !strings.Contains(message, " Path '"+want+"', line ") {
			t.Errorf("%q\n got %s\nwant the path %s", body, message, want)
		}
	}
	path(`{"a":{"b":[{},[NULL`, "a.b[1]")
	path(`{"a":{"b":[{},[1,NULL`, "a.b[1][0]")
	path(`{"a":{"b":[{},[1,2],NULL`, "a.b[1]")
	path(`{"a":{"b c":{"(":{"]":{"d":NULL`, "a.['b c'].['('].[']'].d")
	path(`{"a.b":NULL`, "['a.b']")
	path(`{"":{"":NULL`, "")
	path(`{"a":{"":NULL`, "a.")
	path(`{"a":1,"b`, "a")
	path(`{"a":{"b":1},"c`, "a")
	path(`{"a":{"b`, "a")
	path(`{"a":new X(1,NULL`, "a[0]")
	path(`{"\u0061\"b":NULL`, `a"b`)
	path(`{"accounts":[{"accountId":1},{"AccountID":NULL`, "accounts[1].AccountID")
}
