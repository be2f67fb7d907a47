package console

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

// TestNavigationBeforeTheFirstProgram opens every page of the navigation in an empty installation:
// all pages exist, and those that need a program say so.
func TestNavigationBeforeTheFirstProgram(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.answers["banks"] = wire.List[wire.Bank]{}
	w.answers["programs"] = wire.List[wire.Program]{}
	for _, e := range entries() {
		if e.Section == sandboxSection {
			continue
		}
		answer := w.get(Prefix + e.Path)
		page := answer.Body.String()
		if answer.Code != http.StatusOK {
			t.Errorf("%s answers %d: %s", e.Text, answer.Code, page)
		}
		if strings.Contains(page, ">of </p>") {
			t.Errorf("%s is of nothing: %s", e.Text, page)
		}
		checkSelfContained(t, e.Text, page)
		ofProgram := slices.ContainsFunc(admin.Resources(), func(r *admin.Resource) bool {
			return r.Nav.Title == e.Text && strings.Contains(r.Path, "{id}/")
		})
		if ofProgram != strings.Contains(page, `id="needs"`) {
			t.Errorf("%s: %s", e.Text, page)
		}
		if ofProgram && (!strings.Contains(page, `href="/console/banks/new"`) ||
			strings.Contains(page, "Save this list")) {
			t.Errorf("%s leads nowhere: %s", e.Text, page)
		}
	}
	if answer := w.get("/console/bins/1"); answer.Code != http.StatusNotFound {
		t.Errorf("a bin answers %d", answer.Code)
	}
}

// TestOnlyBank checks that a form that requires a bank preselects the only one.
func TestOnlyBank(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.answers["programs"] = wire.List[wire.Program]{}
	banks := []wire.Bank{{ID: 1, Name: "First"}, {ID: 2, Name: "Second"}}
	for _, c := range []struct {
		banks  []wire.Bank
		chosen int
	}{{banks[:1], 1}, {banks, 0}} {
		w.answers["banks"] = listOf(c.banks...)
		page := w.get("/console/programs/new").Body.String()
		if strings.Count(page, `name="bankId" value="1" checked required`) != c.chosen ||
			!strings.Contains(page, `name="bankId" value="1"`) {
			t.Errorf("of %d banks: %s", len(c.banks), page)
		}
	}
}

// TestNoCompromises checks that the empty list shows a complete command for reporting card numbers.
func TestNoCompromises(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	w.answers["compromises"] = wire.List[wire.Compromise]{}
	page := w.get("/console/compromises?programId=1").Body.String()
	const command = "mintmark card compromised list.age --program 1 --name &#34;…&#34; --act lock --reason"
	if !strings.Contains(page, command) {
		t.Errorf("the page has no %s: %s", command, page)
	}
}

// TestSetup follows the list of steps to the first card: a step that is done has no button, a step
// that depends on another has none yet, and the first possible step is highlighted.
func TestSetup(t *testing.T) {
	o := overviewAnswer()
	for _, name := range []string{
		"bank", "encryptionKey", "program", "bin", "key", "processor", "secondOperator",
	} {
		o.Setup = append(o.Setup, wire.Step{Name: name, Done: name == "bank"})
	}
	for role, want := range map[string][]string{
		"administrator": {
			`class="btn go" href="/console/banks/1/encryption-keys/new?programId=1"`,
			`class="btn" href="/console/programs/new?programId=1"`,
			`class="btn" href="/console/operators/new?programId=1"`, "1 of 7 done",
		},
		"configurator": {`class="btn go" href="/console/programs/new?programId=1"`},
		"support":      {"Before the first card"},
	} {
		w := newWorld(t, false, role)
		w.answers["overview"] = o
		page := w.get("/console/").Body.String()
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s has no %s: %s", role, text, page)
			}
		}
		_, list, _ := strings.Cut(page, `aria-labelledby="setup"`)
		list, _, _ = strings.Cut(list, "</ol>")
		wantLinks := map[string]int{"administrator": 4, "configurator": 2, "support": 1}[role]
		if got := strings.Count(list, "<a "); got != wantLinks {
			t.Errorf("%s has %d links, want %d: %s", role, got, wantLinks, list)
		}
	}
}

// TestSetupAlone checks that the only operator sees the command that creates another, and the
// request that waits.
func TestSetupAlone(t *testing.T) {
	o := overviewAnswer()
	o.Setup = []wire.Step{{Name: "bank", Done: true}, {Name: "encryptionKey"}, {Name: "secondOperator"}}
	w := newWorld(t, false, "administrator")
	w.alone, w.answers["overview"] = true, o
	w.answers["approvals"] = listOf(wire.Approval{
		ID: 7, State: "waiting", Method: "POST", Path: wire.Prefix + "banks/1/encryption-keys", Mine: true,
	})
	page := w.get("/console/").Body.String()
	for _, want := range []string{
		"Approval 7 waits.", "mintmark load --config mintmark.yaml FILE",
		"mintmark operator create NAME --role administrator --config mintmark.yaml",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s: %s", want, page)
		}
	}
	if strings.Contains(page, "Invite an operator") {
		t.Error("the page offers a request that nobody can approve")
	}
}

// TestDecidedDuringSetup checks that the set-up list hides no decision, and that the list
// disappears once all its steps are done.
func TestDecidedDuringSetup(t *testing.T) {
	ended := at.Add(-time.Minute)
	decided := wire.Approval{
		ID: 3, State: "done", ResultStatus: 201, HasResult: true, Act: "Create an operator",
		Method: "POST", Path: wire.Prefix + "operators", Mine: true, EndedBy: "bob", Ended: &ended,
	}
	lock := decided // without a result to read once
	lock.ID, lock.Act, lock.Path, lock.ResultStatus = 4, "Lock a card", wire.Prefix+"cards/5001/lock", 200
	for _, ready := range []bool{false, true} {
		o := overviewAnswer()
		o.Setup = []wire.Step{{Name: "bank", Done: true}, {Name: "processor", Done: ready}}
		w := newWorld(t, false, "administrator")
		w.answers["overview"], w.answers["approvals?mine=true"] = o, listOf(decided, lock)
		page := w.get("/console/").Body.String()
		if strings.Count(page, "Read the result") != 1 {
			t.Errorf("with a set-up list that is done %t, the overview tells of no decision:\n%s",
				ready, page)
		}
		if strings.Contains(page, "Before the first card") == ready ||
			strings.Contains(page, "Cards by status") != ready {
			t.Errorf("with all steps done %t: %s", ready, page)
		}
	}
}

// TestNavigationCounts checks that counts, which cover all programs, link to pages that show the
// same number.
func TestNavigationCounts(t *testing.T) {
	for programs, want := range map[int]string{
		1: "/console/orders?programId=1&state=failed /console/webhooks?programId=1",
		2: "/console/orders?programId=0&state=failed /console/?programId=1",
	} {
		f := &frame{Programs: make([]admin.ProgramName, programs), programID: 1}
		f.count(admin.Frame{FailedOrders: 3, FailingWebhooks: 1})
		if got := f.counts["orders"].To + " " + f.counts["webhooks"].To; got != want {
			t.Errorf("with %d programs the counts lead to %s, want %s", programs, got, want)
		}
	}
}
