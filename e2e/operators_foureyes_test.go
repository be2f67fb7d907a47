package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/e2e/contract"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/base/clock"
)

// TestFourEyesOfAProgram follows a key from the operator who requests it, through the approval of
// another one, to a call of /program/get with it; then a SYS lock that one operator sets and two
// clear, and the end of four eyes, which takes two as well.
func TestFourEyesOfAProgram(t *testing.T) {
	t.Parallel()
	// With a frozen clock, a sandbox activates a new key within the request that creates it.
	world := ledger.NewWorld(t, app.Settings{
		Clock: clock.FrozenAt(time.Now()), TokensApprove: true,
	})
	ofOperator := admin.New(world.App.AdminURL(), tokenOf(t, world.App.AdminURL(), "operator"))
	by := func(name string) *admin.Client {
		if name == "operator" {
			return ofOperator
		}
		return admin.New(world.App.AdminURL(), "sandbox-"+name)
	}
	program := readAs[admin.Program](t, by("configurator"), "programs/1")
	program = do[admin.Program](t, by("configurator"), admin.Request{
		Method: http.MethodPatch, Path: "programs/1", Revision: program.Revision,
		Body: map[string]bool{"fourEyes": true},
	})

	newKey := admin.Request{
		Method: http.MethodPost, Path: "programs/1/keys", Reason: "a new branch",
		Body: map[string]any{"name": "branch", "allow": []string{"127.0.0.0/8", "::1/128"}},
	}
	approval := waits(t, by("security"), newKey)
	end := func(name string) (admin.Approval, error) {
		return admin.Do[admin.Approval](t.Context(), by(name), admin.Request{
			Method: http.MethodPost, Path: approval + "/approve", Reason: "seen the order",
		})
	}
	for name, want := range map[string]string{
		"security": admin.NotAllowed, "auditor": admin.NotAllowed, "bank2": admin.NotFound,
		"configurator": admin.NotFound, "administrator": admin.NotAllowed,
	} {
		_, err := end(name)
		wantProblem(t, "an approval by "+name, err, want)
	}
	approved, err := end("operator")
	if err != nil || !approved.HasResult || approved.ResultStatus != http.StatusCreated {
		t.Fatalf("got %+v, %v", approved, err)
	}
	_, err = admin.Get[admin.Key](t.Context(), by("security"), approval+"/result")
	wantProblem(t, "a GET of the result", err, admin.MethodNotAllowed)
	take := admin.Request{Method: http.MethodPost, Path: approval + "/result"}
	key := do[admin.Key](t, by("security"), take)
	if key.Secret == "" {
		t.Errorf("the result has no secret: %+v", key)
	}
	wantKeyOpens(t, world, key)
	_, err = admin.Do[admin.Key](t.Context(), by("security"), take)
	wantProblem(t, "the result taken again", err, admin.NotFound)

	lock := func(act string, body map[string]string) admin.Request {
		return admin.Request{
			Method: http.MethodPost, Path: "cards/5001/" + act, Reason: "by telephone", Body: body,
		}
	}
	do[admin.CardDetail](t, by("support"), lock("lock", map[string]string{
		"lockReasonTypeCode": "ADM",
	}))
	approval = waits(t, by("support"), lock("unlock", map[string]string{}))
	lockType := func() string {
		t.Helper()
		return readAs[admin.CardDetail](t, by("support"), "cards/5001").LockTypeCode
	}
	if got := lockType(); got != "SYS" {
		t.Errorf("one operator has cleared the lock: %q", got)
	}
	if _, err := end("operator"); err != nil {
		t.Error(err)
	}
	if got := lockType(); got == "SYS" {
		t.Errorf("two operators have not cleared the lock: %q", got)
	}
	waits(t, by("configurator"), admin.Request{
		Method: http.MethodPatch, Path: "programs/1", Revision: program.Revision,
		Body: map[string]bool{"fourEyes": false},
	})
}

// tokenOf returns a token with all rights that an operator of a sandbox creates at the console.
func tokenOf(t *testing.T, adminURL, person string) string {
	t.Helper()
	v := &visitor{t, adminURL, map[string]string{}}
	v.wantStatus("sign in", "/console/sign-in", url.Values{
		"name": {person}, "password": {person},
	}, http.StatusSeeOther)
	page := v.wantStatus("make a token", "/console/tokens/new", url.Values{
		"name": {"token of " + person}, "roles": {"administrator"}, "allBanks": {"true"},
		"reason": {"approvals"},
	}, http.StatusOK)
	return tokenPrinted.FindString(page)
}

// waits sends a request that must wait for another operator, and returns the path of its approval.
func waits(t *testing.T, by *admin.Client, r admin.Request) string {
	t.Helper()
	_, err := by.Send(t.Context(), r)
	problem := wantProblem(t, r.Path, err, admin.NeedsApproval)
	return fmt.Sprintf("approvals/%d", problem.ApprovalID)
}

func wantProblem(t *testing.T, what string, err error, name string) *admin.Problem {
	t.Helper()
	problem := (*admin.Problem)(nil)
	if !errors.As(err, &problem) || problem.Name() != name {
		t.Fatalf("%s: want %s, got %v", what, name, err)
	}
	return problem
}

func do[A any](t *testing.T, by *admin.Client, r admin.Request) A {
	t.Helper()
	done, err := admin.Do[A](t.Context(), by, r)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
	return done
}

func readAs[A any](t *testing.T, by *admin.Client, path string) A {
	t.Helper()
	return do[A](t, by, admin.Request{Method: http.MethodGet, Path: path})
}

// wantKeyOpens checks that a new key works, by a call of /program/get.
func wantKeyOpens(t *testing.T, world *ledger.World, key admin.Key) {
	t.Helper()
	caller := client.New(world.App.URL(), key.Key, key.Secret,
		client.HTTPClient(contract.Client(t)))
	if _, err := caller.ProgramGet(t.Context()); err != nil {
		t.Fatalf("the new key %q opens nothing: %v", key.Key, err)
	}
}
