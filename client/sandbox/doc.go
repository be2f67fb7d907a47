// Package sandbox is a client for the controls of a Mintmark sandbox, /sandbox/v1, with their types
// as they are sent over the wire: the clock, reset and snapshots, fault rules, and what the card
// processor or the system does to a card. Only `mintmark sandbox` serves them, on its admin address
// and without credentials. docs/sandbox.md describes each route.
package sandbox

// Prefix begins the path of every route of the controls.
const Prefix = "/sandbox/v1/"
