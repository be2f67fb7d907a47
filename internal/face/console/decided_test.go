package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	rules "mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
)

// TestSecondOperatorSeesTheObject checks that the page of an approval and its approval form name
// the object of the act and state the act's effect.
func TestSecondOperatorSeesTheObject(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, path, body string
		wants              []string
	}{
		{"POST", "operators/7/end", ``, []string{
			"<dt>Operator</dt><dd>Maren Okafor</dd>", "Maren Okafor is signed out at once",
		}},
		{"POST", "operators/7/invite", ``, []string{
			"<dt>Operator</dt><dd>Maren Okafor</dd>", "The previous link stops working",
		}},
		{"POST", "compromises", `{"compromiseId":3}`, []string{
			"<dt>Compromise</dt><dd>breach at a shop</dd>", "<dt>Act</dt><dd>replace</dd>",
			"<dt>Cards</dt><dd>40,000</dd>", "<dt>Cards a day</dt><dd>5,000</dd>",
		}},
		{"POST", "programs/1/keys/core-batch/rotate", ``, []string{
			"<dt>Key</dt><dd>core-batch</dd>", "Callers of key core-batch",
		}},
		{"POST", "banks/1/encryption-keys/2/rotate", ``, []string{
			"<dt>Encryption key</dt><dd>", "A new key encrypts new data",
		}},
		{"POST", "customers/1001/erase", ``, []string{
			"<dt>Customer</dt><dd>1001</dd>", "This cannot be undone",
		}},
	} {
		w := newSetupWorld(t, string(operator.Administrator))
		w.answers["approvals/7"] = wire.Approval{
			ID: 7, State: "waiting", Method: test.method, Path: wire.Prefix + test.path,
			Body: json.RawMessage(test.body), Asked: at, Lapses: at.Add(time.Hour), MayEnd: true,
		}
		for _, page := range []string{"approvals/7", "approvals/7/approve"} {
			shown := w.get("/console/" + page).Body.String()
			if strings.Contains(shown, "compromiseId") {
				t.Error("the request names a member")
			}
			for _, want := range test.wants {
				if !strings.Contains(shown, want) {
					t.Errorf("%s of %s does not show %q:\n%s", page, test.path, want, shown)
				}
			}
		}
	}
}

// TestSubjectOfName unescapes the name in the path of a request once.
func TestSubjectOfName(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"core-batch": "key:core-batch", "a%2520b": "key:a%20b", "100%25": "key:100%",
	} {
		a := wire.Approval{
			Method: "PATCH", Path: wire.Prefix + "programs/1/keys/" + path, Subject: "program:1",
		}
		if got := subjectOf(a); got != want {
			t.Errorf("the request for %s is about %q, want %q", path, got, want)
		}
	}
}

// TestAloneUnderFourEyes checks that a page warns its operator if no other operator can approve the
// request.
func TestAloneUnderFourEyes(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		"operators/new", "keys/core-batch/rotate", "customers/1001/erase", "cards/5001/unlock",
		"compromises/new",
	} {
		for _, alone := range []bool{false, true} {
			w := newSetupWorld(t, string(operator.Administrator))
			w.alone, w.fourEyes = alone, true
			text := w.get("/console/" + page).Body.String()
			if strings.Contains(text, "No other operator can approve a request now") != alone {
				t.Errorf("with no other operator %t, %s says:\n%s", alone, page, text)
			}
		}
	}
}

// TestDeadCard checks that the page of a card that has ended or is locked permanently shows no
// account that pays, and that the reissue form promises no card with the same number.
func TestDeadCard(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*wire.CardDetail){
		"usable": func(*wire.CardDetail) {},
		"locked for good": func(c *wire.CardDetail) {
			c.LockTypeCode, c.LockReasonTypeCode = "CST", "LST"
			c.Lock = &wire.Lock{TypeCode: "CST", ReasonTypeCode: "LST", Permanent: true}
		},
		"archived": func(c *wire.CardDetail) { c.Status, c.Acts = "Archived", nil },
	} {
		w := newWorld(t, false, string(operator.Administrator))
		c := cardAnswer()
		c.Lock, c.LockTypeCode, c.LockReasonTypeCode = nil, "UNL", ""
		c.Acts = []wire.CardAct{{Name: "reissue", Possible: true}}
		change(&c)
		w.answers["cards/5001"] = c
		page := w.get("/console/cards/5001").Body.String()
		if strings.Contains(page, "Pays first") != (name == "usable") ||
			strings.Contains(page, "None: the card can never be used again") == (name == "usable") {
			t.Errorf("of a card that is %s: %s", name, page)
		}
		page = w.get("/console/cards/5001/reissue").Body.String()
		if strings.Contains(page, "The card in the holder's hand works") != (name == "usable") ||
			strings.Contains(page, "For the reason of the lock") != (name == "locked for good") {
			t.Errorf("the reissue of a card that is %s: %s", name, page)
		}
	}
}

// TestLocksOfReplacedCards checks that the list of cards can be filtered by every lock that a
// reissue leaves.
func TestLocksOfReplacedCards(t *testing.T) {
	t.Parallel()
	for _, reason := range rules.ReissueReasons {
		if lock := "CST/" + string(reason); !slices.Contains(lockFilters(), lock) {
			t.Errorf("the filter has no %s", lock)
		}
	}
}

// TestSecondOperatorSees checks that the page of an approval shows the object, its state before and
// after, and the reasons, and that the overview informs the requester of the decision.
func TestSecondOperatorSees(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false, string(operator.Administrator))
	ask := wire.Approval{
		ID: 7, State: "waiting", Act: "Change a bank", Method: "PATCH", Path: wire.Prefix + "banks/1",
		Body: json.RawMessage(`{"name":"Best Bank","reason":"merged"}`), Reason: "merged",
		Asked: at, Lapses: at.Add(time.Hour), MayEnd: true,
	}
	w.answers["approvals/7"], w.answers["approvals/12"] = ask, approvals()[0]
	desk := ask
	desk.ID, desk.Method, desk.Path = 13, "POST", wire.Prefix+"operators"
	desk.Body = json.RawMessage(`{"name":"eve","roles":["support"],"banks":[1]}`)
	w.answers["approvals/13"] = desk
	refused := ask
	refused.ID, refused.State, refused.ResultStatus, refused.MayEnd = 8, "done", 412, false
	w.answers["approvals/8"] = refused
	named := refused
	named.ID, named.Mine, named.HasResult, named.Refusal = 14, true, true, "There is one with this name."
	w.answers["approvals/14"] = named
	w.answers["banks/1"] = wire.Bank{ID: 1, Revision: 1, Name: "Good Bank"}
	for page, wants := range map[string][]string{
		"approvals/12": {"Ada Merrill", "could not name two", "SYS/ADM</td><td>unlocked",
			"Called back on the number on file"},
		"approvals/12/approve": {"Ada Merrill", "could not name two", "SYS/ADM → unlocked",
			"Called back on the number on file"},
		"approvals/7":         {"Good Bank</td><td>Best Bank</td>", "“merged”"},
		"approvals/7/approve": {"Good Bank → Best Bank", "merged"},
		"approvals/14":        {"refused by a rule</h2><p>There is one with this name.</p></div>"},
		"approvals/13":        {"<td>Banks</td><td>Example Bank 1</td>"},
		"approvals/8": {"Approved, then refused by a rule",
			"Approved, then refused", "The object had changed since the request."},
	} {
		text := w.get("/console/" + page).Body.String()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not show %q:\n%s", page, want, text)
			}
		}
	}
	for revision, refuses := range map[int]bool{0: false, 1: true} {
		ask.IfMatch = revision
		w.answers["approvals/7"] = ask
		text := w.get("/console/approvals/7/approve").Body.String()
		if strings.Contains(text, "It is refused if the object has changed since.") != refuses {
			t.Errorf("of a request at revision %d the page says:\n%s", revision, text)
		}
	}
	w.answers["approvals/15"] = wire.Approval{
		ID: 15, State: "waiting", Method: "POST", Path: wire.Prefix + "orders/" + failedOrder + "/drop",
		IfMatch: 3, MayEnd: true,
	}
	if text := w.get("/console/approvals/15").Body.String(); !strings.Contains(text, "15/approve?") {
		t.Errorf("an order, whose page shows no revision, is taken for changed:\n%s", text)
	}
	stale := w.answers["approvals/12"].(wire.Approval)
	stale.IfMatch++
	w.answers["approvals/12"] = stale
	for page, want := range map[string]string{
		"approvals/12":         "so it can no longer be approved",
		"approvals/12/approve": "Not possible</h2><p>The object has changed since the request.",
	} {
		text := w.get("/console/" + page).Body.String()
		if !strings.Contains(text, want) || strings.Contains(text, "12/approve?") {
			t.Errorf("of a stale request %s says:\n%s", page, text)
		}
	}
	own := ask
	own.ID, own.Mine, own.MayEnd = 9, true, false
	w.answers["approvals/9"] = own
	for verb, refuses := range map[string]bool{"approve": true, "reject": true, "withdraw": false} {
		text := w.get("/console/approvals/9/" + verb).Body.String()
		if strings.Contains(text, "You cannot approve or reject your own request.") != refuses ||
			strings.Contains(text, `name="reason"`) == refuses {
			t.Errorf("%s says of the reader's own request:\n%s", verb, text)
		}
	}
	ended, before := at.Add(-time.Hour), at.Add(-25*time.Hour)
	done, old := ask, ask
	done.State, done.Ended, done.EndedBy, done.Why = "rejected", &ended, "bob", "not in the plan"
	old.State, old.Ended, old.Why = "done", &before, "long ago"
	w.answers["approvals?mine=true"] = listOf(done, old)
	text := w.get("/console/").Body.String()
	if !strings.Contains(text, "not in the plan") || strings.Contains(text, "long ago") {
		t.Errorf("the overview tells of no decision, or of an old one:\n%s", text)
	}
}

// TestDecidedKeepsItsChanges checks that the page of a decided approval still shows the changes,
// under the labels of the fields: for an act that was carried out those of the audit, for any other
// as long as the object has not changed since.
func TestDecidedKeepsItsChanges(t *testing.T) {
	t.Parallel()
	w := newSetupWorld(t, string(operator.Administrator))
	ended := at.Add(-time.Hour)
	rejected := wire.Approval{
		ID: 7, State: "rejected", Act: "Change the settings of a program", Method: "PATCH",
		Path: wire.Prefix + "programs/1", Subject: "program:1", AskedBy: "sela", Ended: &ended, IfMatch: 4,
		Requester: wire.Actor{Kind: "operator", Name: "sela"},
		Body:      json.RawMessage(`{"fourEyes":false,"renewal":"manual","reason":"slow"}`),
	}
	now := w.answers["programs/1"].(wire.Program)
	now.Revision, now.FourEyes, now.Renewal = 4, true, "automatic"
	w.answers["programs/1"] = now
	late := rejected
	late.ID, late.IfMatch = 8, 3
	done := rejected
	done.ID, done.State = 9, "done"
	unlocked := done
	unlocked.ID, unlocked.Method = 10, "POST"
	unlocked.Path, unlocked.Subject = wire.Prefix+"cards/5001/unlock", "card:5001"
	w.answers["approvals/7"], w.answers["approvals/8"] = rejected, late
	w.answers["approvals/9"], w.answers["approvals/10"] = done, unlocked
	window := "audit?from=2026-02-09T14%3A14%3A06.000Z&subject=card%3A5001&to=2026-02-09T14%3A15%3A07.000Z&withoutReads=true"
	w.answers[window] = listOf(wire.Entry{
		Actor: wire.Actor{Kind: "operator", Name: "sela"}, Subject: "card:5001", At: ended,
		Before: json.RawMessage(`{"lockTypeCode":"SYS","lockReasonTypeCode":"ADM"}`),
		After:  json.RawMessage(`{"lockTypeCode":"UNL","lockReasonTypeCode":"UNK"}`),
	}, wire.Entry{
		Actor: wire.Actor{Kind: "operator", Name: "another"}, Subject: "card:5001", At: ended,
		Before: json.RawMessage(`{"nickName":"Old"}`), After: json.RawMessage(`{"nickName":"New"}`),
	})
	w.answers[strings.ReplaceAll(window, "card%3A5001", "program%3A1")] = listOf(wire.Entry{
		Actor: wire.Actor{Kind: "operator", Name: "sela"}, Subject: "program:1", At: ended,
		Before: json.RawMessage(`{"fourEyes":true}`), After: json.RawMessage(`{"fourEyes":false}`),
	})
	for id, wants := range map[string][]string{
		"7":  {"Requested, but not carried out", "<td>Four eyes</td><td>Yes</td><td>No</td>", "<td>Automatic</td><td>Manual</td>"},
		"8":  {"<td>Four eyes</td><td>No</td>"},
		"9":  {"Before and after", "<td>Four eyes</td><td>Yes</td><td>No</td>"},
		"10": {"Before and after", "<td>Lock</td><td>SYS/ADM</td><td>unlocked</td>"},
	} {
		text := w.get("/console/approvals/" + id).Body.String()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("approval %s does not show %q:\n%s", id, want, text)
			}
		}
		if strings.Contains(text, "nickName") || strings.Contains(text, `id="becomes"`) == (id == "8") {
			t.Errorf("approval %s shows changes that are not its own, or none:\n%s", id, text)
		}
	}
}

// TestRequestInWords checks that each member of a request is shown once, by its label.
func TestRequestInWords(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	a := approvals()[0]
	a.Path, a.Subject = "operators", ""
	a.Body = json.RawMessage(`{"name":"grace","banks":[1],"roles":["support"],"reason":"joins"}`)
	w.answers["approvals/12"] = a
	for _, path := range []string{"", "/approve"} {
		page := w.get("/console/approvals/12" + path).Body.String()
		if strings.Contains(page, "[1]") || strings.Contains(page, ">reason<") ||
			!strings.Contains(page, "Banks") {
			t.Errorf("the request is shown as %s", page)
		}
	}
}

// TestDecisionOfTheEnded checks that an approval that has ended cannot be decided, and that the
// page says who ended it.
func TestDecisionOfTheEnded(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	for state, want := range map[string]string{
		"withdrawn": "ada has withdrawn it.", "rejected": "ada has rejected it.",
		"done": "ada has approved it.", "lapsed": "It has expired.",
	} {
		a := approvals()[0]
		a.State, a.EndedBy, a.MayEnd, a.Ended = state, "ada", false, agoPointer(time.Minute)
		w.answers["approvals/12"] = a
		w.refuse = problemOf(http.StatusPreconditionFailed, wire.Stale, "", "")
		page := w.post("/console/approvals/12/approve?programId=1", url.Values{
			"reason": {"fine by me"}, "revision": {"1"},
		}).Body.String()
		if !strings.Contains(page, want) || strings.Contains(page, "<textarea") ||
			strings.Contains(page, "you entered") {
			t.Errorf("%s: %s", state, page)
		}
	}
}
