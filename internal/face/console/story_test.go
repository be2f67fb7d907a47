package console

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/face/admin"
	"mintmark/internal/testkit/golden"
)

// TestStories describes the entries that callers, the processor, jobs and operators of a sandbox
// made (testdata/history.ndjson), each in one sentence.
func TestStories(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "history.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	f := &frame{Zone: time.UTC, Programs: []admin.ProgramName{{ID: 1, DecimalCount: 2}}}
	var told strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		var entry wire.Entry
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		entry.ProgramID = 1
		e := f.tell(entry)
		fmt.Fprintf(&told, "%s, %s\n\t%s: %s (%s)\n", entry.Act, entry.Outcome, e.What, e.Detail, e.Who)
		if strings.Contains(e.What, "/") {
			t.Errorf("a sentence holds a route: %s", e.What)
		}
	}
	golden.Compare(t, filepath.Join("testdata", "stories.txt"), []byte(told.String()))
}

// TestLockWithReissue holds that only a caller's lock is told as a customer's.
func TestLockWithReissue(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"key": "Locked by a customer, suspected fraud", "operator": "Locked, suspected fraud",
		"job": "Locked, suspected fraud",
	} {
		e := (&frame{Zone: time.UTC}).tell(wire.Entry{
			Act: "report compromise", Subject: "card:5001", Outcome: "changed", Actor: wire.Actor{Kind: kind},
			Before: json.RawMessage(`{"lockReasonTypeCode":"UNK","lockTypeCode":"UNL"}`),
			After:  json.RawMessage(`{"lockReasonTypeCode":"FRD","lockTypeCode":"CST"}`),
		})
		if e.What != want || e.Detail != "unlocked → CST/FRD" {
			t.Errorf("by %s: %s: %s", kind, e.What, e.Detail)
		}
	}
}

// TestStoriesOfEach checks that each act of callers, each report of the processor and each reason
// for a decline has a text.
func TestStoriesOfEach(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var acts []string
	for _, match := range regexp.MustCompile(`(?m)^  (/card/\w+):\n    post:`).FindAllStringSubmatch(
		string(text), -1) {
		acts = append(acts, match[1])
	}
	if len(acts) < 10 {
		t.Errorf("callers have %d acts", len(acts))
	}
	for _, kind := range order.ReportKinds {
		acts = append(acts, "report "+string(kind))
	}
	for _, act := range acts {
		if _, ok := actWordsByName[act]; !ok {
			t.Errorf("%s has no words", act)
		}
	}
	for _, reason := range authorization.Reasons {
		if reasonWords()[string(reason)] == "" && reason != authorization.Approved {
			t.Errorf("a transfer declined for %s has no words", reason)
		}
	}
}

// TestActsOfTheAudit checks that the audit list names acts as a timeline does, and can be filtered
// by these names and by those of the interface.
func TestActsOfTheAudit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"lock for good": "lock for good,/card/hotlist,/card/lostOrStolen", "/card/lock": "/card/lock",
		"Adding an account": "Adding an account,/card/addAccount", "Lock": "Lock",
		"Change a webhook": "Change a webhook,PATCH /admin/v1/webhooks/{id}",
	} {
		w := newWorld(t, true, string(operator.Administrator))
		w.answers["audit?"+url.Values{"act": {want}, "limit": {"40"}}.Encode()] = listOf(
			wire.Entry{ID: 1, Act: "/card/addAccount", Outcome: "changed"},
			wire.Entry{ID: 2, Act: "POST /admin/v1/cards/{id}/lock", Outcome: "refused"},
			wire.Entry{ID: 3, Act: "PATCH /admin/v1/webhooks/{id}", Outcome: "refused"})
		query := url.Values{"act": {text}}.Encode()
		page := html.UnescapeString(w.get("/console/audit?" + query).Body.String())
		for _, shown := range []string{
			`title="/card/addAccount">Adding an account<`,
			`title="POST /admin/v1/cards/{id}/lock">Lock<`, `>Change a webhook<`,
			"audit list --act " + quoted(want) + "<",
		} {
			if !strings.Contains(page, shown) {
				t.Errorf("filtered by %q the page has no %s", text, shown)
			}
		}
	}
}

// TestLongEntriesOfTheAudit lists the first changes of an entry, and links to the entry for the
// others.
func TestLongEntriesOfTheAudit(t *testing.T) {
	w := newWorld(t, true, string(operator.Administrator))
	after := json.RawMessage(`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`)
	w.answers["audit"] = listOf(
		wire.Entry{ID: 3, Act: "authorize", Outcome: "declined",
			After: json.RawMessage(`{"reason":"limit"}`)},
		wire.Entry{ID: 4, Act: "advise", Outcome: "declined",
			After: json.RawMessage(`{"approved":false,"by":"standIn"}`)},
		wire.Entry{ID: 2, Act: "create program", Outcome: "created", After: after},
		wire.Entry{ID: 1, Sequence: 9, Act: "create program", Outcome: "created", After: after})
	page := html.UnescapeString(w.get("/console/audit").Body.String())
	for text, times := range map[string]int{
		`<td class="xl">Over a limit</td>`: 1, ">4 more</a>": 1, "4 more, once the entry is sealed": 1, ">c<": 2, ">d<": 0,
	} {
		if got := strings.Count(page, text); got != times {
			t.Errorf("the page has %s %d times, want %d", text, got, times)
		}
	}
}

// TestTimeline checks that acts are shown first, the reads of a day as one line, and the request
// for an approval in its place.
func TestTimeline(t *testing.T) {
	t.Parallel()
	entry := func(minutes int, act string) wire.Entry {
		return wire.Entry{
			ID: 99 - minutes, At: ago(time.Duration(minutes) * time.Minute), Act: act, Outcome: "changed",
			RequestID: itoa(minutes), Actor: wire.Actor{Kind: "operator", Name: "mia"},
		}
	}
	w := newWorld(t, false, string(operator.Administrator))
	w.answers["cards/5001/history"] = wire.List[wire.Entry]{Items: []wire.Entry{
		entry(1, "read card"), entry(2, "read card history"), entry(5, "lock card"),
	}, Next: "older"}
	w.answers["cards/5001/history?cursor=older&limit=50"] = wire.List[wire.Entry]{
		Items: []wire.Entry{entry(40, "/card/verify"), entry(41, "read card")},
	}
	ended := ago(20 * time.Minute)
	w.answers["approvals?subject=card%3A5001"] = listOf(wire.Approval{
		ID: 7, State: "rejected", Act: "Clear the lock", Asked: ago(30 * time.Minute), Ended: &ended,
		Reason: "called back", Why: "wrong card", Decider: &wire.Actor{Name: "bob", Kind: "operator"},
	})
	told := regexp.MustCompile(`(?s)<time [^>]*>[^<]*</time><i></i>\s*<div><p>(.*?)</p>`)
	for show, want := range map[string]string{
		"":                 "Locked; Rejected Clear the lock; Approval asked: Clear the lock; Verified",
		"&show=everything": "Locked; Rejected Clear the lock; Approval asked: Clear the lock; Verified; Read 3 times by mia",
		"&show=reads":      "Card read; Timeline of the card read; Card read",
	} {
		page := w.get("/console/cards/5001?programId=1" + show).Body.String()
		var got []string
		for _, match := range told.FindAllStringSubmatch(page, -1) {
			plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(match[1], "")
			got = append(got, strings.TrimSuffix(strings.TrimSpace(plain), " · approval 7"))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q tells\n%s, want\n%s", show, strings.Join(got, "; "), want)
		}
	}
}

// TestReadsAreFolded checks that the reads of a day are one line on every tab except their own,
// even if nothing else happened, and that any act that only shows a card is a read.
func TestReadsAreFolded(t *testing.T) {
	t.Parallel()
	v := &visit{frame: &frame{Zone: time.UTC}}
	var reads []wire.Entry
	for i, act := range []string{"read card", "find card", "list cards", "search"} {
		reads = append(reads, wire.Entry{
			ID: 9 - i, Act: act, Outcome: "read", RequestID: itoa(i), Actor: wire.Actor{Name: "ada"},
		})
	}
	for tab, lines := range map[string]int{actsKind: 1, everything: 1, readsKind: 4} {
		days := v.story(tab, reads)
		if len(days) != 1 || len(days[0].Events) != lines {
			t.Errorf("%s tells %+v, want %d lines", tab, days, lines)
		}
	}
}

// TestActorsAreNamed names an actor with its kind in words, in the list of the audit and on the page
// of an entry.
func TestActorsAreNamed(t *testing.T) {
	for kind, want := range map[string]string{"load": "command line", "operator": "operator"} {
		w := newSetupWorld(t, "auditor")
		w.answers["audit"] = listOf(wire.Entry{Sequence: 1, Actor: wire.Actor{Kind: kind, Name: "root"}})
		page := w.get("/console/audit").Body.String()
		if !strings.Contains(page, `root<span class="dim">, `+want+"</span>") {
			t.Errorf("the audit does not say that root is %q: %s", want, page)
		}
		if told := actorText(wire.Actor{Kind: kind, Name: "root", ID: 3}); told != "root, "+want+" 3" {
			t.Errorf("the actor of an entry is %q", told)
		}
	}
}
