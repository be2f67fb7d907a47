package app

import (
	"context"
	"testing"

	"mintmark/internal/app/sandboxed"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/auth"
)

// TestSandboxPeople signs in as each person and with each token of a sandbox, also after a restart
// with the same directory.
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
		for _, name := range sandboxed.People {
			who, err := running.people.SignIn(t.Context(), auth.SignInRequest{
				Name: name, Password: secret.New(name),
			})
			if err != nil || who.Roles.Has(operator.Administrator) != (name == "operator") {
				t.Errorf("%s: %+v, %v", name, who, err)
			}
		}
		for _, test := range sandboxed.Tokens {
			who, known, err := running.people.AuthenticateToken(t.Context(), test.Text)
			if err != nil || !known || who.Scope.Includes(1) != test.Scope.All ||
				!who.Roles.Has(test.Roles[0]) {
				t.Errorf("%s: %+v, %v, %v", test.Text, who, known, err)
			}
		}
		if err := running.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}
