package app

import (
	"context"
	"testing"
	"time"

	"mintmark/internal/auth"
	"mintmark/internal/operator"
	"mintmark/internal/secret"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestSandboxPeople signs in as each person and with each token of a sandbox, also of one that is
// started again with its directory.
func TestSandboxPeople(t *testing.T) {
	t.Parallel()
	settings := Settings{
		Sandbox: true, Data: t.TempDir(), Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
	}
	for range 2 {
		running, err := Start(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range SandboxPeople {
			who, err := running.people.SignIn(t.Context(), auth.SignInRequest{
				Name: name, Password: secret.New(name),
			})
			if err != nil || who.Roles.Has(operator.Administrator) != (name == "operator") {
				t.Errorf("%s: %+v, %v", name, who, err)
			}
		}
		for _, one := range SandboxTokens {
			who, known, err := running.people.ByToken(t.Context(), one.Text)
			if err != nil || !known || who.Scope.Includes(1) != one.Scope.All ||
				!who.Roles.Has(one.Roles[0]) {
				t.Errorf("%s: %+v, %v, %v", one.Text, who, known, err)
			}
		}
		if err := running.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPeopleBesideWrites makes an operator, an invitation and a token on the machine while a server
// writes: each waits for its turn.
func TestPeopleBesideWrites(t *testing.T) {
	t.Parallel()
	place := Place{Data: t.TempDir()}
	if _, err := Init(t.Context(), place, false); err != nil {
		t.Fatal(err)
	}
	server, err := openStore(t.Context(), place.Data, Database{}, sqlite.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	asked := NewOperator{Place: place, Name: "ada", Roles: []string{"administrator"}}
	for _, act := range []func(context.Context, NewOperator) (string, error){
		CreateOperator, InviteOperator, CreateToken,
	} {
		writing, written := make(chan struct{}), make(chan error)
		go func() {
			written <- server.Update(t.Context(), func(store.Tx) error {
				close(writing)
				time.Sleep(time.Second)
				return nil
			})
		}()
		<-writing
		if text, err := act(t.Context(), asked); err != nil || text == "" {
			t.Errorf("answered %q, %v", text, err)
		}
		if err := <-written; err != nil {
			t.Fatal(err)
		}
	}
}
