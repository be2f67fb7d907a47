// Package admin speaks the operators' interface of Mintmark, /admin/v1/: a client with one method
// for each kind of request, and the resources as they go over the wire. The service answers with
// these types, the command line and the console read them, so each member is written down once.
//
// A moment is a time.Time; an amount is a json.Number with the digits of its program. A member that
// is not set is left out. Resources that can be changed carry a revision, which their ETag repeats.
// The package imports nothing else of Mintmark.
package admin

// Prefix is where the interface begins.
const Prefix = "/admin/v1/"
