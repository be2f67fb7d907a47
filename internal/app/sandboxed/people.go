package sandboxed

import (
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// People are the people of a sandbox; everyone's password is their name.
var People = []string{"operator", "support", "auditor"}

// Tokens are the tokens of a sandbox, with their roles and scopes.
var Tokens = []struct {
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

// demoPeople returns a closure that writes the people and the tokens if there are none.
func demoPeople(keys *vault.Vault) (func(store.Tx) error, error) {
	hashes := make([]string, len(People))
	for i, name := range People {
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
		for i, name := range People {
			if err := putPerson(tx, name, hashes[i]); err != nil {
				return err
			}
		}
		for _, token := range Tokens {
			err := tx.Tokens().Put(&operator.Token{
				Name: token.Text, Digest: auth.DigestToken(keys, token.Text), Roles: token.Roles,
				Scope: token.Scope, Owner: byMachine, Created: tx.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// putPerson stores a person with the role of the same name; the operator is an administrator.
func putPerson(tx store.Tx, name, hash string) error {
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
	return tx.Operators().PutCredential(operator.Credential{PersonID: person.ID, Password: hash})
}
