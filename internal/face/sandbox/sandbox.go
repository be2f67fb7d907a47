// Package sandbox is the control face of a sandbox, /sandbox/v1/: the clock, snapshots and reset,
// fault rules, and what the card processor or the system does to a card. It needs no credentials,
// because everything in a sandbox is public; package sandboxed mounts it, behind the check
// of Host and Origin. The bodies are those of package client/sandbox.
//
//	Handler of web.Host -> Answer -> row of routes.go -> the row's function
//
// Controls are what the rows act on. Each kind of control stands in the file of its name.
package sandbox

import (
	"context"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/chance"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/pan"
	"mintmark/internal/face/injection"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
)

// Controls are the parts of a running sandbox that can be moved from outside.
type Controls struct {
	Service   *acts.Service
	Store     store.Store
	Clock     *clock.Clock
	Time      *Timekeeper // moves the clock
	Chance    *chance.Streams
	Processor *simulator.Port
	Faults    *injection.Rules
	Requests  *Requests
	About     About

	// Kept keeps and puts back the data, and Fill returns what fills an empty database with the
	// demo data.
	Kept store.Snapshots
	Fill func(ctx context.Context) (func(store.Tx) error, error)
	// Hold runs a function while no request of a caller is at work, as far as requests end soon.
	// Replace does so while the background stands still, too.
	Hold, Replace func(ctx context.Context, fn func(context.Context) error) error
	// Follow has the process go by the world that was put back.
	Follow func(ctx context.Context) error
	// KeepClock keeps the setting of the clock for other nodes and for the next start.
	KeepClock func(ctx context.Context, setting clock.Setting) error
	// Noted are the parts that remember more than the store, by names that stay.
	Noted map[string]Noted
	// Started is how the clock was set when the sandbox was started.
	Started clock.Setting
	// OpenNumber decrypts the number of a card.
	OpenNumber func(ctx context.Context, sealed []byte, cardID int) (pan.Number, error)
	// CarryOut carries out the orders that wait for the card processor; nil leaves them to the
	// dispatcher.
	CarryOut func(ctx context.Context) error
}

// About is what a sandbox says of itself.
type About struct {
	URL, AdminURL func() string // known once it listens
	Persistent    bool          // the data outlives the process
	Seed          *uint64
	Version       string
	PinKeyPEM     func() []byte
	Keys          []wire.Key // of the demo data
}
