package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"mintmark/client/admin"
)

// part is a list in the settings of a program, whose entries have commands of their own.
type part interface {
	path() string      // below the program
	noun() string      // of its commands
	members() string   // an example of what makes an entry
	number() int       // of an entry of the sandbox
	columns() []string // of its table
	change() string    // an example of a change
	id() string        // the member of the file of load that is its number
}

func resourceOf(of part) resource {
	return resource{[]string{"programs", of.path()}, of.id(), []string{"accountNumberMasked"}}
}

type products struct{}

func (products) path() string { return "products" }
func (products) noun() string { return "product" }
func (products) id() string   { return "productId" }
func (products) members() string {
	return "--set type=Savings --set category=Savings --set name=Gold"
}
func (products) change() string { return `--set name="Everyday"` }
func (products) number() int    { return 1 }
func (products) columns() []string {
	return columns[admin.Product]("id", "type", "category", "name", "description", "revision")
}

type programAccounts struct{}

func (programAccounts) path() string   { return "accounts" }
func (programAccounts) noun() string   { return "program-account" }
func (programAccounts) change() string { return "--set isActive=false" }
func (programAccounts) number() int    { return 1 }
func (programAccounts) id() string     { return "programAccountId" }
func (programAccounts) members() string {
	return `--set accountId=7 --set type=CardSettlement --set accountNumber=1234567`
}
func (programAccounts) columns() []string {
	return columns[admin.ProgramAccount]("id", "accountId", "type", "description", "isActive",
		"accountNumberMasked", "accountBalance", "revision")
}

type externalAccounts struct{}

func (externalAccounts) path() string   { return "externalAccounts" }
func (externalAccounts) noun() string   { return "external-account" }
func (externalAccounts) change() string { return "--set isActive=false" }
func (externalAccounts) number() int    { return 1 }
func (externalAccounts) id() string     { return "programExternalAccountId" }
func (externalAccounts) members() string {
	return `--set externalAccountId=7 --set type=Miscellaneous --set routingNumber=011000015 ` +
		`--set accountNumber=1234567`
}
func (externalAccounts) columns() []string {
	return columns[admin.ExternalAccount]("id", "externalAccountId", "type", "routingNumber",
		"accountNumberMasked", "description", "isActive", "revision")
}

// partCommands are the commands on a list in the settings of a program. A change of an entry is a
// change of its program, whose revision it has.
type partCommands[P part] struct {
	List   partList[P]   `cmd:"" help:"List the entries of a program."`
	Get    partGet[P]    `cmd:"" help:"Print an entry."`
	Create partCreate[P] `cmd:"" help:"Add an entry to a program."`
	Update partUpdate[P] `cmd:"" help:"Change an entry."`
	Remove partRemove[P] `cmd:"" help:"Take an entry from a program."`
}

type partList[P part] struct {
	Listing
	inProgram
}

// Help shows an example below the flags.
func (partList[P]) Help() string { var of P; return "mintmark " + of.noun() + " list --program 1" }

// Run sends the request and prints the answer.
func (p partList[P]) Run(ctx context.Context, t Terminal) error {
	var of P
	return p.list(ctx, t, path("programs", p.Program, of.path()), url.Values{}, of.columns())
}

// onePart is an entry.
type onePart[P part] struct {
	inProgram
	ID int `arg:"" help:"Number of the entry."`
}

func (p onePart[P]) path() string {
	var of P
	return path("programs", p.Program, of.path(), p.ID)
}

// example is an example of a command on an entry.
func (onePart[P]) example(verb, flags string) string {
	var of P
	return strings.TrimSpace(fmt.Sprintf("mintmark %s %s %d --program 1 %s", of.noun(), verb,
		of.number(), flags))
}

type partGet[P part] struct {
	Remote
	onePart[P]
}

// Help shows an example below the flags.
func (p partGet[P]) Help() string { return p.example("get", "") }

// Run sends the request and prints the answer.
func (p partGet[P]) Run(ctx context.Context, t Terminal) error { return p.get(ctx, t, p.path()) }

type partCreate[P part] struct {
	inProgram
	Creation
}

// Help shows an example below the flags.
func (partCreate[P]) Help() string {
	var of P
	return resourceOf(of).help("mintmark " + of.noun() + " create --program 1 " + of.members())
}

// Run sends the request and prints the answer.
func (p partCreate[P]) Run(ctx context.Context, t Terminal) error {
	var of P
	return p.create(ctx, t, path("programs", p.Program, of.path()), resourceOf(of))
}

type partUpdate[P part] struct {
	onePart[P]
	Update
}

// Help shows an example below the flags.
func (p partUpdate[P]) Help() string {
	var of P
	return p.example("update", of.change())
}

// Run sends the request and prints the answer.
func (p partUpdate[P]) Run(ctx context.Context, t Terminal) error {
	var of P
	return p.update(ctx, t, p.path(), resourceOf(of))
}

type partRemove[P part] struct {
	Change
	onePart[P]
}

// Help shows an example below the flags.
func (p partRemove[P]) Help() string { return p.example("remove", "--dry-run") }

// Run sends the request and prints the answer.
func (p partRemove[P]) Run(ctx context.Context, t Terminal) error {
	return p.remove(ctx, t, p.path())
}
