package cli

import (
	"context"

	"mintmark/client/admin"
)

// programCommands are the commands on card programs.
type programCommands struct {
	List   programList   `cmd:"" help:"List programs."`
	Get    programGet    `cmd:"" help:"Print a program with its settings."`
	Create programCreate `cmd:"" help:"Make a program of a bank."`
	Update programUpdate `cmd:"" help:"Change settings of a program."`
	Feeds  programFeeds  `cmd:"" help:"List how far the sources are that feed a program."`
}

// inProgram is the program that a thing belongs to.
type inProgram struct {
	Program int `required:"" placeholder:"ID" help:"Number of the program."`
}

// programList lists programs.
type programList struct {
	Listing
	Q string `name:"q" placeholder:"TEXT" help:"With a text in the name." group:"Filter"`
}

func (programList) Help() string { return "mintmark program list" }

func (p programList) Run(ctx context.Context, t Terminal) error {
	return p.list(ctx, t, "programs", query("q", p.Q), columns[admin.Program](
		"id", "bankId", "name", "verificationWindowDays", "renewal", "balances", "fourEyes",
		"revision"))
}

// programGet prints a program.
type programGet struct {
	Remote
	ID int `arg:"" help:"Number of the program."`
}

func (programGet) Help() string { return "mintmark program get 1" }

func (p programGet) Run(ctx context.Context, t Terminal) error {
	return p.get(ctx, t, path("programs", p.ID))
}

// programCreate makes a program.
type programCreate struct{ Creation }

func (programCreate) Help() string {
	return programs.help("mintmark program create --file program.json --set name=Fleet")
}

func (p programCreate) Run(ctx context.Context, t Terminal) error {
	return p.create(ctx, t, "programs", programs)
}

// programUpdate changes a program.
type programUpdate struct {
	ID int `arg:"" help:"Number of the program."`
	Update
}

func (programUpdate) Help() string {
	return "mintmark program update 1 --set renewal=manual --dry-run"
}

func (p programUpdate) Run(ctx context.Context, t Terminal) error {
	return p.update(ctx, t, path("programs", p.ID), programs)
}

// programFeeds lists sources.
type programFeeds struct {
	Listing
	ID int `arg:"" help:"Number of the program."`
}

func (programFeeds) Help() string { return "mintmark program feeds 1" }

func (p programFeeds) Run(ctx context.Context, t Terminal) error {
	return p.list(ctx, t, path("programs", p.ID, "feeds"), query(), columns[admin.Feed](
		"source", "sequence", "running", "line", "changed"))
}
