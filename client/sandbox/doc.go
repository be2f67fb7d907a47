// Package sandbox is the control face of a Mintmark sandbox as it goes over the wire, /sandbox/v1,
// and its Go client: the clock, reset and snapshots, fault rules, and what the card processor or
// the system does to a card. Only `mintmark sandbox` serves it, on its admin address and without
// credentials. docs/sandbox.md tells what each route does.
package sandbox

// Prefix is where the face is mounted.
const Prefix = "/sandbox/v1/"
