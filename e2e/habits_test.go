package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// Habits are the habits of old client libraries. Each test has a table of requests that must be
// understood.

// TestPathHabits reads card 5001 with every spelling of its path.
func TestPathHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for _, path := range []string{
		"/card/get/1001/5001",
		"/Card/Get/1001/5001",
		"/CARD/GET/1001/5001/",
		"//card//get//1001//5001//",
		"/card/%67et/1001/5001",
		"/card/get/1001/5001?unused=1",
		"/card/getbytag/1001/demo-5001",
		"/card/getByTag/1001/demo-5001",
		"/card/getByTag/1001/%64emo-5001",
		"/card/getbytag/1001/?tag=demo-5001",
		"/card/getbytag/1001?tag=demo%2D5001",
		"/card/getbytag/1001/?TAG=demo-5001",
	} {
		t.Run(path, func(t *testing.T) {
			reply := world.Under(t).Send(ledger.Request{Path: path})
			if got := cardOf(t, reply); got.CardID != 5001 {
				t.Errorf("answered %s", reply.Raw)
			}
		})
	}
}

// TestTagHabits finds a tag of awkward characters in every encoding.
func TestTagHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	const tag = "a b/c%d"
	s := cardOf(t, world.Send(ledger.Request{
		Path: "/card/initiate", Body: ledger.NewCard(`"nickName":"Awkward","tag":"a b/c%d"`),
	}))
	for _, path := range []string{
		"/card/getbytag/1001/a%20b%2Fc%25d",
		"/card/getbytag/1001/a+b%2fc%25d",
		"/card/getbytag/1001/?tag=a%20b%2Fc%25d",
		"/card/getbytag/1001/?tag=a+b/c%25d",
	} {
		t.Run(path, func(t *testing.T) {
			reply := world.Under(t).Send(ledger.Request{Path: path})
			if got := cardOf(t, reply); got.CardID != s.CardID || got.Tag != tag {
				t.Errorf("answered %s", reply.Raw)
			}
		})
	}
}

// TestBodyHabits locks a card with every spelling of the same request.
func TestBodyHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for name, body := range inOrder(map[string]string{
		"plain":              `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`,
		"numbers as strings": `{"customerId":"1001","cardId":" 5001 ","lockReasonTypeCode":"TMP"}`,
		"any case of a name": `{"CustomerID":1001,"CARDID":5001,"lockreasontypecode":"TMP"}`,
		"any case of a code": `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"tmp"}`,
		"single quotes":      `{'customerId':1001,'cardId':5001,'lockReasonTypeCode':'TMP'}`,
		"names unquoted":     `{customerId:1001,cardId:5001,lockReasonTypeCode:"TMP"}`,
		"a comma too many":   `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP",}`,
		"comments": "{/*who*/" + ledger.Act(5001, `"lockReasonTypeCode":"TMP"`)[1:] +
			"//done",
		"a byte order mark":  "\ufeff" + ledger.Act(5001, `"lockReasonTypeCode":"TMP"`),
		"unknown members":    ledger.Act(5001, `"lockReasonTypeCode":"TMP","x":{"y":[1,{}]}`),
		"white space around": "\r\n\t" + ledger.Act(5001, `"lockReasonTypeCode":" TMP "`) + "\n",
		"given twice":        `{"cardId":1,` + ledger.Act(5001, `"lockReasonTypeCode":"TMP"`)[1:],
	}) {
		t.Run(name, func(t *testing.T) {
			under := world.Under(t)
			reply := under.Send(ledger.Request{Path: "/card/lock", Body: body})
			if got := cardOf(t, reply); got.CardID != 5001 || got.LockReasonTypeCode != "TMP" {
				t.Errorf("answered %s", reply.Raw)
			}
			under.Send(ledger.Request{Path: "/card/unlock", Body: ledger.Act(5001, "")})
		})
	}
}

// TestDateHabits verifies a card with every spelling of a birth date.
func TestDateHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for _, date := range []string{
		"1985-03-14", "1985-03-14T00:00:00", "1985-03-14 00:00:00", "1985-03-14T00:00",
		"1985-03-14T23:59:59.999-05:00", "1985-03-14T00:00:00.0000001+14:00",
		"1985-03-14T12:34:56Z", "1985-03-14T12:34:56.7",
	} {
		t.Run(date, func(t *testing.T) {
			under := world.Under(t)
			body := ledger.Act(ledger.Pending(under),
				fmt.Sprintf(`"birthDate":%q,"cardNumberMasked":"1111"`, date))
			reply := under.Send(ledger.Request{Path: "/card/verify", Body: body})
			if got := cardOf(t, reply); got.Status != "Verified" {
				t.Errorf("answered %s", reply.Raw)
			}
		})
	}
}

// TestNumberHabits verifies a card with every spelling of the last digits of its number.
func TestNumberHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for _, number := range []string{`"1111"`, `1111`, `"************1111"`, `" 1111 "`,
		`"XXXXXXXXXXXX1111"`, `"**** **** **** 1111"`, `"xxxx-xxxx-xxxx-1111"`} {
		t.Run(number, func(t *testing.T) {
			under := world.Under(t)
			body := ledger.Act(ledger.Pending(under),
				`"birthDate":"1985-03-14","cardNumberMasked":`+number)
			reply := under.Send(ledger.Request{Path: "/card/verify", Body: body})
			if got := cardOf(t, reply); got.Status != "Verified" {
				t.Errorf("answered %s", reply.Raw)
			}
		})
	}
}

// TestPriorityHabits uses both names of a priority; cardPriority takes precedence.
func TestPriorityHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for name, priority := range inOrder(map[string]string{
		"cardPriority": `"cardPriority":1`,
		"priority":     `"priority":1`,
		"both":         `"priority":2,"cardPriority":1`,
		"as a string":  `"priority":"1"`,
	}) {
		t.Run(name, func(t *testing.T) {
			under := world.Under(t)
			card := ledger.Verified(under)
			body := ledger.Act(card, `"accountId":2002,"cardPriority":2`)
			under.Send(ledger.Request{Path: "/card/addAccount", Body: body})
			body = ledger.Act(card, `"accountId":2002,`+priority)
			reply := under.Send(ledger.Request{Path: "/card/reprioritizeAccount", Body: body})
			if got := cardOf(t, reply); got.PrimaryAccountID != 2002 {
				t.Errorf("answered %s", reply.Raw)
			}
		})
	}
}

// TestPinHabits sends a PIN in base64 with line breaks, as some libraries produce it.
func TestPinHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	encoded := base64.StdEncoding.EncodeToString([]byte("1234"))
	for name, pin := range inOrder(map[string]string{
		"line breaks": encoded[:4] + `\r\n` + encoded[4:] + `\r\n`,
		"spaces":      " " + encoded[:2] + " " + encoded[2:],
	}) {
		t.Run(name, func(t *testing.T) {
			under := world.Under(t)
			body := ledger.Act(ledger.Verified(under), `"newPin":"`+pin+`"`)
			reply := under.Send(ledger.Request{Path: "/card/resetpin", Body: body})
			if reply.HTTP != http.StatusOK {
				t.Errorf("answered %s", reply.Raw)
			}
		})
	}
}

// TestConnectionHabits frames and addresses requests in every way that HTTP/1.1 allows.
func TestConnectionHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	body := ledger.Act(5001, "")
	length := "Content-Length: " + strconv.Itoa(len(body)) + "\r\n"
	unlock := "POST /card/unlock HTTP/1.1\r\n"
	for name, text := range inOrder(map[string]string{
		"absolute form": "GET http://localhost:8080/program/get HTTP/1.1\r\n" + authorized +
			"\r\n",
		"scheme in capitals": "GET /program/get HTTP/1.1\r\nHost: localhost\r\n" +
			"Authorization: BASIC ZXhhbXBsZTE6ZXhhbXBsZTE=\r\n\r\n",
		"chunked": unlock + authorized + "Transfer-Encoding: chunked\r\n\r\n" +
			fmt.Sprintf("5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", body[:5], len(body)-5, body[5:]),
		"no content type":   unlock + authorized + length + "\r\n" + body,
		"a form's type":     unlock + authorized + length + formType + "\r\n" + body,
		"a body with a GET": "GET /program/get HTTP/1.1\r\n" + authorized + length + "\r\n" + body,
	}) {
		t.Run(name, func(t *testing.T) {
			if reply := exchange(t, world, text); reply.HTTP != http.StatusOK {
				t.Errorf("answered %s", reply.Raw)
			}
		})
	}
}

const formType = "Content-Type: application/x-www-form-urlencoded\r\n"

// TestExpectContinue sends a body only after the server has requested it.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	body := ledger.Act(5001, "")
	connection := dial(t, world)
	send(t, connection, "POST /card/unlock HTTP/1.1\r\n"+authorized+
		"Expect: 100-continue\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n")
	interim := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := connection.Read(interim); err != nil || !strings.Contains(string(interim), "100") {
		t.Fatalf("the server says %q, %v; want it to ask for the body", interim, err)
	}
	send(t, connection, body)
	if reply := receive(t, connection); reply.HTTP != http.StatusOK {
		t.Errorf("answered %s", reply.Raw)
	}
}

// TestKeepAlive sends many requests over one connection, two of them pipelined.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	connection := dial(t, world)
	get := "GET /card/get/1001/5001 HTTP/1.1\r\n" + authorized + "\r\n"
	for range 3 {
		send(t, connection, get+get)
		for range 2 {
			if reply := receive(t, connection); reply.HTTP != http.StatusOK {
				t.Errorf("answered %s", reply.Raw)
			}
		}
	}
}

// TestDocumentHabits lists documents by type with every spelling.
func TestDocumentHabits(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for path, want := range inOrder(map[string]int{
		"/bankdocument/list/en-US":               11,
		"/bankdocument/list/en-US/":              11,
		"/bankdocument/list/en-US/null":          11,
		"/bankDocument/List/en-US/PrivacyPolicy": 1,
		"/bankdocument/list/fr-FR":               0,
	}) {
		t.Run(path, func(t *testing.T) {
			reply := world.Under(t).Send(ledger.Request{Path: path})
			var listed []json.RawMessage
			if err := json.Unmarshal(reply.Data, &listed); err != nil || len(listed) != want {
				t.Errorf("answered %d documents, %v; want %d", len(listed), err, want)
			}
		})
	}
}

// inOrder iterates over a table in key order, so that each run sends the same requests in the same
// order.
func inOrder[V any](table map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range sorted(table) {
			if !yield(key, table[key]) {
				return
			}
		}
	}
}

// shown is the part of a card that these tests check.
type shown struct {
	CardID             int    `json:"cardId"`
	Tag                string `json:"tag"`
	Status             string `json:"status"`
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
	PrimaryAccountID   int    `json:"primaryAccountId"`
}

// cardOf returns the card in an answer; for a failure, a zero card.
func cardOf(t *testing.T, reply ledger.Reply) shown {
	t.Helper()
	var card shown
	if reply.Data == nil {
		return card
	}
	if err := json.Unmarshal(reply.Data, &card); err != nil {
		t.Fatalf("%v: %s", err, reply.Raw)
	}
	return card
}
