package admin

import (
	"context"
	"encoding/json"
	"strconv"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/program"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/programs"
)

// programPart is a list in the settings of a program with an address of its own: T is an entry of
// the domain, A of the wire. The members of both have the same names, but for the number of the
// entry.
type programPart[T, A any] struct {
	name   string // in the path
	one    string // in summaries
	of     programs.ProgramPart[T]
	number string   // name of the number in the domain
	hidden []string // members that are never answered
	found  func(a *A, id, revision int)
}

func (f *Face) partRoutes() []*Op {
	routes := partRoutes(f, programPart[program.Product, wire.Product]{
		name: "products", one: "a product", of: programs.Products, number: "productId",
		found: func(a *wire.Product, id, revision int) { a.ID, a.Revision = id, revision },
	})
	routes = append(routes, partRoutes(f, programPart[program.ProgramAccount, wire.ProgramAccount]{
		name: "accounts", one: "an account of the program itself", of: programs.ProgramAccounts,
		number: "programAccountId", hidden: []string{"accountNumber"},
		found: func(a *wire.ProgramAccount, id, revision int) { a.ID, a.Revision = id, revision },
	})...)
	return append(routes, partRoutes(f, programPart[program.ExternalAccount, wire.ExternalAccount]{
		name: "externalAccounts", one: "an account of the program at another bank",
		of: programs.ExternalAccounts, number: "programExternalAccountId",
		hidden: []string{"accountNumber"},
		found:  func(a *wire.ExternalAccount, id, revision int) { a.ID, a.Revision = id, revision },
	})...)
}

func partRoutes[T, A any](f *Face, p programPart[T, A]) []*Op {
	all := "programs/{id}/" + p.name
	one := all + "/{entryId}"
	read := func(ctx context.Context, c *call) (A, error) { return p.read(ctx, f, c) }
	return []*Op{
		list(Op{
			Path: all, Summary: "List the " + p.name + " of a program", Roles: configurators,
		}, func(ctx context.Context, c *call, page issuing.Page) ([]A, string, error) {
			return p.list(ctx, f, c, page)
		}),
		get(Op{Path: one, Summary: "Read " + p.one, Roles: configurators}, read),
		create(Op{Path: all, Summary: "Add " + p.one, Roles: configurators},
			func(ctx context.Context, c *call, asked A) (A, error) {
				return p.create(ctx, f, c, asked)
			}),
		patch(Op{Path: one, Summary: "Change " + p.one, Roles: configurators}, read,
			func(ctx context.Context, c *call, after A) (A, error) {
				return p.change(ctx, f, c, after)
			}),
		remove(Op{Path: one, Summary: "Take away " + p.one, Roles: configurators},
			func(ctx context.Context, c *call) error { return p.remove(ctx, f, c) }),
	}
}

func (p programPart[T, A]) list(
	ctx context.Context, f *Face, c *call, page issuing.Page,
) ([]A, string, error) {
	programID, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	found, err := p.of.List(ctx, f.acts.Programs, c.who, programID, page)
	if err != nil {
		return nil, "", err
	}
	var items []A
	for _, entry := range found.Items {
		one, err := p.show(entry, found.Revision)
		if err != nil {
			return nil, "", err
		}
		items = append(items, one)
	}
	return items, found.Last, nil
}

// show makes the resource of an entry.
func (p programPart[T, A]) show(entry T, revision int) (A, error) {
	var a A
	members, err := membersOf(entry, p.hidden...)
	if err == nil {
		err = shown(members, &a)
	}
	if err != nil {
		return a, err
	}
	var id int
	err = json.Unmarshal(members[p.number], &id)
	p.found(&a, id, revision)
	return a, err
}

// wanted makes the entry of a resource. What is shown in another form than it is kept is left out.
func (p programPart[T, A]) wanted(a A) (T, error) {
	var none T
	members, err := membersOf(a, "revision", "accountNumberMasked")
	if err != nil {
		return none, err
	}
	members[p.number] = members["id"]
	delete(members, "id")
	entry, found := settings[T](members)
	if len(found) > 0 {
		return none, web.Invalid(found)
	}
	return entry, nil
}

func (p programPart[T, A]) read(ctx context.Context, f *Face, c *call) (A, error) {
	var none A
	programID, id, err := c.numbers("id", "entryId")
	if err != nil {
		return none, err
	}
	found, revision, err := p.of.Find(ctx, f.acts.Programs, c.who, programID, id)
	if err != nil {
		return none, err
	}
	return p.show(found, revision)
}

func (p programPart[T, A]) create(ctx context.Context, f *Face, c *call, asked A) (A, error) {
	return p.put(c, asked, 0, func(programID int, entry T) (T, int, error) {
		return p.of.Create(ctx, f.acts.Programs, c.who, programID, entry)
	})
}

func (p programPart[T, A]) change(ctx context.Context, f *Face, c *call, after A) (A, error) {
	id, err := c.number("entryId")
	if err != nil {
		return after, err
	}
	return p.put(c, after, id, func(programID int, entry T) (T, int, error) {
		return p.of.Change(ctx, f.acts.Programs, c.who, programID, c.revision, entry)
	})
}

// put stores an entry under a number by an act; 0 leaves the number to what is asked for.
func (p programPart[T, A]) put(
	c *call, asked A, id int, act func(programID int, entry T) (T, int, error),
) (A, error) {
	programID, err := c.number("id")
	if err != nil {
		return asked, err
	}
	members, err := membersOf(asked)
	if err != nil {
		return asked, err
	}
	if id != 0 {
		members["id"] = json.RawMessage(strconv.Itoa(id))
	}
	if err := shown(members, &asked); err != nil {
		return asked, err
	}
	entry, err := p.wanted(asked)
	if err != nil {
		return asked, err
	}
	made, revision, err := act(programID, entry)
	if err != nil {
		return asked, renamed(err, p.number, "id")
	}
	return p.show(made, revision)
}

func (p programPart[T, A]) remove(ctx context.Context, f *Face, c *call) error {
	programID, id, err := c.numbers("id", "entryId")
	if err != nil {
		return err
	}
	return p.of.Delete(ctx, f.acts.Programs, c.who, programID, c.revision, id)
}
