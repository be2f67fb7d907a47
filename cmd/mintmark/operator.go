package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"mintmark/internal/cli"
	"mintmark/internal/operate/access"
)

// operatorByHand holds the commands on operators that also work on the machine itself.
type operatorByHand struct {
	Create operatorCreateCommand `cmd:"" help:"Create an operator, and print a link that works once."`
	Invite operatorInviteCommand `cmd:"" help:"Print a new link for an operator who can no longer sign in."`
}

// operatorCreateCommand creates an operator. On the machine itself, it creates the first one, and
// later one who can help when all others are locked out.
type operatorCreateCommand struct {
	place
	cli.OperatorCreate
}

func (operatorCreateCommand) Help() string {
	return "Behind the link, which works once and for three days, the operator sets a password " +
		"and an authenticator app. The first operator is made on the machine:\n\n" +
		"mintmark operator create ada --role administrator --config mintmark.yaml\n\n" +
		"A service creates later ones, for an operator who holds the same roles and banks:\n\n" +
		`mintmark operator create grace --role support --bank 1 --reason "first line"`
}

func (o operatorCreateCommand) Run(ctx context.Context, c console) error {
	if o.elsewhere() {
		return o.OperatorCreate.Run(ctx, c.terminal())
	}
	n, err := o.newOperator(o.Name)
	if err != nil {
		return err
	}
	n.Roles, n.Banks = o.Role, o.Bank
	link, err := access.CreateOperator(ctx, n)
	if err != nil {
		return err
	}
	return c.printLink(o.Name, link)
}

// printLink prints the link, alone on standard output.
func (c console) printLink(name, link string) error {
	fmt.Fprintf(c.err, "%s sets a password behind this link, once, within three days:\n", name)
	_, err := fmt.Fprintln(c.out, link)
	return err
}

// newOperator returns an operator with the given name. The operator's link begins with the address
// of the console if the settings contain it.
func (p place) newOperator(name string) (access.NewOperator, error) {
	at, err := p.where()
	n := access.NewOperator{Location: at, Name: name}
	if err != nil || p.Config == "" {
		return n, err
	}
	settings, err := readConfig(p.Config)
	n.ConsoleURL = settings.Console()
	return n, err
}

type operatorInviteCommand struct {
	place
	cli.Change
	Name string `arg:"" help:"Name of the operator; for a service the number."`
}

func (operatorInviteCommand) Help() string {
	return localOrRemoteHelp + "Password and authenticator app keep working until the link is used.\n\n" +
		"mintmark operator invite ada --config mintmark.yaml\n\n" +
		`mintmark operator invite 2 --reason "a new telephone"`
}

func (o operatorInviteCommand) Run(ctx context.Context, c console) error {
	if o.elsewhere() {
		number, err := strconv.Atoi(o.Name)
		if err != nil {
			return errors.New("for a service, name the operator by the number that mintmark " +
				"operator list shows")
		}
		return o.Invite(ctx, c.terminal(), number)
	}
	n, err := o.newOperator(o.Name)
	if err != nil {
		return err
	}
	link, err := access.InviteOperator(ctx, n)
	if err != nil {
		return err
	}
	return c.printLink(o.Name, link)
}

// tokenByHand holds the command on tokens that also works on the machine itself.
type tokenByHand struct {
	Create tokenCreateCommand `cmd:"" help:"Create a token for a program, and print it."`
}

type tokenCreateCommand struct {
	place
	cli.TokenCreate
}

func (tokenCreateCommand) Help() string {
	return localOrRemoteHelp + "The token is not stored: the printed copy is the only one.\n\n" +
		"mintmark token create deploy --role configurator --config mintmark.yaml\n\n" +
		`mintmark token create watch --role auditor --lasts 720h --reason "monitoring"`
}

func (t tokenCreateCommand) Run(ctx context.Context, c console) error {
	if t.Lasts < 0 {
		return fmt.Errorf("--lasts: %v is too short or too long", t.Lasts)
	}
	if t.elsewhere() {
		return t.TokenCreate.Run(ctx, c.terminal())
	}
	n, err := t.newOperator(t.Name)
	if err != nil {
		return err
	}
	n.Roles, n.Banks, n.Lasts = t.Role, t.Bank, t.Lasts
	token, err := access.CreateToken(ctx, n)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, token)
	return err
}
