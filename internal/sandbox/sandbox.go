// Package sandbox is the control face of a sandbox, /sandbox/v1/: the clock, snapshots and reset,
// fault rules, and what the card processor or the system does to a card. It needs no credentials,
// because everything in a sandbox is public; package app mounts it in a sandbox only, behind the
// check of Host and Origin. The bodies are those of package client/sandbox.
//
//	Handler of web.Host -> Answer -> row of routes.go -> the row's function
//
// Controls are what the rows act on. Each kind of control stands in the file of its name.
package sandbox

import (
	"mintmark/internal/chance"
	"mintmark/internal/clock"
	"mintmark/internal/issuing"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
)

// Controls are the parts of a running sandbox that can be moved from outside.
type Controls struct {
	Service   *issuing.Service
	Store     store.Store
	Clock     *clock.Clock
	Chance    *chance.Streams
	Processor *simulator.Port
	About     About
}

// About is what a sandbox says of itself.
type About struct {
	URL, AdminURL func() string // known once it listens
	Persistent    bool          // the data outlives the process
	Seed          *uint64
	Version       string
	PinKeyPEM     func() []byte
}
