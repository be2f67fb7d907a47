package admin_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

// peopleWorld is the face over a database with banks 1 and 2, one administrator who may sign in,
// and the token "all", an administrator of all banks.
type peopleWorld struct {
	t      *testing.T
	kept   store.Store
	clock  *clock.Clock
	people *auth.Operators
	server string
	all    *wire.Client
	first  wire.Operator
}

func newPeopleWorld(t *testing.T) *peopleWorld {
	t.Helper()
	return newPeopleWorldOn(t, testworld.Memory)
}

func newPeopleWorldOn(
	t *testing.T, open func(testing.TB, *clock.Clock) store.Store,
) *peopleWorld {
	t.Helper()
	keys := testworld.Keys(t)
	w := &peopleWorld{t: t, clock: clock.FrozenAt(testworld.Start)}
	w.kept = open(t, w.clock)
	person := operator.Person{
		Name: "first", Roles: operator.Roles{operator.Administrator}, State: operator.Active,
		Scope: operator.Scope{All: true}, Created: w.clock.Now(),
	}
	err := w.kept.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(
			tx.Banks().Put(store.Bank{ID: 1, Name: "One"}),
			tx.Banks().Put(store.Bank{ID: 2, Name: "Two"}), tx.Operators().Put(&person),
			tx.Tokens().Put(&operator.Token{
				Name: "all", Digest: auth.DigestToken(keys, "all"), Created: tx.Now(),
				Roles: person.Roles, Scope: person.Scope,
			}))
	})
	if err != nil {
		t.Fatal(err)
	}
	w.people = auth.NewOperators(w.kept, keys, "Mintmark")
	face := admin.New(admin.NewDesk(acts.New(w.kept, keys, issuing.Settings{}), w.people,
		admin.About{Environment: "production", ConsoleURL: "https://console.example"}))
	host := web.NewHost(slog.New(slog.DiscardHandler), func() string { return "id" },
		web.Settings{
			BodyLimit: admin.MaxBodyBytes, BodyTimeout: time.Minute, AnswerTimeout: time.Minute,
		})
	server := httptest.NewServer(host.Handler(face))
	t.Cleanup(server.Close)
	w.server = server.URL
	w.all = w.by("all")
	w.first, err = wire.Get[wire.Operator](t.Context(), w.all, "operators/1")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *peopleWorld) by(token string) *wire.Client { return wire.New(w.server, token) }

// token creates a token and returns a client that uses it.
func (w *peopleWorld) token(name string, banks []int, roles ...string) *wire.Client {
	w.t.Helper()
	token, err := post[wire.Token](w.all, "tokens", wire.NewToken{
		Name: name, Roles: roles, AllBanks: len(banks) == 0, Banks: banks, Reason: "a test",
	})
	if err != nil || !strings.HasPrefix(token.Token, operator.TokenPrefix) {
		w.t.Fatalf("got %+v, %v", token, err)
	}
	return w.by(token.Token)
}

func post[A any](c *wire.Client, path string, body any) (A, error) {
	return wire.Do[A](context.Background(), c, wire.Request{
		Method: http.MethodPost, Path: path, Body: body,
	})
}

// patchGrants changes an operator's roles and banks at a revision.
func patchGrants(
	c *wire.Client, path string, revision int, body map[string]any,
) (wire.Operator, error) {
	return wire.Do[wire.Operator](context.Background(), c, wire.Request{
		Method: http.MethodPatch, Path: path, Body: body, Revision: revision, Reason: "a test",
	})
}

// wantProblem checks that err is a problem with the given name.
func wantProblem(t *testing.T, what string, err error, name string) {
	t.Helper()
	got := (*wire.Problem)(nil)
	if !errors.As(err, &got) || got.Name() != name {
		t.Errorf("%s: got %v, want %s", what, err, name)
	}
}

var because = wire.OperatorAct{Reason: "a test"}

// TestOperators follows an operator from the invitation to the end.
func TestOperators(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	o, err := post[wire.Operator](w.all, "operators", wire.NewOperator{
		Name: "ada", Roles: []string{"support", "auditor"}, Banks: []int{2, 1}, Reason: "new",
	})
	if err != nil {
		t.Fatal(err)
	}
	const before = "https://console.example" + auth.InvitationPath
	link, begins := strings.CutPrefix(o.Link, before)
	if !begins || o.State != "invited" || o.SignsInBy != "nothing yet" ||
		!slices.Equal(o.Banks, []int{1, 2}) || o.Revision != 1 {
		t.Fatalf("got %+v", o)
	}
	if _, err := w.people.Invitation(t.Context(), secret.New(link)); err != nil {
		t.Errorf("the link: %v", err)
	}
	path := "operators/2"
	changed, err := patchGrants(w.all, path, 1, map[string]any{
		"roles": []string{"support"}, "banks": nil, "allBanks": true,
	})
	if err != nil || !changed.AllBanks || changed.Banks != nil || changed.Revision != 2 ||
		changed.Link != "" {
		t.Fatalf("got %+v, %v", changed, err)
	}
	_, err = patchGrants(w.all, path, 1, map[string]any{"roles": []string{"auditor"}})
	wantProblem(t, "an old revision", err, wire.Stale)
	_, err = patchGrants(w.all, path, 0, map[string]any{"roles": []string{"auditor"}})
	wantProblem(t, "no revision", err, wire.IfMatchRequired)
	_, err = patchGrants(w.all, path, 2, map[string]any{"name": "eve", "state": "active"})
	wantProblem(t, "what cannot be changed", err, wire.Invalid)
	again, err := post[wire.Operator](w.all, path+"/invite", because)
	if err != nil || again.Link == o.Link || again.Link == "" {
		t.Errorf("got %+v, %v", again, err)
	}
	if _, err := w.people.Invitation(t.Context(), secret.New(link)); err == nil {
		t.Error("the first link works beside the second")
	}
	ended, err := post[wire.Operator](w.all, path+"/end", because)
	if err != nil || ended.State != "ended" {
		t.Errorf("got %+v, %v", ended, err)
	}
	_, err = post[wire.Operator](w.all, path+"/end", because)
	wantProblem(t, "ended again", err, wire.Conflict)
	_, err = post[wire.Operator](w.all, path+"/invite", because)
	wantProblem(t, "invited again", err, wire.Conflict)
	listed, err := wire.Page[wire.Operator](t.Context(), w.all, "operators",
		url.Values{"q": {"AD"}})
	if err != nil || len(listed.Items) != 1 || listed.Items[0].Name != "ada" ||
		listed.Items[0].Link != "" {
		t.Errorf("got %+v, %v", listed, err)
	}
	w.wantAudit("create operator", "change operator", "invite operator", "end operator")
}

// wantAudit checks that the audit has one entry for each act on operator 2, with a reason.
func (w *peopleWorld) wantAudit(acts ...string) {
	w.t.Helper()
	err := w.kept.View(context.Background(), func(r store.Tx) error {
		const most = 100
		entries, err := r.Audit().List(0, 0, most)
		for _, act := range acts {
			count := 0
			for _, e := range entries {
				if e.Act == act && e.Reason != "" && e.Name == "all" && e.Subject.ID == "2" {
					count++
				}
			}
			if count != 1 {
				w.t.Errorf("%s: the audit has %d entries", act, count)
			}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestNobodyGivesWhatTheyDoNotHold checks that an officer of one bank cannot grant, change or
// revoke more rights than the officer holds.
func TestNobodyGivesWhatTheyDoNotHold(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	officer := w.token("officer", []int{2}, "security", "support")
	give := func(roles []string, all bool, banks ...int) (wire.Operator, error) {
		return post[wire.Operator](officer, "operators", wire.NewOperator{
			Name: "x" + strings.Join(roles, ""), Roles: roles, AllBanks: all, Banks: banks,
			Reason: "a test",
		})
	}
	for _, more := range []struct {
		role  string
		all   bool
		banks []int
	}{
		{"auditor", false, []int{2}}, {"administrator", false, []int{2}},
		{"support", false, []int{1, 2}}, {"support", true, nil},
	} {
		_, err := give([]string{more.role}, more.all, more.banks...)
		wantProblem(t, fmt.Sprint("given: ", more), err, wire.NotAllowed)
	}
	o, err := give([]string{"support"}, false, 2)
	if err != nil {
		t.Fatal(err)
	}
	path := "operators/2"
	_, err = patchGrants(officer, path, o.Revision, map[string]any{"roles": []string{"auditor"}})
	wantProblem(t, "changed to more", err, wire.NotAllowed)
	if _, err := patchGrants(w.all, path, o.Revision, map[string]any{
		"roles": []string{"administrator"},
	}); err != nil {
		t.Fatal(err)
	}
	_, err = post[wire.Operator](officer, path+"/end", because)
	wantProblem(t, "somebody who holds more is ended", err, wire.NotAllowed)
	_, err = wire.Get[wire.Operator](t.Context(), officer, "operators/1")
	wantProblem(t, "somebody out of scope", err, wire.NotFound)
	_, err = post[wire.Operator](officer, "operators/1/end", because)
	wantProblem(t, "somebody out of scope is ended", err, wire.NotFound)
	_, err = post[wire.Token](officer, "tokens/1/revoke", because)
	wantProblem(t, "a token out of scope is revoked", err, wire.NotFound)
	listed, err := wire.Page[wire.Operator](t.Context(), officer, "operators", nil)
	if err != nil || len(listed.Items) != 1 || listed.Items[0].ID != 2 {
		t.Errorf("the officer sees %+v, %v", listed, err)
	}
}

// TestLastAdministratorStays checks that no act removes the last active administrator of all banks.
func TestLastAdministratorStays(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	tries := map[string]func(id string) error{
		"ended": func(id string) error {
			_, err := post[wire.Operator](w.all, "operators/"+id+"/end", because)
			return err
		},
		"another role": func(id string) error {
			_, err := patchGrants(w.all, "operators/"+id, 1, map[string]any{
				"roles": []string{"security"},
			})
			return err
		},
		"one bank": func(id string) error {
			_, err := patchGrants(w.all, "operators/"+id, 1, map[string]any{
				"allBanks": false, "banks": []int{1},
			})
			return err
		},
	}
	for what, try := range tries {
		wantProblem(t, what, try("1"), wire.Conflict)
	}
	// An operator who has not signed in yet does not count.
	_, err := post[wire.Operator](w.all, "operators", wire.NewOperator{
		Name: "second", Roles: []string{"administrator"}, AllBanks: true, Reason: "a test",
	})
	if err != nil {
		t.Fatal(err)
	}
	wantProblem(t, "beside an invited one", tries["ended"]("1"), wire.Conflict)
	err = w.kept.Update(t.Context(), func(tx store.Tx) error {
		person, err := tx.Operators().Find(2)
		person.State = operator.Active
		return errors.Join(err, tx.Operators().Put(&person))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := tries["ended"]("1"); err != nil {
		t.Errorf("beside another: %v", err)
	}
	wantProblem(t, "the other", tries["ended"]("2"), wire.Conflict)
}

// TestAdministratorsEndEachOther has the last two administrators ended concurrently, many times:
// exactly one stays.
func TestAdministratorsEndEachOther(t *testing.T) {
	t.Parallel()
	w := newPeopleWorldOn(t, func(t testing.TB, c *clock.Clock) store.Store {
		return testworld.Server(t, pgtest.URL(t), c)
	})
	const rounds = 20
	last := 1
	for round := range rounds {
		another := operator.Person{
			Name: fmt.Sprint("round ", round), Roles: operator.Roles{operator.Administrator},
			Scope: operator.Scope{All: true}, State: operator.Active, Created: w.clock.Now(),
		}
		err := w.kept.Update(t.Context(), func(tx store.Tx) error {
			another.ID, another.Revision = 0, 0
			return tx.Operators().Put(&another)
		})
		if err != nil {
			t.Fatal(err)
		}
		both, errs := [2]int{last, another.ID}, [2]error{}
		var ending sync.WaitGroup
		for i, id := range both {
			ending.Go(func() {
				_, errs[i] = post[wire.Operator](w.all, fmt.Sprintf("operators/%d/end", id),
					because)
			})
		}
		ending.Wait()
		stays := 0
		for i, err := range errs {
			if err != nil {
				wantProblem(t, "the last one", err, wire.Conflict)
				last = both[i]
				stays++
			}
		}
		if stays != 1 {
			t.Fatalf("%d of two are ended: %v", 2-stays, errs)
		}
	}
}

// TestTokensOfPrograms follows a token from creation to revocation, and tries invalid requests.
func TestTokensOfPrograms(t *testing.T) {
	t.Parallel()
	w := newPeopleWorld(t)
	expires := w.clock.Now().Add(time.Hour)
	token, err := post[wire.Token](w.all, "tokens", wire.NewToken{
		Name: "ci", Roles: []string{"security"}, AllBanks: true, Expires: &expires, Reason: "new",
	})
	if err != nil || token.State != "active" || token.Expires == nil {
		t.Fatalf("got %+v, %v", token, err)
	}
	ci := w.by(token.Token)
	me, err := wire.Get[wire.Me](t.Context(), ci, "me")
	if err != nil || me.Kind != "token" || me.Name != "ci" {
		t.Errorf("got %+v, %v", me, err)
	}
	read, err := wire.Get[wire.Token](t.Context(), w.all, "tokens/2")
	if err != nil || read.Token != "" || read.LastUsed == nil {
		t.Errorf("got %+v, %v", read, err)
	}
	past := w.clock.Now()
	for what, newToken := range map[string]wire.NewToken{
		"no name":   {Roles: []string{"support"}, AllBanks: true, Reason: "a test"},
		"no role":   {Name: "x", AllBanks: true, Reason: "a test"},
		"the role":  {Name: "x", Roles: []string{"king"}, AllBanks: true, Reason: "a test"},
		"no bank":   {Name: "x", Roles: []string{"support"}, Reason: "a test"},
		"the bank":  {Name: "x", Roles: []string{"support"}, Banks: []int{9}, Reason: "a test"},
		"no reason": {Name: "x", Roles: []string{"support"}, AllBanks: true},
		"the past": {
			Name: "x", Roles: []string{"support"}, AllBanks: true, Expires: &past,
			Reason: "a test",
		},
	} {
		_, err := post[wire.Token](w.all, "tokens", newToken)
		wantProblem(t, what, err, wire.Invalid)
	}
	_, err = post[wire.Token](w.all, "tokens", wire.NewToken{
		Name: "ci", Roles: []string{"support"}, AllBanks: true, Reason: "a test",
	})
	wantProblem(t, "the name again", err, wire.Conflict)
	dry, err := wire.Do[wire.Token](t.Context(), w.all, wire.Request{
		Method: http.MethodPost, Path: "tokens", DryRun: true, Reason: "a test",
		Body: wire.NewToken{Name: "dry", Roles: []string{"support"}, AllBanks: true},
	})
	if err != nil || dry.Token != "" {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	revoked, err := post[wire.Token](w.all, "tokens/2/revoke", because)
	if err != nil || revoked.State != "revoked" {
		t.Errorf("got %+v, %v", revoked, err)
	}
	_, err = wire.Get[wire.Me](t.Context(), ci, "me")
	wantProblem(t, "a revoked token", err, wire.NotSignedIn)
	listed, err := wire.Page[wire.Token](t.Context(), w.all, "tokens", url.Values{"limit": {"1"}})
	if err != nil || len(listed.Items) != 1 || listed.Next == "" {
		t.Fatalf("got %+v, %v", listed, err)
	}
	rest, err := wire.Page[wire.Token](t.Context(), w.all, "tokens",
		url.Values{"limit": {"1"}, "cursor": {listed.Next}})
	if err != nil || len(rest.Items) != 1 || rest.Items[0].Name != "ci" || rest.Next != "" {
		t.Errorf("got %+v, %v", rest, err)
	}
}
