package cli

import (
	"context"

	"mintmark/client/admin"
)

// keyCommands are the commands on keys of calling programs.
type keyCommands struct {
	List   keyList   `cmd:"" help:"List the keys of a program."`
	Get    keyGet    `cmd:"" help:"Print a key, without its secret."`
	Create keyCreate `cmd:"" help:"Issue a key, and print its secret, once."`
	Update keyUpdate `cmd:"" help:"Change from where and how often a key may call."`
	Rotate keyRotate `cmd:"" help:"Give a key another secret, and print it, once."`
	Revoke keyRevoke `cmd:"" help:"End a key for ever."`
}

// keyList lists keys.
type keyList struct {
	Listing
	inProgram
	Q string `name:"q" placeholder:"TEXT" help:"With a text in the name." group:"Filter"`
}

func (keyList) Help() string { return "mintmark key list --program 1" }

func (k keyList) Run(ctx context.Context, t Terminal) error {
	return k.list(ctx, t, path("programs", k.Program, "keys"), query("q", k.Q), columns[admin.Key](
		"name", "version", "state", "allow", "ratePerSecond", "expires", "lastUsed"))
}

// namedKey is a key of a program.
type namedKey struct {
	inProgram
	Name string `arg:"" help:"Name of the key."`
}

func (k namedKey) path(parts ...any) string {
	return path(append([]any{"programs", k.Program, "keys", k.Name}, parts...)...)
}

// keyGet prints a key.
type keyGet struct {
	Remote
	namedKey
}

func (keyGet) Help() string { return "mintmark key get example1 --program 1" }

func (k keyGet) Run(ctx context.Context, t Terminal) error { return k.get(ctx, t, k.path()) }

// keyCreate issues a key.
type keyCreate struct {
	Making
	namedKey
	KeyVersion    int      `name:"version" placeholder:"N" help:"Version of the interface that it speaks."`
	Allow         []string `placeholder:"NETWORK" help:"Network that it may call from, such as 192.0.2.0/24. May be repeated."`
	RatePerSecond float64  `placeholder:"N" help:"Calls a second that it may make."`
	Burst         int      `placeholder:"N" help:"Calls that it may make at once."`
	Expires       string   `placeholder:"MOMENT" help:"When its secret ends (RFC 3339)."`
	Compatibility []string `placeholder:"NAME" help:"Behavior of earlier versions that it keeps. May be repeated."`
}

func (keyCreate) Help() string {
	return "A calling program sends the member key as its user name and the secret as its " +
		"password.\n\nmintmark key create till --program 1 --allow 192.0.2.0/24 " +
		"--rate-per-second 20 --burst 40"
}

func (k keyCreate) Run(ctx context.Context, t Terminal) error {
	return k.post(ctx, t, path("programs", k.Program, "keys"), body{"name": k.Name}.with(
		"version", k.KeyVersion, "allow", k.Allow, "ratePerSecond", k.RatePerSecond,
		"burst", k.Burst, "expires", k.Expires, "compatibility", k.Compatibility))
}

// keyUpdate changes a key.
type keyUpdate struct {
	namedKey
	Update
}

func (keyUpdate) Help() string {
	return "mintmark key update example2 --program 1 --set ratePerSecond=50 --set burst=100"
}

func (k keyUpdate) Run(ctx context.Context, t Terminal) error {
	return k.update(ctx, t, k.path(), resource{})
}

// keyRotate gives a key another secret.
type keyRotate struct {
	Change
	namedKey
	Overlap string `default:"24h" placeholder:"DURATION" help:"How long the old secret works beside the new one (${default})."`
}

func (keyRotate) Help() string { return "mintmark key rotate example1 --program 1 --overlap 24h" }

func (k keyRotate) Run(ctx context.Context, t Terminal) error {
	return k.act(ctx, t, k.path("rotate"), body{"overlap": k.Overlap})
}

// keyRevoke ends a key.
type keyRevoke struct {
	Change
	namedKey
}

func (keyRevoke) Help() string {
	return `mintmark key revoke limited --program 1 --reason "the program was shut down"`
}

func (k keyRevoke) Run(ctx context.Context, t Terminal) error {
	return k.act(ctx, t, k.path("revoke"), body{})
}
