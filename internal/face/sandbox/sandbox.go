// Package sandbox is the control face of a sandbox, /sandbox/v1/: the clock, snapshots and reset,
// fault rules, and what the card processor or the system does to a card. It needs no credentials,
// because everything in a sandbox is public; package sandboxed mounts it behind a check of Host and
// Origin. The bodies are those of package client/sandbox.
//
//	Handler of web.Host -> Answer -> row of routes.go -> the row's function
//
// Controls are what the rows act on. Each kind of control is in the file of its name.
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

// Controls are the parts of a running sandbox that clients can control.
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

	// Kept saves and restores snapshots of the data. Fill returns a function that fills an empty
	// database with the demo data.
	Kept store.Snapshots
	Fill func(ctx context.Context) (func(store.Tx) error, error)
	// Hold runs fn while no caller's request is in progress, as long as requests end soon. Replace
	// also stops the background jobs meanwhile.
	Hold, Replace func(ctx context.Context, fn func(context.Context) error) error
	// Reload reloads the state of the process after a restore.
	Reload func(ctx context.Context) error
	// KeepClock stores the clock setting for other nodes and for the next start.
	KeepClock func(ctx context.Context, setting clock.Setting) error
	// StatefulPart has the parts with state outside the store, by stable name.
	Parts map[string]StatefulPart
	// Started is the clock setting with which the sandbox started.
	Started clock.Setting
	// OpenNumber decrypts a card number.
	OpenNumber func(ctx context.Context, sealed []byte, cardID int) (pan.Number, error)
	// CarryOut carries out the orders that wait for the card processor; if nil, the dispatcher
	// does.
	CarryOut func(ctx context.Context) error
}

// About describes a sandbox.
type About struct {
	URL, AdminURL func() string // known once it listens
	Persistent    bool          // the data outlives the process
	Seed          *uint64
	Version       string
	PinKeyPEM     func() []byte
	Keys          []wire.Key // of the demo data
}
