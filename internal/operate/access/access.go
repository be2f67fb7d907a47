// Package access creates operators and tokens on the machine itself, which the first operators
// need.
package access

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/issuing/operators"
	"mintmark/internal/operate/installation"
)

// NewOperator describes an operator or a token to create on the machine itself.
type NewOperator struct {
	installation.Location
	Name  string
	Roles []string
	Banks []int // empty for all
	// ConsoleURL is the beginning of the invitation link. If empty, the link begins with its path.
	ConsoleURL string
	Lasts      time.Duration // lifetime of a token; zero for no expiry
}

func (n NewOperator) grants() operators.GrantsRequest {
	grantsRequest := operators.GrantsRequest{Scope: operator.Scope{All: len(n.Banks) == 0, Banks: n.Banks}}
	for _, role := range n.Roles {
		grantsRequest.Roles = append(grantsRequest.Roles, operator.Role(role))
	}
	return grantsRequest
}

// act opens the installation and performs an act in the name of the user at the command line. That
// user has every right: whoever can read the installation's keys could do everything anyway.
func (n NewOperator) act(
	ctx context.Context, do func(*operators.Service, issuing.Operator) error,
) error {
	keys, kept, err := n.OpenBeside(ctx)
	if err != nil {
		return err
	}
	service := operators.New(
		issuing.New(installation.RetryingStore{Store: kept}, keys, issuing.Settings{Random: rand.Reader}))
	err = do(service, issuing.Operator{
		Actor: installation.Person(), Roles: operator.Roles{operator.Administrator},
		Scope: operator.Scope{All: true}, Owner: operator.Owner{Kind: operator.OwnedByMachine},
	})
	return errors.Join(err, kept.Close())
}

// CreateOperator creates an operator and returns the invitation link, which works once.
func CreateOperator(ctx context.Context, n NewOperator) (link string, err error) {
	err = n.act(ctx, func(service *operators.Service, who issuing.Operator) error {
		_, text, err := service.CreateOperator(ctx, who, n.Name, n.grants())
		link = n.link(text)
		return err
	})
	return link, err
}

// InviteOperator creates another invitation link for an operator.
func InviteOperator(ctx context.Context, n NewOperator) (link string, err error) {
	err = n.act(ctx, func(service *operators.Service, who issuing.Operator) error {
		const most = 1_000_000
		all, _, err := service.ListOperators(ctx, who, "", issuing.Page{Limit: most})
		if err != nil {
			return err
		}
		person, ok := operator.Named(all, n.Name)
		if !ok {
			return fmt.Errorf("there is no operator %q", n.Name)
		}
		_, text, err := service.InviteOperator(ctx, who, person.ID, 0)
		link = n.link(text)
		return err
	})
	return link, err
}

func (n NewOperator) link(text secret.Text) string {
	return n.ConsoleURL + auth.InvitationPath + text.Reveal()
}

// CreateToken creates a token and returns its text, which is not stored.
func CreateToken(ctx context.Context, n NewOperator) (token string, err error) {
	err = n.act(ctx, func(service *operators.Service, who issuing.Operator) error {
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
