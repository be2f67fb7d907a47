package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/sqlite"
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

// NewOperator is an operator or a token that is made on the machine itself.
type NewOperator struct {
	Place
	Name  string
	Roles []string
	Banks []int // none for all
	// ConsoleURL begins the link; empty to begin it with its path.
	ConsoleURL string
	Lasts      time.Duration // of a token; zero for ever
}

func (n NewOperator) grants() issuing.GrantsRequest {
	asked := issuing.GrantsRequest{Scope: operator.Scope{All: len(n.Banks) == 0, Banks: n.Banks}}
	for _, role := range n.Roles {
		asked.Roles = append(asked.Roles, operator.Role(role))
	}
	return asked
}

// act opens the place and performs an act under the name of the person at the command line, who
// may do everything: whoever reads the keys of the place could anyway.
func (n NewOperator) act(
	ctx context.Context, do func(*issuing.Service, issuing.Operator) error,
) error {
	keys, kept, err := n.open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return err
	}
	service := issuing.New(patient{kept}, keys, issuing.Settings{Random: rand.Reader})
	err = do(service, issuing.Operator{
		Actor: person(), Roles: operator.Roles{operator.Administrator}, Scope: everything,
		Owner: byMachine,
	})
	return errors.Join(err, kept.Close())
}

// CreateOperator makes a person, and returns the link that works once.
func CreateOperator(ctx context.Context, n NewOperator) (link string, err error) {
	err = n.act(ctx, func(service *issuing.Service, who issuing.Operator) error {
		_, text, err := service.CreateOperator(ctx, who, n.Name, n.grants())
		link = n.link(text)
		return err
	})
	return link, err
}

// InviteOperator makes another link for a person.
func InviteOperator(ctx context.Context, n NewOperator) (link string, err error) {
	err = n.act(ctx, func(service *issuing.Service, who issuing.Operator) error {
		const most = 1_000_000
		all, _, err := service.ListOperators(ctx, who, n.Name, issuing.Page{Limit: most})
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.Name != n.Name {
				continue
			}
			_, text, err := service.InviteOperator(ctx, who, one.ID, 0)
			link = n.link(text)
			return err
		}
		return fmt.Errorf("there is no operator %q", n.Name)
	})
	return link, err
}

func (n NewOperator) link(text secret.Text) string {
	return n.ConsoleURL + auth.InvitationPath + text.Reveal()
}

// CreateToken makes a token, and returns its text, which is kept nowhere.
func CreateToken(ctx context.Context, n NewOperator) (token string, err error) {
	err = n.act(ctx, func(service *issuing.Service, who issuing.Operator) error {
		var expires time.Time
		if n.Lasts > 0 {
			now, err := service.Now(ctx)
			if err != nil {
				return err
			}
			expires = now.Add(n.Lasts)
		}
		_, text, err := service.CreateToken(ctx, who, n.Name, n.grants(), expires)
		token = text.Reveal()
		return err
	})
	return token, err
}
