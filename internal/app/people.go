package app

import (
	"net"
	"strings"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// openPeople returns who may run the service. Authenticator apps name it by its environment.
func (a *App) openPeople() *auth.Operators {
	if !a.Sandbox {
		return auth.NewOperators(a.store, a.vault, "Mintmark")
	}
	people := auth.NewOperators(a.store, a.vault, "Mintmark sandbox")
	people.AgeSessions(a.Clock.Engine)
	return people
}

// Console is the address of the console, as the settings name it.
func (s Settings) Console() string { return s.filled().ConsoleURL }

// consoleURL is the address of the console. Without a setting it is the operators' address, unless
// the system chooses the port.
func (s Settings) consoleURL() string {
	_, port, err := net.SplitHostPort(s.AdminListen)
	if s.ConsoleURL != "" || err != nil || port == "0" {
		return strings.TrimRight(s.ConsoleURL, "/")
	}
	if s.TLSCert != "" && !OnLoopback(s.AdminListen) {
		return "https://" + s.AdminListen
	}
	return "http://" + s.AdminListen
}

// SandboxPeople are the people of a sandbox; the password of each is the name.
var SandboxPeople = []string{"operator", "support", "auditor"}

// SandboxTokens are the tokens of a sandbox, and what each may do.
var SandboxTokens = []struct {
	Text  string
	Roles operator.Roles
	Scope operator.Scope
}{
	{"sandbox-administrator", operator.Roles{operator.Administrator}, everything},
	{"sandbox-support", operator.Roles{operator.Support}, everything},
	{"sandbox-configurator", operator.Roles{operator.Configurator}, everything},
	{"sandbox-security", operator.Roles{operator.Security}, everything},
	{"sandbox-auditor", operator.Roles{operator.Auditor}, everything},
	{"sandbox-bank2", operator.Roles{operator.Administrator}, operator.Scope{Banks: []int{2}}},
}

var (
	everything = operator.Scope{All: true}
	byMachine  = operator.Owner{Kind: operator.OwnedByMachine}
)

// demoPeople returns what writes the people and the tokens where there are none.
func demoPeople(keys *vault.Vault) (func(store.Tx) error, error) {
	hashes := make([]string, len(SandboxPeople))
	for i, name := range SandboxPeople {
		hash, err := auth.HashPassword(secret.New(name), true)
		if err != nil {
			return nil, err
		}
		hashes[i] = hash
	}
	return func(tx store.Tx) error {
		people, err := tx.Operators().List()
		if err != nil || len(people) > 0 {
			return err
		}
		for i, name := range SandboxPeople {
			if err := putSandboxPerson(tx, name, hashes[i]); err != nil {
				return err
			}
		}
		for _, one := range SandboxTokens {
			err := tx.Tokens().Put(&operator.Token{
				Name: one.Text, Digest: auth.DigestToken(keys, one.Text), Roles: one.Roles,
				Scope: one.Scope, Owner: byMachine, Created: tx.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// putSandboxPerson stores a person with the role of the name; the operator is an administrator.
func putSandboxPerson(tx store.Tx, name, hash string) error {
	role := operator.Role(name)
	if name == "operator" {
		role = operator.Administrator
	}
	person := operator.Person{
		Name: name, Roles: operator.Roles{role}, Scope: everything, State: operator.Active,
		Created: tx.Now(),
	}
	if err := tx.Operators().Put(&person); err != nil {
		return err
	}
	return tx.Credentials().Put(operator.Credential{PersonID: person.ID, Password: hash})
}
