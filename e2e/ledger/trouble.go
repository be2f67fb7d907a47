package ledger

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"mintmark/e2e/recording"
	"mintmark/internal/app"
	data "mintmark/internal/cli/ledger"
	"mintmark/internal/domain/fault"
)

// incident is the request id of a case, which the message repeats.
const incident = "6f9619ff-8b86-4011-b42d-00cf4fc964ff"

// troubleCases need a broken database.
var troubleCases = []Case{
	{Do: (*World).damaged, Case: data.Case{
		Kind: fault.Incident, Name: "a table is missing from the database",
		Want: "Internal Server Error. Incident Id : " + incident}},
	{Do: (*World).lockedOut, Case: data.Case{
		Kind: fault.Unavailable, Name: "the database is locked by somebody else",
		Want: "Service Unavailable."}},
	{Do: (*World).tooSlow, Case: data.Case{
		Kind: fault.GatewayTimeout, Name: "the answer takes longer than it may",
		Want: "Gateway Timeout."}},
}

// pinCases need a separate key.
var pinCases = []Case{
	{Do: (*World).foreignPin, Case: data.Case{
		Kind: fault.PinRequired, Name: "reset a PIN to one encrypted with another key",
		Want: "New PIN must be an integer value between 1 and 9999."}},
}

// foreignPin resets a PIN to one encrypted with a key other than the service's.
func (w *World) foreignPin() Reply {
	w.T.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		w.T.Fatal(err)
	}
	sealed, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, &key.PublicKey, []byte("1234"), nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return w.Send(Request{Path: "/card/resetpin",
		Body: Act(5001, `"newPin":"`+base64.StdEncoding.EncodeToString(sealed)+`"`)})
}

// damaged drops the table that every act writes to.
func (w *World) damaged() Reply {
	w.T.Helper()
	broken := NewWorld(w.T, app.Settings{})
	broken.database(`DROP TABLE audit`)
	return broken.Send(Request{
		Path: "/card/lock", Body: Act(5001, `"lockReasonTypeCode":"TMP"`),
		Header: map[string]string{"X-Request-Id": incident},
	})
}

// lockedOut makes another connection hold the database longer than the service waits.
func (w *World) lockedOut() Reply {
	w.T.Helper()
	held := NewWorld(w.T, app.Settings{})
	held.hold()
	return held.Send(Request{
		Path: "/card/lock", Body: Act(5001, `"lockReasonTypeCode":"TMP"`),
	})
}

// tooSlow does the same to a service with a very short answer timeout.
func (w *World) tooSlow() Reply {
	w.T.Helper()
	held := NewWorld(w.T, app.Settings{
		Limits: app.Limits{AnswerTimeout: 200 * time.Millisecond},
	})
	held.hold()
	return held.Send(Request{
		Path: "/card/lock", Body: Act(5001, `"lockReasonTypeCode":"TMP"`),
	})
}

// database runs statements on the sandbox's database over a separate connection, which stays open
// until the test ends.
func (w *World) database(statements ...string) {
	w.T.Helper()
	connection, err := Open(w.T, w.Dir).Conn(context.Background())
	if err != nil {
		w.T.Fatalf("open the database: %v", err)
	}
	w.T.Cleanup(func() { connection.Close() })
	for _, statement := range statements {
		if _, err := connection.ExecContext(w.T.Context(), statement); err != nil {
			w.T.Fatalf("%s: %v", statement, err)
		}
	}
}

// hold makes another connection lock the database, or the table that an act needs.
func (w *World) hold() {
	w.T.Helper()
	if On() == SQLite {
		w.database(`BEGIN EXCLUSIVE`)
		return
	}
	w.database(`BEGIN`, `LOCK TABLE cards IN ACCESS EXCLUSIVE MODE`)
}

// raw sends a text unchanged and reads one answer.
func (w *World) raw(text string) Reply {
	w.T.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(w.App.URL(), "http://"))
	if err != nil {
		w.T.Fatalf("dial: %v", err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		w.T.Fatal(err)
	}
	if _, err := io.WriteString(connection, text); err != nil {
		w.T.Fatalf("send: %v", err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		w.T.Fatalf("read the answer: %v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.T.Fatalf("read the answer: %v", err)
	}
	recording.Raw(w.T, text, response, body)
	return ReadReply(w.T, response.StatusCode, response.Header, body)
}
